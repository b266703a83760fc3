/** Threads in which a program has taken the methods of functions away. */
import assert from "node:assert/strict"
import { Buffer } from "node:buffer"
import test from "node:test"
import { Executors, platformThreads } from "corepool"
import { rejectionOf } from "../../support/harness.ts"
import { Folder } from "../worker/support.ts"
import * as tasks from "./breaking-tasks.ts"

/** One of each kind that is asked by a method, or a getter, of its prototype. */
const VALUES: readonly unknown[] = [
  new Map<unknown, unknown>([[{ a: 1 }, new Set([1n, "b"])]]),
  [new Set([1, "b"]), new Date(1)],
  [Object(1), Object("text"), Object(true), Object(2n)],
  [new Int8Array(2), new Float64Array([0.5]), new BigInt64Array([1n]), new DataView(new ArrayBuffer(3))],
  Buffer.from("bytes"),
]

/** Whatever it prints but the last line says what has failed. */
const WITHOUT_CALL = `
  import assert from "node:assert/strict"
  import { AtomicInteger, Executors, ForkJoinPool, LinkedBlockingQueue, ReentrantLock, virtualThreads } from "corepool"
  const pool = Executors.newFixedThreadPool(1)
  const forks = new ForkJoinPool({ parallelism: 1 })
  const scheduled = Executors.newScheduledThreadPool(1)
  for (const one of [pool, forks, scheduled]) await one.submit(() => 1)
  const kept = {}
  for (const name of ["call", "bind"]) {
    kept[name] = Function.prototype[name]
    delete Function.prototype[name]
  }
  const seen = []
  const map = new Map([["key", { since: new Date(0), boxed: Object(1) }]])
  seen.push(await pool.submit((it) => it, map), await pool.submit((n) => n + 1, 1))
  seen.push(await pool.submit(() => { throw Object.assign(new RangeError("it"), { code: 1 }) }).get().catch((error) => error))
  seen.push((await pool.submit(() => new Float64Array(3))).length)
  const buffer = new ArrayBuffer(4)
  seen.push(await pool.with({ transfer: [buffer] }).submit((it) => it.byteLength, buffer), buffer.byteLength)
  const lock = new ReentrantLock()
  await pool.submit((it) => (it.lockSync(), it.unlock()), lock)
  seen.push(String(lock.isLocked))
  const queue = new LinkedBlockingQueue()
  await pool.submit((it) => it.putSync({ a: 1 }), queue)
  seen.push(String(queue).length > 0, await queue.take())
  const virtual = Executors.newFixedThreadPool(1, virtualThreads())
  seen.push(await virtual.submit((a, b) => a + b, 1, 2), await virtual.submit(async (it) => it, map))
  seen.push(await forks.submit((n) => n * 2, 4), await scheduled.schedule((n) => n, 1, 5))
  const count = new AtomicInteger()
  seen.push(await pool.submit((it) => it.incrementAndGet(), count))
  await virtual.close()
  for (const name of ["call", "bind"]) {
    Object.defineProperty(Function.prototype, name, { value: kept[name], writable: true, configurable: true })
  }
  for (const one of [pool, forks, scheduled]) await one.close()
  const error = seen[2]
  assert.deepEqual([error.name, error.message, error.code], ["RangeError", "it", 1])
  seen[2] = "error"
  assert.deepEqual(seen, [map, 2, "error", 3, 4, 0, "false", true, { a: 1 }, 3, map, 8, 5, 1])
  console.log("well")
`

for (const way of ["undefined", "throw"] as const) {
  test(`[PL62] a thread without call, apply and bind of functions does all that it did before: ${way}`, async () => {
    const uncaught: unknown[] = []
    const uncaughtException = (_: unknown, error: unknown) => uncaught.push(error)
    const pool = Executors.newFixedThreadPool(1, platformThreads({ uncaughtException }))
    const id = await pool.submit(tasks.threadId)
    for (const method of ["call", "apply", "bind"])
      await pool.submit(tasks.breakAt, `Function.prototype.${method}`, way)
    for (const n of [1, 2]) assert.equal(await pool.submit(tasks.increment, n), n + 1)
    for (const value of VALUES) assert.deepEqual(await pool.submit(tasks.same, value), value)
    const error = await rejectionOf(pool.submit(tasks.throwWithFields, "it"))
    assert.ok(error instanceof RangeError)
    assert.deepEqual(
      [error.message, (error as Error & { code: string }).code, Object.keys(error), error.cause],
      ["it", "E1", ["code"], { since: new Date(1) }],
    )
    assert.deepEqual([...(await pool.submit(tasks.moved, 3))], [7, 7, 7])
    assert.equal(await pool.submit(tasks.threadId), id)
    await pool.close()
    assert.deepEqual(uncaught, [])
  })
}

test("[PL62] a program without call and bind of functions does all that it did before", async () => {
  using folder = new Folder()
  await using running = folder.start("program.mjs", WITHOUT_CALL)
  assert.deepEqual(await running.lines(), ["well"])
})
