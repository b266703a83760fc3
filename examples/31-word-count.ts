/**
 * How often each word comes in a large file.
 *
 * `parallelReduce` counts the parts of the file, and adds up what was counted. The file is not read by the main thread: each thread
 * reads the part that it counts. And counts that come from parts of one thread are added there; only what another
 * thread has counted travels.
 */
import { parallelReduce } from "corepool"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { speedUp } from "./support/speed-up.ts"
import { addCounts, countPart } from "./support/word-count.ts"

const VOCABULARY = "the of and to in a is that it was for on are with as they be at one have".split(" ")
const BYTES_PER_PART = 256 * 1024

function someText(words: number): string {
  let seed = 1
  const next = (): number => (seed = (seed * 48271) % 2147483647)
  // The first ones come more often.
  return Array.from({ length: words }, () => VOCABULARY[Math.min(next() % 20, next() % 20)]).join(" ")
}

const folder = mkdtempSync(join(tmpdir(), "corepool-"))
try {
  const path = join(folder, "text.txt")
  writeFileSync(path, `${someText(100_000)}\n`.repeat(25))
  const parts = Math.ceil(statSync(path).size / BYTES_PER_PART)
  const counts = await speedUp(async (pool) => {
    const all = await parallelReduce(parts, addCounts, { pool, map: countPart, args: [path, BYTES_PER_PART] })
    return [...all].sort(([, a], [, b]) => b - a)
  })
  console.log(`${counts.reduce((sum, [, count]) => sum + count, 0)} words, ${counts.length} different ones`)
  for (const [word, count] of counts.slice(0, 3)) console.log(`${word}: ${count}`)
} finally {
  rmSync(folder, { recursive: true })
}

// Output:
// 2500000 words, 20 different ones
// the: 241850
// of: 232800
// and: 219675
