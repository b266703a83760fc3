import {
  type Callable,
  Executors,
  type ExecutorService,
  ExecutorCompletionService,
  type Future,
  FutureTask,
  IllegalStateError,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate, thrownBy } from "../../support/harness.ts"
import { Threads } from "../thread/threads.ts"
import { OpenTask } from "./open-task.ts"

function illegal(call: () => unknown): { message: string; cause: unknown } {
  const error = thrownBy(call)
  assert.ok(error instanceof IllegalStateError)
  return { message: error.message, cause: error.cause }
}

function assertRunning(future: Future<unknown>): void {
  assert.deepEqual([future.state, future.isDone, future.isCancelled], ["running", false, false])
  assert.equal(illegal(() => future.resultNow()).message, "Task has not completed")
  assert.equal(illegal(() => future.exceptionNow()).message, "Task has not completed")
}

function assertSuccess(future: Future<unknown>, value: unknown): void {
  assert.deepEqual([future.state, future.isDone, future.isCancelled], ["success", true, false])
  assert.equal(future.resultNow(), value)
  assert.equal(illegal(() => future.exceptionNow()).message, "Task completed with a result")
}

function assertFailed(future: Future<unknown>, error: unknown): void {
  assert.deepEqual([future.state, future.isDone, future.isCancelled], ["failed", true, false])
  assert.deepEqual(
    illegal(() => future.resultNow()),
    { message: "Task completed with exception", cause: error },
  )
  assert.equal(future.exceptionNow(), error)
}

function assertCancelled(future: Future<unknown>): void {
  assert.deepEqual([future.state, future.isDone, future.isCancelled], ["cancelled", true, true])
  assert.equal(illegal(() => future.resultNow()).message, "Task was cancelled")
  assert.equal(illegal(() => future.exceptionNow()).message, "Task was cancelled")
}

test("[FT45][FT46][FT47] a task before its start and while it runs", async () => {
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  assertRunning(task)
  const running = task.run()
  assertRunning(task)
  gate.open("value")
  await running
  assertSuccess(task, "value")
})

test("[FT45][FT46][FT47] a task that succeeded, also with nothing", () => {
  for (const value of ["value", undefined, null]) {
    const task = new FutureTask(() => value)
    void task.run()
    assertSuccess(task, value)
  }
})

test("[FT45][FT46][FT47] a task that failed, also with something that is no Error", () => {
  for (const error of [new Error("in vain"), "text", undefined]) {
    const task = new OpenTask(() => 1)
    task.setException(error)
    assertFailed(task, error)
  }
})

test("[FT45][FT46][FT47] a task that was cancelled, in either way", () => {
  for (const mayInterrupt of [false, true]) {
    const task = new FutureTask(() => 1)
    task.cancel(mayInterrupt)
    assertCancelled(task)
  }
})

test("[FT45] whoever hears of the interrupt of cancel(true) sees the task cancelled already", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const task = new FutureTask(gate.body)
  const { thread } = threads.call(() => task.run())
  await gate.entered()
  const seen: string[] = []
  thread.signal.addEventListener("abort", () => seen.push(`${task.state} ${task.isDone} ${task.isCancelled}`))
  task.cancel(true)
  assert.deepEqual(seen, ["cancelled true true"])
  gate.open()
})

/** Every kind of executor, and another way to submit. */
type Submit = <T>(callable: Callable<T>) => Future<T>
const executors: readonly [name: string, make: (threads: Threads) => [ExecutorService, Submit]][] = [
  ["a fixed pool", (threads) => plain(Executors.newFixedThreadPool(4, threads.factory))],
  ["a cached pool", (threads) => plain(Executors.newCachedThreadPool(threads.factory))],
  ["a thread per task", (threads) => plain(Executors.newThreadPerTaskExecutor(threads.factory))],
  ["a scheduled pool", (threads) => plain(Executors.newScheduledThreadPool(4, threads.factory))],
  ["an unconfigurable pool", (threads) => plain(Executors.unconfigurableExecutorService(pool(threads)))],
  ["options", (threads) => withSubmit(pool(threads), (executor) => executor.with({ timeout: 60_000, name: "a task" }))],
  ["a completion service", (threads) => completing(pool(threads))],
]

function pool(threads: Threads): ThreadPoolExecutor {
  return new ThreadPoolExecutor({ corePoolSize: 4, maximumPoolSize: 4, threadFactory: threads.factory })
}

function plain(executor: ExecutorService): [ExecutorService, Submit] {
  return withSubmit(executor, (same) => same)
}

function withSubmit(
  executor: ExecutorService,
  through: (executor: ExecutorService) => ExecutorService,
): [ExecutorService, Submit] {
  const view = through(executor)
  return [executor, (callable) => view.submit(callable)]
}

function completing(executor: ExecutorService): [ExecutorService, Submit] {
  return [executor, <T>(callable: Callable<T>) => new ExecutorCompletionService<T>(executor).submit(callable)]
}

for (const [name, make] of executors) {
  test(`[FT48] the futures of ${name}`, async () => {
    await using threads = new Threads()
    const [executor, submit] = make(threads)
    const gate = new Gate()
    const error = new Error("in vain")

    const value = submit(() => "value")
    const failed = submit(() => Promise.reject(error))
    const [cancelled, interrupted] = [submit(gate.body), submit(gate.interruptible)]
    await gate.entered(2)
    assertRunning(cancelled)
    cancelled.cancel(false)
    interrupted.cancel(true)
    await Promise.allSettled([value, failed])
    assertSuccess(value, "value")
    assertFailed(failed, error)
    assertCancelled(cancelled)
    assertCancelled(interrupted)
    gate.open()
    await executor.close()
  })
}

test("[FT49] toString() of a task that is not done names its body", () => {
  function nightly(): void {}
  assert.match(String(new FutureTask(nightly)), /^FutureTask@\d+\[Not completed, task = nightly\]$/)
  const job = { run: nightly, toString: () => "my job" }
  assert.match(String(new FutureTask(job, 1)), /\[Not completed, task = my job\]$/)
  assert.match(String(new FutureTask(() => 1)), /\[Not completed, task = anonymous function\]$/)
  const running: FutureTask<string> = new FutureTask(function itself() {
    return String(running)
  })
  void running.run()
  assert.match(running.resultNow(), /\[Not completed, task = itself\]$/)
})

test("[FT49] toString() of a task that is done tells how it ended", () => {
  const [value, failed, cancelled, interrupted] = Array.from({ length: 4 }, () => new OpenTask<unknown>(() => 1))
  assert.ok(value && failed && cancelled && interrupted)
  value.set("value")
  failed.setException(new RangeError("in vain"))
  cancelled.cancel(false)
  interrupted.cancel(true)
  assert.match(String(value), /^OpenTask@\d+\[Completed normally\]$/)
  assert.match(String(failed), /^OpenTask@\d+\[Completed exceptionally: RangeError: in vain\]$/)
  assert.match(String(cancelled), /^OpenTask@\d+\[Cancelled\]$/)
  assert.match(String(interrupted), /^OpenTask@\d+\[Cancelled\]$/)
})

test("[FT49] each object keeps its number, and no two of a class have the same", () => {
  const tasks = [new FutureTask(() => 1), new FutureTask(() => 1)] as const
  const numbers = tasks.map((task) => /^FutureTask@(\d+)/.exec(String(task))?.[1])
  assert.notEqual(numbers[0], numbers[1])
  tasks[0].cancel()
  assert.equal(/^FutureTask@(\d+)/.exec(String(tasks[0]))?.[1], numbers[0])
})

test("[FT49] toString() does not throw, whatever the task threw", () => {
  const told = new Map<unknown, string>([
    ["text", "text"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [Object.create(null), "an instance of Object"],
    [{ toString: () => assert.fail("no text") }, "an instance of Object"],
  ])
  for (const [error, text] of told) {
    const task = new OpenTask(() => 1)
    task.setException(error)
    assert.match(String(task), /\[Completed exceptionally: .*\]$/)
    assert.ok(String(task).includes(`: ${text}]`))
  }
})
