/** AbstractExecutorService, as a base for one's own executors. */
import {
  AbstractExecutorService,
  type Callable,
  ExecutorCompletionService,
  Executors,
  FutureTask,
  RejectedExecutionError,
  type Runnable,
  type Thread,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { all, InlineExecutor, Lab, listeners, SerialExecutor } from "./support.ts"

/** Counts its completions. */
class Counting<T> extends FutureTask<T> {
  ended = 0
  protected override done(): void {
    this.ended++
  }
}

test("[AE1] six members make an executor: submit, invokeAll, invokeAny, map, with and close follow", async () => {
  await using lab = new Lab()
  const executor = lab.keep(new SerialExecutor(lab.factory))
  assert.ok(executor instanceof AbstractExecutorService)
  assert.equal(await executor.submit((n: number) => n + 1, 1), 2)
  const futures = await executor.invokeAll([() => 1, () => 2], 100_000)
  assert.deepEqual(
    futures.map((future) => future.resultNow()),
    [1, 2],
  )
  assert.equal(await executor.invokeAny([() => 3, () => 4]), 3)
  assert.deepEqual(await all(executor.map((n: number) => n * 2, [1, 2, 3])), [2, 4, 6])
  assert.equal(await executor.with({ timeout: 100_000 }).submit(() => 5), 5)
  await executor.close()
  assert.equal(executor.isTerminated, true)
})

test("[AE2] execute gets the very future that submit returns, and may do with it what it likes", async () => {
  const executor = new InlineExecutor()
  const future = executor.submit(() => "in the call")
  assert.equal(executor.executed[0], future)
  assert.deepEqual([future.isDone, future.isCancelled], [true, false])
  assert.equal(future.resultNow(), "in the call")
  assert.equal(await future.get(), "in the call")
  assert.equal(await future.get(0), "in the call")
})

test("[AE3] an error of execute is submit's error, and nothing is left of the task", async () => {
  const error = new Error("not today")
  class Refusing extends InlineExecutor {
    refused: Runnable | undefined
    override execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ..._args: A): void {
      this.refused = command
      throw error
    }
  }
  const executor = new Refusing()
  assert.equal(
    thrownBy(() => executor.submit(() => 1)),
    error,
  )
  assert.ok(executor.refused instanceof FutureTask)
  assert.equal(executor.refused.state, "cancelled")
  const { signal } = new AbortController()
  using clock = new FakeClock()
  const view = executor.with({ signal, queueTimeout: 1_000_000 })
  assert.equal(
    thrownBy(() => view.submit(() => 1)),
    error,
  )
  assert.equal(
    thrownBy(() => view.execute(() => 1)),
    error,
  )
  assert.equal(await rejectionOf(view.invokeAll([() => 1, () => 2])), error)
  assert.equal(await rejectionOf(view.invokeAny([() => 1])), error)
  assert.equal(await rejectionOf(all(view.map((n: number) => n, [1]))), error)
  assert.deepEqual([listeners(signal), clock.ticking], [0, 0])
})

test("[AE4] newTaskFor decides on the class of every future: submit, invokeAll, invokeAny, map, views, completion services", async () => {
  await using lab = new Lab()
  const made: Counting<unknown>[] = []
  class Own extends SerialExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      const task = new Counting(callable)
      made.push(task)
      return task
    }
  }
  const executor = lab.keep(new Own(lab.factory))
  const futures: unknown[] = [executor.submit(() => 1), executor.with({ name: "view" }).submit(() => 2)]
  futures.push(...(await executor.invokeAll([() => 3, () => 4])))
  assert.ok(futures.every((future) => future instanceof Counting))
  assert.equal(made.length, 4)
  await executor.invokeAny([() => 5])
  await all(executor.map((n: number) => n, [6]))
  const service = new ExecutorCompletionService<number>(executor.with({ name: "view" }))
  const served = service.submit(() => 7)
  assert.equal((await service.take()).future, served)
  assert.ok(served instanceof Counting)
  assert.equal(made.length, 7)
  assert.ok(made.every((task) => task.ended === 1))
})

test("[AE5] the same holds for a subclass of ThreadPoolExecutor", async () => {
  await using lab = new Lab()
  const made: unknown[] = []
  class Own extends ThreadPoolExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      const task = new Counting(callable)
      made.push(task)
      return task
    }
  }
  const pool = lab.adopt(new Own({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: lab.factory }))
  const futures = Array.from({ length: 10 }, (_, n) => pool.submit(() => n))
  for (const [n, future] of futures.entries()) assert.equal(await future, n)
  assert.deepEqual(made, futures)
})

test("[AE6] close is made of shutdown, awaitTermination and, if need be, shutdownNow", async () => {
  const calls: string[] = []
  class Traced extends InlineExecutor {
    override shutdown(): void {
      calls.push("shutdown")
      super.shutdown()
    }
    override shutdownNow(): Runnable[] {
      calls.push("shutdownNow")
      return super.shutdownNow()
    }
    override awaitTermination(): Promise<boolean> {
      calls.push("awaitTermination")
      return super.awaitTermination()
    }
  }
  const executor = new Traced()
  await executor.close()
  await executor.close()
  assert.deepEqual(calls, ["shutdown", "awaitTermination"])
  assert.throws(() => executor.submit(() => 1), RejectedExecutionError)
})

test("[AE7] what an aborted or late task of one's own executor leaves in its line never runs", async () => {
  await using lab = new Lab()
  const executor = lab.keep(new SerialExecutor(lab.factory))
  const gate = lab.gate()
  executor.submit(gate.body)
  await gate.entered()
  const controller = new AbortController()
  let runs = 0
  const aborted = executor.with({ signal: controller.signal }).submit(() => ++runs)
  const late = executor.with({ queueTimeout: 1 }).submit(() => ++runs)
  controller.abort()
  assert.equal(aborted.state, "cancelled")
  await eventually(() => late.state === "failed")
  gate.open()
  assert.equal(await executor.submit(() => "after"), "after")
  assert.equal(runs, 0)
})

test("[AE1] its threads are whatever execute makes of them", async () => {
  await using lab = new Lab()
  const executor = lab.keep(new SerialExecutor(lab.factory))
  const threads: Thread[] = await all(executor.map(() => lab.threads.at(-1) as Thread, [1, 2, 3]))
  assert.equal(new Set(threads).size, 3)
})

test("[PZ22] an executor that cannot be paused says so", async () => {
  await using lab = new Lab()
  const executor = lab.keep(new SerialExecutor(lab.factory))
  for (const it of [executor, executor.with({}), Executors.unconfigurableExecutorService(executor)]) {
    assert.equal((thrownBy(() => it.pause()) as Error).name, "UnsupportedOperationError")
    assert.equal(((await rejectionOf(it.awaitQuiescence())) as Error).name, "UnsupportedOperationError")
    it.resume()
    assert.equal(it.isPaused, false)
  }
})
