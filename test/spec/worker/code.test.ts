/** What one thread has compiled, and others start with; and how soon the end of a thread is known. */
import { codeIn, inheritCode, keepCode, keptCode } from "#src/platform/worker-code.js"
import { ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Script } from "node:vm"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { PlatformPool, tasks } from "./support.ts"

const PROGRAM = "(function double(n) { return 2 * n })"

test("[WK50] the code of the first that leaves it is that of all later ones", () => {
  const code = keptCode(PROGRAM)
  assert.equal(codeIn(code), undefined)
  const script = new Script(PROGRAM)
  assert.equal((script.runInThisContext() as (n: number) => number)(1), 2)
  keepCode(code, script)
  const kept = codeIn(code)
  assert.ok(kept !== undefined && kept.length > 0)
  assert.equal(keptCode(PROGRAM), code)
  const bytes = Buffer.from(kept)
  keepCode(code, new Script("1"))
  assert.deepEqual(Buffer.from(codeIn(code) ?? []), bytes)
  const other = new Script(PROGRAM, { cachedData: kept })
  assert.equal(other.cachedDataRejected, false)
  assert.equal((other.runInThisContext() as (n: number) => number)(21), 42)
})

test("[WK50] code of one program is not taken for that of another, nor inherited a second time", () => {
  const code = keptCode("1")
  keepCode(code, new Script("1"))
  assert.notEqual(codeIn(code), undefined)
  const other = keptCode("2")
  assert.equal(codeIn(other), undefined)
  inheritCode(code)
  assert.equal(keptCode("2"), other)
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
