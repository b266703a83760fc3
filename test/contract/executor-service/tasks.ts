/** Contract of every ExecutorService: tasks, their futures and their errors. */
import { CancellationError, InterruptedError, Thread, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Lab, wrong } from "../../spec/executor/support.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

export function testTasks(subject: ExecutorUnderTest): void {
  const { name, open } = subject

  test(`[ES1] ${name}: a submitted task gets its arguments, and its future the very value it returned`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const value = {}
    assert.equal(await executor.submit((a: number, b: string) => b + a, 1, "x"), "x1")
    assert.equal(await executor.submit(() => value), value)
    assert.equal(await executor.submit((): unknown => undefined).get(), undefined)
    assert.equal(await executor.submit(() => null).get(), null)
    const future = executor.submit(() => 7)
    await future.get()
    assert.deepEqual([future.isDone, future.isCancelled, future.state, future.resultNow()], [true, false, "success", 7])
  })

  test(`[ES2] ${name}: a task that returns a promise is over when the promise is`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.body)
    await gate.entered()
    await turns()
    assert.equal(future.state, "running")
    gate.open("late")
    assert.equal(await future, "late")
  })

  test(`[ES3] ${name}: what a submitted task throws or rejects with is in its future, as it is`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const error = new Error("own")
    const thrown = executor.submit(() => {
      throw error
    })
    const rejected = executor.submit(async () => {
      await turns(1)
      throw error
    })
    const oddity = executor.submit(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- a task may throw anything
      throw undefined
    })
    assert.equal(await rejectionOf(thrown), error)
    assert.equal(await rejectionOf(rejected.get()), error)
    assert.equal(await rejectionOf(oddity), undefined)
    assert.deepEqual([thrown.state, rejected.state, oddity.state], ["failed", "failed", "failed"])
    assert.equal(thrown.exceptionNow(), error)
    assert.equal(await executor.submit(() => "alive"), "alive")
  })

  test(`[ES4] ${name}: a failed future that nobody looks at disturbs nobody`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const unhandled: unknown[] = []
    const listen = (reason: unknown): number => unhandled.push(reason)
    process.on("unhandledRejection", listen)
    try {
      const future = executor.submit(() => Promise.reject(new Error("unseen")))
      await eventually(() => future.isDone)
      await turns()
    } finally {
      process.off("unhandledRejection", listen)
    }
    assert.deepEqual(unhandled, [])
    assert.deepEqual(lab.takeUncaught(), [])
  })

  test(`[ES5] ${name}: execute runs a function with its arguments, or an object's run method, and gives nothing`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const seen: unknown[] = []
    const runnable = {
      run(): void {
        seen.push(this)
      },
    }
    const execute = executor.execute.bind(executor) as (command: unknown, ...args: unknown[]) => unknown
    const given = execute((a: number, b: number) => seen.push(a + b), 1, 2)
    await eventually(() => seen.length === 1)
    executor.execute(runnable)
    await eventually(() => seen.length === 2)
    assert.deepEqual(seen, [3, runnable])
    assert.equal(given, undefined)
  })

  test(
    `[ES6] ${name}: an executed command's error goes to its thread's handler, once, and the executor lives on`,
    needs(subject, "handler"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const thrown = new Error("thrown")
      const rejected = new Error("rejected")
      let thread: Thread | undefined
      executor.execute(() => {
        thread = Thread.currentThread()
        throw thrown
      })
      executor.execute(() => Promise.reject(rejected))
      assert.equal(await executor.submit(() => "alive"), "alive")
      const uncaught: { thread: Thread; error: unknown }[] = []
      await eventually(() => uncaught.push(...lab.takeUncaughtWithThreads()) >= 2)
      await turns()
      uncaught.push(...lab.takeUncaughtWithThreads())
      assert.deepEqual(new Set(uncaught.map(({ error }) => error)), new Set([thrown, rejected]))
      assert.equal(uncaught.length, 2)
      assert.equal(uncaught.find(({ error }) => error === thrown)?.thread, thread)
    },
  )

  test(`[ES7] ${name}: nothing runs inside the call of submit or execute`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    let runs = 0
    const future = executor.submit(() => ++runs)
    executor.execute(() => ++runs)
    assert.equal(runs, 0)
    await future
    await eventually(() => runs === 2)
  })

  test(`[ES8] ${name}: what is no task is a TypeError, and nothing comes of it`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    for (const value of [null, undefined, 1, "run", {}]) {
      assert.throws(() => executor.submit(wrong(value)), TypeError)
      assert.throws(() => executor.execute(wrong(value)), TypeError)
    }
    assert.throws(() => executor.submit(wrong({ run() {} })), TypeError)
    assert.equal(await executor.submit(() => "alive"), "alive")
  })

  test(`[ES9] ${name}: a task sees what was done before its submission, and who saw it done sees what it did`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const trace: string[] = []
    trace.push("before")
    const future = executor.submit(() => trace.push(`task after ${trace.join()}`))
    trace.push("submitted")
    await eventually(() => future.isDone)
    assert.deepEqual(trace, ["before", "submitted", "task after before,submitted"])
  })

  test(`[ES10] ${name}: a task can submit to the executor it runs in`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const inner = await executor.submit(() => ({ future: executor.submit(() => "inner") }))
    assert.equal(await inner.future, "inner")
  })

  test(`[ES11] ${name}: a task cancelled before its start never starts`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    let runs = 0
    const early = executor.submit(() => ++runs)
    assert.equal(early.cancel(), true)
    assert.equal(await executor.submit(() => "after"), "after")
    await turns()
    assert.equal(runs, 0)
    assert.equal(early.state, "cancelled")
  })

  test(`[ES12] ${name}: cancel(false) leaves a running task in peace, its future is cancelled at once`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    assert.equal(future.cancel(false), true)
    assert.equal(future.cancel(false), false)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await turns()
    assert.equal(gate.inside, 1)
    assert.equal(gate.threads[0]?.isInterrupted, false)
  })

  test(`[ES13] ${name}: cancel(true) interrupts a running task: its waits end and its signal aborts`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    let signal: AbortSignal | undefined
    let heard: unknown
    const future = executor.submit(async () => {
      signal = Thread.currentThread().signal
      await Thread.sleep(Infinity).catch((error: unknown) => (heard = error))
    })
    await eventually(() => signal !== undefined)
    assert.equal(future.cancel(true), true)
    assert.equal(signal?.aborted, true)
    await eventually(() => heard !== undefined)
    assert.ok(heard instanceof InterruptedError)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
  })

  test(`[ES14] ${name}: the interrupt of a cancelled task does not reach the next one`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.body) // takes no notice of the interrupt
    await gate.entered()
    future.cancel(true)
    const next = executor.submit(() => Thread.currentThread().isInterrupted)
    gate.open()
    assert.equal(await next, false)
  })

  test(`[ES15] ${name}: a get whose time is up leaves the task alone`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.interruptible)
    assert.ok((await rejectionOf(future.get(1))) instanceof TimeoutError)
    assert.ok((await rejectionOf(future.get(0))) instanceof TimeoutError)
    gate.open("value")
    assert.equal(await future.get(), "value")
    assert.equal(await future.get(0), "value")
  })

  test(`[ES16] ${name}: a thread interrupted in get hears it, the task does not`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    const caller = lab.call(() => future.get())
    await turns()
    caller.thread.interrupt()
    const outcome = await caller.outcome
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
    assert.equal(caller.thread.isInterrupted, false)
    gate.open("unharmed")
    assert.equal(await future, "unharmed")
  })

  test(`[ES17] ${name}: a cancelled task's get is a CancellationError, with or without limit, queued or running`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const running = executor.submit(gate.body)
    await gate.entered()
    const waiting = executor.submit(() => "never")
    assert.deepEqual([running.cancel(), waiting.cancel()], [true, true])
    for (const future of [running, waiting]) {
      assert.ok((await rejectionOf(future.get())) instanceof CancellationError)
      assert.ok((await rejectionOf(future.get(1000))) instanceof CancellationError)
      assert.deepEqual([future.isCancelled, future.isDone], [true, true])
      assert.throws(() => future.getSync(), CancellationError)
    }
  })

  test(`[ES18] ${name}: no more tasks run at once than there are threads, and all run in the end`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const count = Math.min(subject.threads, 20) + 5
    const futures = Array.from({ length: count }, () => executor.submit(gate.body))
    await turns()
    assert.equal(gate.inside, Math.min(subject.threads, count))
    gate.open("done")
    for (const future of futures) assert.equal(await future, "done")
  })

  test(
    `[ES19] ${name}: what waits for a thread starts in the order in which it came`,
    needs(subject, "queue"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      for (let i = 0; i < subject.threads; i++) executor.submit(gate.body)
      const started: number[] = []
      const futures = [0, 1, 2, 3, 4].map((n) => executor.submit(() => started.push(n)))
      await turns()
      assert.deepEqual(started, [])
      gate.open()
      await Promise.all(futures)
      assert.deepEqual(started, [0, 1, 2, 3, 4])
    },
  )
}
