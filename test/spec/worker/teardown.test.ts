/** What threads do before they leave. Rules: docs/spec/worker.md. */
import { AtomicInteger, type PlatformThreadOptions, platformThreads, tasksOf, ThreadDeathError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { PlatformPool } from "./support.ts"

const tasks = tasksOf<typeof import("./ending-tasks.ts")>(new URL("ending-tasks.js", import.meta.url))
const module = (name: string): URL => new URL(`teardown-${name}.js`, import.meta.url)

/** A pool whose threads count how often their modules of teardown have begun and ended. */
class Ending extends PlatformPool {
  readonly begun = new AtomicInteger()
  readonly ended = new AtomicInteger()

  constructor(options: PlatformThreadOptions, pool: ConstructorParameters<typeof PlatformPool>[1] = {}) {
    super({ terminateAfter: Infinity, ...options }, pool)
  }

  remember(): Promise<string> {
    return this.pool.submit(tasks.remember, this.begun, this.ended).get()
  }

  /** Lets teardown-hang.ts end. */
  release(): void {
    this.ended.set(-1)
  }

  get errors(): unknown[] {
    return this.uncaught.map(({ error }) => error)
  }
}

test("[TD1] teardown runs in each thread before a pool that was shut down has terminated", async () => {
  await using own = new Ending({ teardown: [module("count")] }, { corePoolSize: 2, maximumPoolSize: 2 })
  await own.remember()
  await own.remember()
  await own.pool.close()
  assert.equal(own.ended.get(), 2)
})

test("[TD1] also if it was stopped, and if it had no task", async () => {
  await using own = new Ending({ teardown: [module("count")] })
  await own.remember()
  own.pool.shutdownNow()
  assert.ok(await own.pool.awaitTermination())
  assert.equal(own.ended.get(), 1)

  await using idle = new Ending({ teardown: [module("throw").href] })
  idle.pool.prestartAllCoreThreads()
  await idle.pool.close()
  assert.equal(idle.errors.length, 1)
})

test("[TD1] teardown runs in a thread that was idle for too long, and in one that is surplus", async () => {
  const sizes = { corePoolSize: 1, maximumPoolSize: 1, keepAliveTime: 1, allowCoreThreadTimeOut: true }
  await using own = new Ending({ teardown: [module("count")] }, sizes)
  await own.remember()
  await eventually(() => own.ended.get() === 1)
  assert.equal(own.pool.poolSize, 0)

  await using two = new Ending(
    { teardown: [module("count")] },
    { corePoolSize: 2, maximumPoolSize: 2, keepAliveTime: 1 },
  )
  await two.remember()
  await two.remember()
  two.pool.corePoolSize = 1
  await eventually(() => two.ended.get() === 1)
  assert.equal(two.pool.poolSize, 1)
})

test("[TD2] modules run in order, and an error does not keep the next from running", async () => {
  await using own = new Ending({ teardown: [module("throw"), module("count")] })
  const name = await own.remember()
  await own.pool.close()
  assert.equal(own.ended.get(), 1)
  assert.equal(own.uncaught.length, 1)
  assert.equal(own.uncaught[0]?.thread.name, name)
  assert.match(String(own.uncaught[0]?.error), /cannot close/)
})

test("[TD3] an error is reported before the pool has terminated: also that a module cannot be loaded, or exports no function", async () => {
  for (const teardown of [
    "data:text/javascript,throw new Error('no such thing')",
    "data:text/javascript,export default 7",
  ]) {
    await using own = new Ending({ teardown: [teardown] })
    own.pool.prestartAllCoreThreads()
    await own.pool.close()
    assert.match(own.errors.map(String).join(), /no such thing|whose default export is a function/)
  }
})

test("[TD3] several errors are one AggregateError", async () => {
  await using own = new Ending({ teardown: [module("throw"), module("throw")] })
  own.pool.prestartAllCoreThreads()
  await own.pool.close()
  assert.match(own.errors.map(String).join(), /AggregateError: Several modules of `teardown` have failed/)
})

test("[TD4] a teardown that waits, or computes, for too long is terminated with its thread, and the pool ends", async () => {
  for (const computes of [false, true]) {
    await using own = new Ending({ teardown: [module("hang"), module("count")], terminateAfter: 1 })
    await own.remember()
    if (computes) await own.pool.submit(tasks.compute)
    await own.pool.close()
    assert.equal(own.errors.length, 1)
    assert.ok(own.errors[0] instanceof ThreadDeathError)
    assert.match(String(own.errors[0]), /its teardown did not end within 1 ms/)
    assert.equal(own.ended.get(), 0)
  }
})

test("[TD4] until then the pool waits for it, and counts the thread no more", async () => {
  await using own = new Ending({ teardown: [module("hang")], terminateAfter: 60_000 })
  await own.remember()
  own.pool.shutdown()
  await eventually(() => own.begun.get() === 1)
  assert.deepEqual([own.pool.isTerminated, own.pool.poolSize], [false, 0])
  assert.equal(await own.pool.awaitTermination(1), false)
  await using other = new Ending({ teardown: [module("hang")], terminateAfter: 1 })
  await other.remember()
  await other.pool.close() // while that one still waits
  assert.deepEqual(own.errors, [])
  own.release()
})

test("[TD5] a thread that dies does not run it: by a command, by its own exit, by termination", async () => {
  const teardown = [module("count")]
  await using own = new Ending({ teardown, terminateAfter: 1 })
  await own.remember()
  own.pool.execute(tasks.fail)
  await eventually(() => own.threads.length === 2)
  await own.remember()
  assert.ok((await rejectionOf(own.pool.submit(tasks.exit))) instanceof ThreadDeathError)
  await own.remember()
  const busy = own.pool.submit(tasks.busy, own.begun)
  await eventually(() => own.begun.get() === 1)
  busy.cancel(true)
  await eventually(() => own.threads.length === 4)
  assert.equal(own.ended.get(), 0)
})

test("[TD6] a thread that ends itself in its teardown has left, and the pool ends", async () => {
  await using own = new Ending({ teardown: [module("exit"), module("count")] })
  await own.remember()
  await own.pool.close()
  assert.equal(own.ended.get(), 0)
})

test("[TD7] a task that comes while a thread runs its teardown gets another thread at once", async () => {
  const sizes = { corePoolSize: 0, maximumPoolSize: 1, keepAliveTime: 1 }
  await using own = new Ending({ teardown: [module("hang")], terminateAfter: 60_000 }, sizes)
  await own.remember()
  await eventually(() => own.begun.get() === 1)
  await own.remember()
  assert.equal(own.threads.length, 2)
  own.release()
})

test("[WK19] settings of teardown and recycling are checked at the door", () => {
  assert.throws(() => platformThreads({ teardown: ["./relative.js"] }), {
    name: "TypeError",
    message: 'Expected `teardown` to be absolute URLs of modules, got "./relative.js"',
  })
  assert.throws(() => platformThreads({ teardown: "file:///x.js" as never }), { name: "TypeError" })
  assert.throws(() => platformThreads({ recycle: { tasks: 0 } }), {
    name: "RangeError",
    message: "Expected `recycle.tasks` to be an integer ≥ 1, got 0",
  })
  assert.throws(() => platformThreads({ recycle: { heapMB: 0 } }), { name: "RangeError" })
  assert.throws(() => platformThreads({ recycle: { heap: 5 } as never }), { name: "TypeError" })
  assert.throws(() => platformThreads({ recycle: 5 as never }), { name: "TypeError" })
})
