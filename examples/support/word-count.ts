import { task } from "corepool"
import { closeSync, openSync, readSync } from "node:fs"

export type Counts = Map<string, number>

const LONGEST_WORD = 64

/** Counts the words that begin in this part of the file, each thread by its own reading. */
export const countPart = task(
  import.meta.url,
  function countPart(part: number, path: string, bytesPerPart: number): Counts {
    const file = openSync(path, "r")
    try {
      const from = part * bytesPerPart
      const before = part === 0 ? 0 : 1 // to see whether a word has begun earlier
      const buffer = Buffer.alloc(before + bytesPerPart + LONGEST_WORD)
      const text = buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, from - before))
      const counts: Counts = new Map<string, number>()
      for (const { 0: word, index } of text.matchAll(/[a-z]+/g)) {
        if (index < before || index >= before + bytesPerPart) continue
        counts.set(word, (counts.get(word) ?? 0) + 1)
      }
      return counts
    } finally {
      closeSync(file)
    }
  },
)

export const addCounts = task(import.meta.url, function addCounts(a: Counts, b: Counts): Counts {
  for (const [word, count] of b) a.set(word, (a.get(word) ?? 0) + count)
  return a
})
