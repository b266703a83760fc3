/** Events of tasks that are not simply given to a pool: forks, threads of their own, times, waits. */
import {
  CountDownLatch,
  Executors,
  ForkJoinPool,
  Joiner,
  parallelForEach,
  platformThreads,
  type PoolMessage,
  ReentrantLock,
  type ScheduleFireContext,
  Semaphore,
  StructuredTaskScope,
  type TaskRunContext,
  Thread,
  virtualThreads,
} from "corepool"
import { record } from "corepool/trace"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { PoolEvent } from "#src/events/event-source.js"
import { eventSource } from "#src/events/listening.js"
import { Recorder } from "../../support/channels.ts"
import { assertTrace } from "../../support/chrome-trace.ts"
import { eventually } from "../../support/harness.ts"
import { acquire, alone, nap, parent } from "./support/forking-tasks.ts"

class Heard implements Disposable {
  readonly events: PoolEvent[] = []
  readonly #listening = eventSource.listen((events) => this.events.push(...events))

  /** Waits until there is an event of this kind, and of a task or a wait with this name. */
  async until(kind: PoolEvent["kind"], name?: string): Promise<PoolEvent> {
    await eventually(() => {
      this.#listening.drain()
      return this.find(kind, name) !== undefined
    })
    return this.find(kind, name) as PoolEvent
  }

  find(kind: PoolEvent["kind"], name?: string): PoolEvent | undefined {
    return this.events.find((event) => event.kind === kind && (name === undefined || event.name === name))
  }

  /** The kinds of events of this task, in their order. */
  kindsOf(task: number): string[] {
    return this.events.filter((event) => event.task === task).map(({ kind }) => kind)
  }

  [Symbol.dispose](): void {
    this.#listening.stop()
  }
}

// ------------------------------------------------------------------ threads for one task

test("[EV24] the events of a virtual thread that has one task", async () => {
  using heard = new Heard()
  using pools = new Recorder<PoolMessage>(["pool.created", "pool.terminated"])
  const executor = Executors.newThreadPerTaskExecutor(virtualThreads({ name: "single" }))
  await executor.submit(async function work() {
    await Thread.sleep(1)
  })
  await assert.rejects(executor.submit(() => Promise.reject(new Error("no"))).get())
  await executor.close()
  const { task, pool } = await heard.until("ended", "work")
  assert.deepEqual(heard.kindsOf(task), ["submitted", "began", "blocked", "unblocked", "settled", "ended"])
  const ofThread = heard.events.filter(({ thread }) => thread?.name === "single-1").map(({ kind }) => kind)
  assert.equal(ofThread[0], "started")
  assert.equal(ofThread.at(-1), "exited")
  assert.ok(heard.events.some(({ kind, outcome }) => kind === "ended" && outcome === "failed"))
  assert.deepEqual(
    pools.published.map(({ name, message }) => [name, message.pool]),
    [
      ["pool.created", pool],
      ["pool.terminated", pool],
    ],
  )
  assert.throws(() => executor.submit(() => 1))
})

test("[EV24] a command of a thread of its own that throws, and a listener of that executor alone", async () => {
  await using other = Executors.newVirtualThreadPerTaskExecutor()
  await using executor = Executors.newThreadPerTaskExecutor(virtualThreads({ uncaughtException: () => undefined }))
  const events: PoolEvent[] = []
  const listening = eventSource.listen((some) => events.push(...some), [executor])
  await other.submit(() => 1)
  executor.execute(function failing() {
    throw new Error("no")
  })
  await eventually(() => {
    listening.drain()
    return events.some(({ kind }) => kind === "exited")
  })
  listening.stop()
  assert.equal(new Set(events.map(({ pool }) => pool)).size, 1)
  assert.deepEqual(
    events.filter(({ outcome }) => outcome !== undefined).map(({ kind, outcome }) => [kind, outcome]),
    [
      ["ended", "failed"],
      ["settled", "failed"],
      ["exited", "failed"],
    ],
  )
})

test("[EV24] the events of a platform thread that has one task", async () => {
  using heard = new Heard()
  await using executor = Executors.newThreadPerTaskExecutor(platformThreads({ name: "own" }))
  assert.equal(
    await executor.submit(function work() {
      return 1
    }),
    1,
  )
  const ended = await heard.until("ended", "work")
  assert.equal(ended.thread?.name, "own-1")
  const kinds = heard.kindsOf(ended.task)
  for (const kind of ["submitted", "began", "ended"]) assert.ok(kinds.includes(kind))
  await heard.until("exited")
})

test("[EV25] forks of a scope have events, with the names of their functions and of the scope", async () => {
  using heard = new Heard()
  using pools = new Recorder<PoolMessage>(["pool.created"])
  {
    await using scope = StructuredTaskScope.open(Joiner.awaitAll(), { name: "request" })
    scope.fork(function findUser() {
      return 1
    })
    scope.fork(async function findOrder() {
      await Promise.reject(new Error("no"))
    })
    await scope.join()
  }
  for (const [name, outcome] of [
    ["findUser", "success"],
    ["findOrder", "failed"],
  ] as const) {
    const ended = await heard.until("ended", name)
    assert.equal(ended.outcome, outcome)
    assert.equal(ended.pool.name, "request")
    assert.deepEqual(heard.kindsOf(ended.task).sort(), ["began", "ended", "settled", "submitted"])
  }
  assert.equal(pools.messages.length, 0)
  await using executor = Executors.newFixedThreadPool(1, platformThreads())
  await using scope = StructuredTaskScope.open(Joiner.awaitAll(), { executor })
  scope.fork(nap)
  await scope.join()
  assert.equal((await heard.until("ended", "nap")).thread?.name.includes("thread-1"), true)
})

// ------------------------------------------------------------------ times

test("[EV12] a run of a task with a time says when it was due, and what it missed", async () => {
  for (const threads of [virtualThreads(), platformThreads()]) {
    using heard = Recorder.tracing<ScheduleFireContext>("schedule.fire")
    await using timers = Executors.newScheduledThreadPool(1, threads)
    const before = Date.now()
    await timers.schedule(function once() {}, 20)
    await eventually(() => heard.parts().includes("asyncEnd"))
    const [once] = heard.messages
    assert.ok(once !== undefined && once.dueAt >= before + 19 && once.startedAt >= once.dueAt - 1)
    assert.deepEqual([once.isPeriodic, once.missed], [false, 0])
    // The first run lasts until several further ones are due.
    const beat = timers.scheduleAtFixedRate(
      async function again() {
        const until = Date.now() + 30
        while (Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
      },
      0,
      5,
    )
    const late = (): ScheduleFireContext | undefined =>
      heard.messages.find(({ name, missed }) => name === "again" && missed > 0)
    await eventually(() => late() !== undefined)
    beat.cancel(true)
    const second = late() as ScheduleFireContext
    assert.ok(second.isPeriodic)
    assert.equal(second.missed, Math.floor((second.startedAt - second.dueAt) / 5))
  }
})

// ------------------------------------------------------------------ waits

test("[EV26] a wait of a task on a virtual thread for a lock, a queue, a future or a time", async () => {
  using heard = new Heard()
  await using pool = Executors.newFixedThreadPool(2, virtualThreads())
  const lock = new ReentrantLock()
  await lock.lock()
  const waiting = pool.submit(async function locks() {
    await lock.lock()
    lock.unlock()
  })
  const blocked = await heard.until("blocked", "ReentrantLock")
  assert.equal(heard.find("unblocked"), undefined)
  lock.unlock()
  await waiting
  const { task, thread, pool: info } = await heard.until("unblocked", "ReentrantLock")
  assert.deepEqual([blocked.task, blocked.thread, blocked.pool], [task, thread, info])
  assert.deepEqual(
    heard.kindsOf(task).filter((kind) => kind !== "settled"),
    ["submitted", "began", "blocked", "unblocked", "ended"],
  )
  await pool.submit(async function awaits() {
    await Thread.sleep(1)
    await pool.submit(() => Thread.sleep(1))
  })
  await heard.until("unblocked", "sleep")
  await heard.until("unblocked", "Future")
  // A wait that is given up has an end, too; and the program itself is no task.
  const cancelled = pool.submit(() => Thread.sleep(60_000))
  await eventually(() => heard.events.filter(({ kind }) => kind === "blocked").length >= 3)
  cancelled.cancel(true)
  await Thread.sleep(1)
  const count = (kind: string): number => heard.events.filter((event) => event.kind === kind).length
  await heard.until("idle")
  await eventually(() => count("blocked") === count("unblocked"))
})

test("[EV34] waits of tasks on platform threads, blocked and awaiting", async () => {
  using heard = new Heard()
  await using pool = Executors.newFixedThreadPool(1, platformThreads())
  for (const isBlocked of [true, false]) {
    heard.events.length = 0
    const permits = new Semaphore(0)
    const task = pool.submit(acquire, permits, isBlocked)
    const blocked = await heard.until("blocked", "Semaphore")
    assert.equal(heard.find("unblocked"), undefined)
    permits.release()
    await task
    const ended = await heard.until("ended", "acquire")
    const unblocked = heard.find("unblocked", "Semaphore")
    assert.ok(unblocked !== undefined)
    assert.deepEqual([blocked.task, unblocked.task], [ended.task, ended.task])
    assert.equal(unblocked.thread, ended.thread)
    assert.ok(blocked.time <= unblocked.time && unblocked.time <= ended.time)
  }
  heard.events.length = 0
  await pool.submit(nap)
  await heard.until("unblocked", "sleep")
})

// ------------------------------------------------------------------ fork/join

test("[EV35] [TE10] a task that another thread steals", async () => {
  using heard = new Heard()
  using runs = Recorder.tracing<TaskRunContext>("task.run")
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const recording = record([pool])
  const begun = new CountDownLatch(1)
  const goOn = new CountDownLatch(1)
  const result = pool.submit(parent, begun, goOn)
  const stole = await heard.until("stole", "stolen")
  await heard.until("blocked", "ForkJoinTask") // the parent joins it, and has nothing to help with
  goOn.countDown()
  assert.equal(await result, 2)
  const ended = await heard.until("ended", "stolen")
  await heard.until("ended", "parent")
  const outer = heard.find("began", "parent")
  assert.deepEqual(
    heard.kindsOf(ended.task).filter((kind) => !kind.endsWith("blocked")),
    ["stole", "began", "ended"],
  )
  assert.equal(stole.from, outer?.thread)
  assert.equal(stole.thread, ended.thread)
  assert.notEqual(stole.from, stole.thread)
  const run = runs.messages.find(({ name }) => name === "stolen")
  assert.equal(run?.parent?.name, "parent")
  assert.equal(run.submission, undefined)
  const joined = heard.find("unblocked", "ForkJoinTask")
  assert.equal(joined?.thread, outer?.thread)
  const trace = recording.stop()
  assertTrace(trace)
  const [from, to] = ["s", "f"].map((ph) =>
    trace.traceEvents.find((event) => event.ph === ph && event.name === "stolen"),
  )
  const slice = (name: string): number | undefined =>
    trace.traceEvents.find((event) => event.ph === "X" && event.name === name)?.tid
  assert.deepEqual([from?.tid, to?.tid], [slice("parent"), slice("stolen")])
  const instant = trace.traceEvents.find(({ ph, name }) => ph === "i" && name === "stole")
  assert.equal(instant?.args?.["from"], outer?.thread?.name)
})

test("[EV36] a forked task that its own thread runs is told if it takes a tenth of a millisecond", async () => {
  using heard = new Heard()
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await pool.submit(alone), 2)
  const outer = await heard.until("ended", "alone")
  const parts = heard.events.filter(({ kind, name }) => name === "part" && (kind === "began" || kind === "ended"))
  const long = parts.filter(({ task }) => task === parts.at(-1)?.task)
  assert.deepEqual(
    long.map(({ kind, thread }) => [kind, thread]),
    [
      ["began", outer.thread],
      ["ended", outer.thread],
    ],
  )
  assert.equal(heard.find("stole"), undefined)
  assert.equal(long[1]?.outcome, "success")
})

test("[EV37] a parallel loop has the name of the function that the program gives it", async () => {
  using heard = new Heard()
  await using pool = new ForkJoinPool({ parallelism: 2 })
  await parallelForEach({ from: 0, to: 8 }, nap, { pool })
  const submitted = await heard.until("submitted", "nap")
  await heard.until("settled", "nap")
  assert.equal(submitted.pool.name, (await heard.until("ended", "nap")).pool.name)
  assert.equal(
    heard.events.some(({ name }) => name === "self"),
    false,
  )
})
