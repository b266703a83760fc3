/** What becomes of tasks that a pool does not take. Ids such as [RJ7] refer to docs/spec/pool.md. */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  CallerRunsPolicy,
  CancellationError,
  DiscardOldestPolicy,
  DiscardPolicy,
  type Future,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
  Thread,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { saturated } from "./saturated.ts"

/** Checks that a policy dropped this future. */
async function assertDropped(future: Future<unknown>, why: RegExp): Promise<void> {
  assert.equal(future.state, "cancelled")
  const error = await rejectionOf(future)
  assert.ok(error instanceof CancellationError)
  assert.ok(error.cause instanceof RejectedExecutionError)
  assert.equal(error.cause.task, future)
  assert.match(error.cause.message, why)
}

/** Knows how deep calls of `execute` were inside each other. */
class Diver extends ThreadPoolExecutor {
  deepest = 0
  #depth = 0

  override execute<A extends unknown[]>(command: ((...args: A) => unknown) | Runnable, ...args: A): void {
    this.deepest = Math.max(this.deepest, ++this.#depth)
    try {
      super.execute(command, ...args)
    } finally {
      this.#depth--
    }
  }
}

test("[RJ1] AbortPolicy throws an error that tells what was refused by whom", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, AbortPolicy)
  const task = function tooMuch(): void {}
  const error = thrownBy(() => pool.execute(task))
  assert.ok(error instanceof RejectedExecutionError)
  assert.equal(error.code, "ERR_COREPOOL_REJECTED")
  assert.equal(error.task, task)
  assert.equal(error.message, `Task tooMuch rejected from ${pool}`)
  const named = { run: task, toString: () => "my task" }
  assert.equal(
    String(thrownBy(() => pool.execute(named))),
    `RejectedExecutionError: Task my task rejected from ${pool}`,
  )
  const submitted = thrownBy(() => pool.submit(task)) as RejectedExecutionError
  assert.match(submitted.message, /^Task FutureTask@\d+\[Not completed, task = tooMuch\] rejected from Thread/)
})

test("[RJ1] after shutdown as well", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.shutdown()
  const error = thrownBy(() => pool.execute(() => assert.fail("ran")))
  assert.match(String(error), /^RejectedExecutionError: Task .* rejected from ThreadPoolExecutor@\d+\[Terminated, /)
})

test("[RJ2] CallerRunsPolicy runs the task here and now", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  const before = String(pool)
  let on: Thread | undefined
  pool.execute(() => (on = Thread.currentThread()))
  assert.equal(on, Thread.currentThread())
  assert.equal(pool.submit(() => "at once").resultNow(), "at once")
  assert.equal(String(pool), before)
})

test("[RJ3] there a command's error reaches the caller, a submitted task's its future", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  const error = new Error("the task's")
  const task = (): never => {
    throw error
  }
  assert.equal(
    thrownBy(() => pool.execute(task)),
    error,
  )
  assert.equal(pool.submit(task).exceptionNow(), error)
})

test("[RJ4] there an asynchronous task begins, and its error goes to the caller's thread", async () => {
  await using pools = new Pools()
  const { pool } = saturated(pools, CallerRunsPolicy)
  const inner = pools.gate()
  let begun: Future<unknown> | undefined
  const caller = pools.factory.newThread(() => {
    begun = pool.submit(inner.body)
    pool.execute(async () => {
      await inner.body()
      throw new Error("later")
    })
  })
  caller?.start()
  await inner.entered(2)
  assert.equal(begun?.isDone, false)
  inner.open("value")
  assert.equal(await begun, "value")
  await turns()
  const uncaught = pools.takeUncaughtWithThreads()
  assert.deepEqual(
    uncaught.map(({ thread, error }) => [thread, String(error)]),
    [[caller, "Error: later"]],
  )
})

test("[RJ5][RJ10] after shutdown CallerRunsPolicy drops the task and cancels its future", async () => {
  await using pools = new Pools()
  const { pool, gate } = saturated(pools, CallerRunsPolicy)
  pool.shutdown()
  pool.execute(() => assert.fail("ran"))
  const future = pool.submit(() => assert.fail("ran"))
  await assertDropped(future, /dropped from .*the executor is shut down$/)
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.completedTaskCount, 2)
})

test("[RJ6][RJ10] DiscardPolicy drops the task and cancels its future", async () => {
  await using pools = new Pools()
  const { pool, gate } = saturated(pools, DiscardPolicy)
  const before = String(pool)
  pool.execute(() => assert.fail("ran"))
  await assertDropped(
    pool.submit(() => assert.fail("ran")),
    /dropped from /,
  )
  assert.equal(String(pool), before)
  pool.shutdown()
  await assertDropped(
    pool.submit(() => assert.fail("ran")),
    /dropped from /,
  )
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
})

test("[RJ7][RJ10] DiscardOldestPolicy drops the longest waiting task, cancels its future and takes the new one", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(2),
    handler: DiscardOldestPolicy,
  })
  const gate = pools.gate()
  pool.execute(gate.body)
  const futures = [1, 2, 3, 4].map((value) => pool.submit(() => value))
  const [first, second, third, fourth] = futures
  assert.deepEqual(pool.queue.toArray(), [third, fourth])
  for (const dropped of [first, second]) {
    await assertDropped(dropped as Future<number>, /dropped from .*a newer task took its place$/)
  }
  gate.open()
  assert.deepEqual([await third, await fourth], [3, 4])
  await eventually(() => pool.completedTaskCount === 3)
})

test("[RJ7] a command that is dropped never runs", async () => {
  await using pools = new Pools()
  const { pool, gate } = saturated(pools, DiscardOldestPolicy)
  let ran = 0
  pool.execute(() => assert.fail("a dropped command ran"))
  pool.execute(() => ran++)
  gate.open()
  await eventually(() => pool.completedTaskCount === 2)
  assert.deepEqual([ran, gate.entries], [1, 1])
})

test("[RJ8][RJ10] after shutdown DiscardOldestPolicy drops the new task", async () => {
  await using pools = new Pools()
  const { pool, gate } = saturated(pools, DiscardOldestPolicy)
  pool.shutdown()
  pool.execute(() => assert.fail("ran"))
  await assertDropped(
    pool.submit(() => assert.fail("ran")),
    /the executor is shut down$/,
  )
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(gate.passed, 2)
})

test("[RJ9] with nothing to discard DiscardOldestPolicy gives up, and the pool is as before", async () => {
  await using pools = new Pools()
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    handler: DiscardOldestPolicy,
  })
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const before = String(pool)
  const error = thrownBy(() => pool.execute(() => assert.fail("ran")))
  assert.ok(error instanceof RangeError)
  assert.equal(error.message, "Maximum call stack size exceeded")
  assert.ok(thrownBy(() => pool.submit(() => assert.fail("ran"))) instanceof RangeError)
  assert.equal(String(pool), before)
  gate.open()
  await eventually(() => pool.activeCount === 0)
  await turns()
  assert.equal(await pool.submit(() => "as before"), "as before")
})

test("[RJ9] DiscardOldestPolicy tries without filling the stack", async () => {
  await using pools = new Pools()
  const pool = pools.adopt(
    new Diver({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new SynchronousQueue(),
      threadFactory: pools.factory,
      handler: DiscardOldestPolicy,
    }),
  )
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RangeError)
  assert.equal(pool.deepest, 2)
  pool.handler = (task, executor) => DiscardOldestPolicy(task, executor)
  assert.ok(thrownBy(() => pool.submit(() => assert.fail("ran"))) instanceof RangeError)
  assert.equal(pool.deepest, 2)
})

test("[RJ9] nor if execute() makes another task of each", async () => {
  await using pools = new Pools()
  class Wrapping extends Diver {
    override execute<A extends unknown[]>(command: ((...args: A) => unknown) | Runnable, ...args: A): void {
      super.execute({ run: () => (typeof command === "function" ? command(...args) : command.run()) })
    }
  }
  const pool = pools.adopt(
    new Wrapping({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new SynchronousQueue(),
      threadFactory: pools.factory,
      handler: DiscardOldestPolicy,
    }),
  )
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RangeError)
  assert.ok(pool.deepest <= 100, `${pool.deepest} calls inside each other`)
})

test("[RJ7][RJ9] a place that is taken meanwhile is no reason to give up", async () => {
  await using pools = new Pools()
  const dropped: unknown[] = []
  let rivals = 5
  class Contended extends ArrayBlockingQueue<Runnable> {
    override poll(): Runnable | undefined
    override poll(timeout: number): Promise<Runnable | undefined>
    override poll(timeout?: number): Runnable | undefined | Promise<Runnable | undefined> {
      if (timeout !== undefined) return super.poll(timeout)
      const oldest = super.poll()
      dropped.push(oldest)
      if (rivals-- > 0) this.add(() => assert.fail("a dropped command ran"))
      return oldest
    }
  }
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new Contended(1),
    handler: DiscardOldestPolicy,
  })
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.execute(() => assert.fail("a dropped command ran"))
  const future = pool.submit(() => "taken")
  assert.equal(dropped.length, 6)
  gate.open()
  assert.equal(await future, "taken")
})

test("[RJ13] policies called directly touch neither counters nor queue", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.execute(gate.body)
  const before = String(pool)
  let runs = 0
  const task = (): number => runs++
  assert.ok(thrownBy(() => AbortPolicy(task, pool)) instanceof RejectedExecutionError)
  DiscardPolicy(task, pool)
  assert.equal(runs, 0)
  CallerRunsPolicy(task, pool)
  assert.equal(runs, 1)
  assert.equal(String(pool), before)
})

test("[RJ14] a policy may be written as a class, as in Java", async () => {
  await using pools = new Pools()
  for (const Policy of [AbortPolicy, CallerRunsPolicy, DiscardPolicy, DiscardOldestPolicy]) {
    assert.equal(new Policy(), Policy)
    assert.equal(saturated(pools, new Policy()).pool.handler, Policy)
  }
  assert.deepEqual(
    [AbortPolicy.name, CallerRunsPolicy.name, DiscardPolicy.name, DiscardOldestPolicy.name],
    ["AbortPolicy", "CallerRunsPolicy", "DiscardPolicy", "DiscardOldestPolicy"],
  )
})
