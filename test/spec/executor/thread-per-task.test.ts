/** Thread-per-task executors. */
import {
  AbstractExecutorService,
  type Callable,
  Executors,
  InterruptedError,
  platformThreads,
  RejectedExecutionError,
  Thread,
  type ThreadFactory,
  TimeoutError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Lab, wrong } from "./support.ts"

test("[PT1] every task has a thread of its own, made by the factory", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  assert.ok(executor instanceof AbstractExecutorService)
  const threads = new Set<Thread>()
  for (let i = 0; i < 20; i++) threads.add(await executor.submit(() => Thread.currentThread()))
  const gate = lab.gate()
  for (let i = 0; i < 20; i++) executor.execute(gate.body)
  await gate.entered(20)
  for (const thread of gate.threads) threads.add(thread)
  assert.equal(threads.size, 40)
  assert.deepEqual([...threads], lab.threads)
})

test("[PT2] newVirtualThreadPerTaskExecutor: the threads are virtual and have no name", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newVirtualThreadPerTaskExecutor())
  const thread = await executor.submit(() => Thread.currentThread())
  assert.deepEqual([thread.isVirtual, thread.name], [true, ""])
})

test("[PT3] there is no limit, and nothing waits", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newVirtualThreadPerTaskExecutor())
  const gate = lab.gate()
  const futures = Array.from({ length: 10_000 }, () => executor.submit(gate.body))
  await gate.entered(10_000)
  assert.equal(executor.threadCount, 10_000)
  gate.open("done")
  for (const future of futures) assert.equal(await future, "done")
  await eventually(() => executor.threadCount === 0)
})

test("[PT4] a thread ends with its task", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const gate = lab.gate()
  executor.submit(gate.body)
  await gate.entered()
  const [thread] = lab.threads
  assert.deepEqual([thread?.isAlive, executor.threadCount], [true, 1])
  gate.open()
  assert.equal(await thread?.join(), true)
  assert.deepEqual([thread?.isAlive, executor.threadCount], [false, 0])
})

test("[PT5] a factory that refuses is a refusal of the task, and the executor can still end", async () => {
  await using lab = new Lab()
  for (const nothing of [null, undefined]) {
    const executor = lab.keep(Executors.newThreadPerTaskExecutor({ isVirtual: true, newThread: () => nothing }))
    assert.throws(() => executor.execute(() => 1), RejectedExecutionError)
    assert.throws(() => executor.submit(() => 1), RejectedExecutionError)
    assert.ok((await rejectionOf(executor.invokeAll([() => 1]))) instanceof RejectedExecutionError)
    assert.ok((await rejectionOf(executor.invokeAny([() => 1]))) instanceof RejectedExecutionError)
    await executor.close()
    assert.equal(executor.isTerminated, true)
  }
})

test("[PT6] a factory's own error comes out as it is; what is no thread is a TypeError", async () => {
  await using lab = new Lab()
  const error = new Error("no threads today")
  const throwing: ThreadFactory = {
    isVirtual: true,
    newThread: () => {
      throw error
    },
  }
  const one = lab.keep(Executors.newThreadPerTaskExecutor(throwing))
  assert.throws(() => one.submit(() => 1), error)
  const two = lab.keep(Executors.newThreadPerTaskExecutor({ isVirtual: true, newThread: () => wrong({}) }))
  assert.throws(() => two.submit(() => 1), TypeError)
  for (const executor of [one, two]) {
    await executor.close()
    assert.equal(executor.isTerminated, true)
  }
})

test("[PT7] if the factory itself shuts the executor down, the task is refused and no thread starts", async () => {
  await using lab = new Lab()
  let runs = 0
  const factory: ThreadFactory = {
    isVirtual: true,
    newThread: (target) => {
      executor.shutdown()
      return lab.factory.newThread(target)
    },
  }
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(factory))
  assert.throws(() => executor.submit(() => ++runs), RejectedExecutionError)
  assert.equal(executor.isTerminated, true)
  await turns()
  assert.deepEqual([runs, lab.threads[0]?.isAlive], [0, false])
})

test("[PT8] shutdownNow interrupts every thread and returns nothing; an interrupted task has failed, not been cancelled", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const gate = lab.gate()
  const futures = [1, 2, 3].map(() => executor.submit(gate.interruptible))
  await gate.entered(3)
  assert.deepEqual(executor.shutdownNow(), [])
  for (const future of futures) {
    assert.ok((await rejectionOf(future)) instanceof InterruptedError)
    assert.equal(future.state, "failed")
  }
  assert.equal(await executor.awaitTermination(), true)
})

test("[PT9] it has ended when it is shut down and its last thread has", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const [first, second] = [lab.gate(), lab.gate()]
  executor.submit(first.body)
  executor.submit(second.body)
  await second.entered()
  executor.shutdown()
  first.open()
  await eventually(() => executor.threadCount === 1)
  assert.equal(executor.isTerminated, false)
  second.open()
  assert.equal(await executor.awaitTermination(), true)
  assert.equal(executor.threadCount, 0)
})

test("[PT10] an executed command's error is told to the factory's handler, by default printed", async (t) => {
  await using lab = new Lab()
  const error = new Error("own")
  const failing = (): never => {
    throw error
  }
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  executor.execute(failing)
  await eventually(() => executor.threadCount === 0)
  await eventually(() => lab.threads[0]?.isAlive === false)
  assert.deepEqual(lab.takeUncaughtWithThreads(), [{ thread: lab.threads[0], error }])
  const print = t.mock.method(console, "error", () => undefined)
  lab.keep(Executors.newVirtualThreadPerTaskExecutor()).execute(failing)
  await eventually(() => print.mock.callCount() === 1)
  assert.deepEqual(print.mock.calls[0]?.arguments, ['Exception in thread ""', error])
})

test("[PT11] invokeAny starts all tasks at once and tells the first failure", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const [quick, slow] = [new Error("quick"), new Error("slow")]
  let started = 0
  const tasks = [
    async (): Promise<never> => {
      started++
      await turns()
      throw slow
    },
    (): Promise<never> => {
      started++
      return Promise.reject(quick)
    },
  ]
  assert.equal(await rejectionOf(executor.invokeAny(tasks)), quick)
  assert.equal(started, 2)
})

test("[PT11] invokeAny looks at all its arguments before it starts anything", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const gate = lab.gate()
  const reason = new Error("before")
  const tasks = wrong<Callable<unknown>[]>([gate.body, null])
  assert.ok((await rejectionOf(executor.invokeAny(tasks))) instanceof TypeError)
  assert.ok((await rejectionOf(executor.invokeAny(wrong<Callable<unknown>[]>(null)))) instanceof TypeError)
  assert.ok((await rejectionOf(executor.invokeAny([gate.body], NaN))) instanceof RangeError)
  assert.equal(await rejectionOf(executor.invokeAny([gate.body], { signal: AbortSignal.abort(reason) })), reason)
  assert.equal(lab.threads.length, 0)
})

test("[PT12] invokeAny whose time is up is a TimeoutError, also if some have failed by then", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(lab.factory))
  const gate = lab.gate()
  const failing = (): Promise<never> => Promise.reject(new Error("own"))
  const pending = executor.invokeAny<unknown>([failing, gate.interruptible, failing], 2)
  assert.ok((await rejectionOf(pending)) instanceof TimeoutError)
  await eventually(() => gate.inside === 0)
})

test("[PT13] a task that cancels before its thread begins never runs, and its thread ends at once", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newThreadPerTaskExecutor(virtualThreads()))
  let runs = 0
  const future = executor.submit(() => ++runs)
  future.cancel()
  executor.shutdown()
  assert.equal(await executor.awaitTermination(), true)
  assert.equal(runs, 0)
})

test("[PT1] on platform threads, too: each task has a thread of its own, which then ends", async () => {
  await using executor = Executors.newThreadPerTaskExecutor(platformThreads({ name: "one" }))
  const name = (): Promise<string> =>
    executor
      .submit(async () => {
        const corepool = await import("corepool")
        return corepool.Thread.currentThread().name
      })
      .get()
  assert.deepEqual(await Promise.all([name(), name()]), ["one-1", "one-2"])
  await eventually(() => executor.threadCount === 0)
  assert.equal(await name(), "one-3")
})
