/**
 * A pool as an executor service: futures, cancellation, many tasks at once. Ids such as [TP98] refer to
 * docs/spec/pool.md.
 */
import {
  ArrayBlockingQueue,
  type Callable,
  CancellationError,
  Executors,
  type Future,
  FutureTask,
  InterruptedError,
  RejectedExecutionError,
  type Runnable,
  Thread,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP96] submit gives the value, the promise's value, or the task's own error", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const value = { very: "same" }
  assert.equal(await pool.submit(() => value), value)
  assert.equal(await pool.submit(() => Promise.resolve(value)), value)
  assert.equal(await pool.submit(Executors.callable(() => "ignored", value)), value)
  const nothing: Future<unknown> = pool.submit(() => undefined)
  assert.equal(await nothing, undefined)
  const error = new Error("its own")
  for (const task of [
    () => {
      throw error
    },
    async () => {
      await turns(1)
      throw error
    },
  ]) {
    const future = pool.submit(task)
    assert.equal(await rejectionOf(future.get()), error)
    assert.equal(future.exceptionNow(), error)
    assert.equal(future.isDone, true)
  }
})

test("[TP96] a task that throws before its first await is no different", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const future = pool.submit((ready: boolean): Promise<string> => {
    if (!ready) throw new TypeError("before the first await")
    return Promise.resolve("ready")
  }, false)
  assert.equal(String(await rejectionOf(future)), "TypeError: before the first await")
  assert.equal(await pool.submit(() => "next"), "next")
})

test("[TP97] when a submitted task is not accepted submit throws, and its future is not left pending", async () => {
  await using pools = new Pools()
  const futures: FutureTask<unknown>[] = []
  class Watched extends ThreadPoolExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      const future = super.newTaskFor(callable)
      futures.push(future)
      return future
    }
  }
  const flaky = {
    isVirtual: true,
    newThread: (target: () => unknown) => {
      if (futures.length > 1) throw new Error("no more threads")
      return pools.factory.newThread(target)
    },
  }
  const pool = pools.adopt(
    new Watched({
      corePoolSize: 1,
      maximumPoolSize: 2,
      workQueue: new ArrayBlockingQueue(1),
      threadFactory: flaky,
    }),
  )
  const gate = pools.gate()
  const first = pool.submit(gate.body)
  pool.execute(gate.body)
  assert.equal(String(thrownBy(() => pool.submit(gate.body))), "Error: no more threads")
  pool.maximumPoolSize = 1
  assert.ok(thrownBy(() => pool.submit(gate.body)) instanceof RejectedExecutionError)
  pool.shutdown()
  assert.ok(thrownBy(() => pool.submit(gate.body)) instanceof RejectedExecutionError)
  gate.open()
  await first
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "cancelled", "cancelled", "cancelled"],
  )
})

test("[TP98] cancel(true) interrupts the task: waits end, the signal aborts, the late result is dropped", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const seen: unknown[] = []
  const future = pool.submit(async () => {
    const { signal } = Thread.currentThread()
    signal.addEventListener("abort", () => seen.push("aborted"))
    seen.push(await rejectionOf(gate.interruptible()))
    return "late"
  })
  await gate.entered()
  assert.equal(future.cancel(true), true)
  assert.deepEqual([future.isCancelled, future.isDone, future.state], [true, true, "cancelled"])
  assert.equal(future.cancel(true), false)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  await eventually(() => pool.completedTaskCount === 1)
  assert.equal(seen[0], "aborted")
  assert.ok(seen[1] instanceof InterruptedError)
  assert.equal(future.state, "cancelled")
})

test("[TP98] cancel(false) leaves the task alone", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  let finished = false
  const future = pool.submit(async () => {
    await gate.interruptible()
    finished = !Thread.currentThread().isInterrupted
  })
  await gate.entered()
  assert.equal(future.cancel(), true)
  assert.ok((await rejectionOf(future.get(1_000_000))) instanceof CancellationError)
  assert.equal(gate.inside, 1)
  gate.open()
  await eventually(() => pool.completedTaskCount === 1)
  assert.equal(finished, true)
})

test("[TP99] a task cancelled while it waits never runs", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  for (const interrupt of [false, true]) {
    const future = pool.submit(() => assert.fail("a cancelled task ran"))
    assert.equal(future.cancel(interrupt), true)
    assert.ok((await rejectionOf(future.get())) instanceof CancellationError)
    assert.ok((await rejectionOf(future.get(10))) instanceof CancellationError)
  }
  gate.open()
  await eventually(() => pool.completedTaskCount === 3)
})

test("[TP102] a subclass supplies the futures of its tasks", async () => {
  await using pools = new Pools()
  class OwnTask<T> extends FutureTask<T> {
    static made = 0
    static done = 0

    constructor(callable: Callable<T>) {
      super(callable)
      OwnTask.made++
    }

    protected override done(): void {
      OwnTask.done++
    }
  }
  class OwnPool extends ThreadPoolExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      return new OwnTask(callable)
    }
  }
  const pool = pools.adopt(new OwnPool({ corePoolSize: 10, maximumPoolSize: 10, threadFactory: pools.factory }))
  const futures = Array.from({ length: 10 }, (_, i) => pool.submit(() => i))
  assert.ok(futures.every((future) => future instanceof OwnTask))
  assert.equal(pool.poolSize, 10)
  await Promise.all(futures)
  assert.deepEqual([OwnTask.made, OwnTask.done], [10, 10])
})

test("[TP102] a task that runs in its own way is run in its own way", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  class Twice extends FutureTask<number> {
    runs = 0

    override run(): void | Promise<void> {
      this.runs++
      return super.run()
    }
  }
  const task: Twice & Runnable = new Twice(async () => 7)
  pool.execute(task)
  assert.equal(await task, 7)
  assert.equal(task.runs, 1)
})

test("[TP103] interrupting who waits for a future does not touch the task", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const future = pool.submit(gate.interruptible)
  let outcome: unknown
  const waiter = pools.factory.newThread(async () => (outcome = await rejectionOf(future.get())))
  waiter?.start()
  await gate.entered()
  await turns()
  waiter?.interrupt()
  await eventually(() => outcome !== undefined)
  assert.ok(outcome instanceof InterruptedError)
  assert.equal(future.isDone, false)
  gate.open("unaffected")
  assert.equal(await future, "unaffected")
})
