/** What one thread has compiled, and others start with; and how soon the end of a thread is known. */
import { codeIn, inheritCode, keepCode, keptCode, RUN } from "#src/platform/start/worker-code.js"
import { ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"
import { bundle } from "../../../tools/bundle/main.ts"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { PlatformPool, tasks } from "./support.ts"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

const FILE = "(function double(n) { return 2 * n })"

/** Where the first file of a build's program is kept. */
function firstRegion(build: string): Int32Array {
  const [region] = keptCode(build).regions
  assert.ok(region !== undefined)
  return region
}

test("[WK50] the code of the first that leaves it is that of all later ones", () => {
  const region = firstRegion("one")
  assert.equal(codeIn(region), undefined)
  const script = new Script(FILE)
  assert.equal((script.runInThisContext() as (n: number) => number)(1), 2)
  keepCode(region, RUN, script)
  const kept = codeIn(region)
  assert.ok(kept !== undefined && kept.length > 0)
  assert.equal(firstRegion("one"), region)
  const bytes = Buffer.from(kept)
  keepCode(region, RUN, new Script("1"))
  assert.deepEqual(Buffer.from(codeIn(region) ?? []), bytes)
  const other = new Script(FILE, { cachedData: kept })
  assert.equal(other.cachedDataRejected, false)
  assert.equal((other.runInThisContext() as (n: number) => number)(21), 42)
})

test("[WK50] code of one build is not taken for that of another, nor inherited a second time", () => {
  const code = keptCode("two")
  keepCode(firstRegion("two"), RUN, new Script("1"))
  assert.notEqual(codeIn(firstRegion("two")), undefined)
  const other = keptCode("three")
  assert.equal(codeIn(firstRegion("three")), undefined)
  inheritCode(code)
  assert.equal(keptCode("three"), other)
})

test("[WK50] there is room for the code of every file of the program", async () => {
  const files = [...(await bundle(HOME)).keys()].filter((name) => name.startsWith("code-"))
  assert.ok(files.length <= keptCode("four").regions.length)
})

test("[WK50] threads start with the code of one that has ended, and those that they start too", async () => {
  await using own = new PlatformPool()
  for (const _ of [1, 2]) {
    const death = await rejectionOf(own.pool.submit(tasks.exit, 0))
    assert.ok(death instanceof ThreadDeathError)
    await eventually(() => own.threads.slice(0, -1).every((thread) => !thread.isAlive))
  }
  assert.equal(await own.pool.submit(tasks.startedWithCode), true)
  assert.equal(await own.pool.submit(tasks.startsWithCode), true)
})

test("[WK51] the exit code of a thread is known to one that blocks for its task", async () => {
  await using own = new PlatformPool()
  const future = own.pool.submit(tasks.exit, 7)
  assert.throws(() => future.getSync(), { name: "ThreadDeathError", message: /with exit code 7/ })
  assert.equal(own.pool.submit(tasks.add, 1, 2).getSync(), 3)
})

test("[WK51] and the error that ends a thread is told with the error, not as an exit", async () => {
  await using own = new PlatformPool()
  const death = await rejectionOf(own.pool.submit(tasks.throwMeanwhile, "thrown later"))
  assert.ok(death instanceof ThreadDeathError)
  assert.equal((death.cause as Error).message, "thrown later")
})
