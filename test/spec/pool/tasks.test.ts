/** What a thread does with unusual tasks. Ids such as [TP39] refer to docs/spec/pool.md. */
import { Thread, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP37] an interrupt is not passed on to the next task of the thread", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const first = pool.submit(() => Thread.currentThread().interrupt())
  const second = pool.submit(() => [Thread.currentThread().isInterrupted, Thread.currentThread().signal.aborted])
  await first
  assert.deepEqual(await second, [false, false])
  const gate = pools.gate()
  const cancelled = pool.submit(gate.body)
  await gate.entered()
  cancelled.cancel(true)
  gate.open()
  const third = pool.submit(async () => {
    await Thread.sleep(0)
    return Thread.interrupted()
  })
  assert.equal(await third, false)
  assert.equal(pools.threads.length, 1)
})

test("[TP38] an asynchronous task keeps its thread busy, and itself, across awaits", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const seen: Thread[] = []
  const future = pool.submit(async () => {
    seen.push(Thread.currentThread())
    await gate.body()
    seen.push(Thread.currentThread())
    await turns(1)
    await new Promise<void>((resolve) => setTimeout(() => resolve(void seen.push(Thread.currentThread())), 0))
    seen.push(Thread.currentThread())
  })
  const next = pool.submit(() => Thread.currentThread())
  await gate.entered()
  await turns()
  assert.deepEqual([pool.activeCount, pool.queue.size, next.isDone], [1, 1, false])
  gate.open()
  await future
  assert.deepEqual(new Set([...seen, await next]), new Set(pools.threads))
  assert.equal(seen.length, 4)
  assert.equal(Thread.currentThread().name, "main")
})

test("[TP39] a result whose then throws fails the task", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const called = {
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    then() {
      throw new Error("called")
    },
  }
  const looked = {
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    get then(): never {
      throw new Error("looked at")
    },
  }
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  assert.equal(String(await rejectionOf(pool.submit((): unknown => called))), "Error: called")
  assert.equal(String(await rejectionOf(pool.submit((): unknown => looked))), "Error: looked at")
  assert.ok((await rejectionOf(pool.submit((): unknown => proxy))) instanceof TypeError)
  for (const value of [called, looked, proxy]) pool.execute((): unknown => value)
  await eventually(() => pool.completedTaskCount === 6 && pool.activeCount === 0)
  await turns()
  const uncaught = pools.takeUncaught()
  assert.deepEqual(uncaught.slice(0, 2).map(String), ["Error: called", "Error: looked at"])
  assert.ok(uncaught[2] instanceof TypeError)
  assert.equal(uncaught.length, 3)
})

test("[TP39] a task may settle its thenable twice, or throw after settling it: only the first counts", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const fickle: PromiseLike<string> = {
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    then(resolve, reject) {
      void resolve?.("first")
      void reject?.(new Error("second"))
      throw new Error("third")
    },
  }
  assert.equal(await pool.submit(() => fickle), "first")
  await turns()
  assert.equal(pool.completedTaskCount, 1)
})

test("[TP40] a task that never settles keeps its thread and the pool alive; its future can be cancelled", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  let settle: (() => void) | undefined
  const never = {
    // oxlint-disable-next-line unicorn/no-thenable -- that is the point
    then: (resolve: () => void) => void (settle = resolve),
  }
  const future = pool.submit((): unknown => never)
  assert.equal(await pool.submit(() => "on the other thread"), "on the other thread")
  assert.equal(future.cancel(true), true)
  assert.equal(future.state, "cancelled")
  pool.shutdown()
  await turns()
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.isTerminated], [1, 1, false])
  settle?.() // the test ends, and so must the task
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP47] an uncaught-exception handler that throws harms nobody", async (t) => {
  const print = t.mock.method(console, "error", () => undefined)
  await using pools = new Pools()
  const threadFactory = virtualThreads({
    uncaughtException: () => {
      throw new Error("the handler's")
    },
  })
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
  pool.execute(() => {
    throw new Error("the task's")
  })
  assert.equal(await pool.submit(() => "goes on"), "goes on")
  await eventually(() => print.mock.callCount() === 2)
  const printed = print.mock.calls.map(({ arguments: [, error] }) => String(error))
  assert.deepEqual(printed, ["Error: the task's", "Error: the handler's"])
})

test("[TP48] whatever is thrown is treated alike", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const circle: { self?: unknown } = {}
  circle.self = circle
  const things: unknown[] = [undefined, null, 0, "", 4n, Symbol("thing"), circle, () => "a function", NaN]
  for (const thing of things) {
    const future = pool.submit(() => {
      throw thing
    })
    assert.equal(await rejectionOf(future), thing)
    assert.equal(future.exceptionNow(), thing)
    pool.execute(() => {
      throw thing
    })
    pool.execute(() => Promise.reject(thing))
  }
  await eventually(() => pool.completedTaskCount === 3 * things.length && pool.activeCount === 0)
  await turns()
  assert.deepEqual(
    pools.takeUncaught(),
    things.flatMap((thing) => [thing, thing]),
  )
})
