/** The channels of node:diagnostics_channel, on virtual threads: docs/spec/events.md. */
import {
  DiscardPolicy,
  Executors,
  platformThreads,
  type PoolMessage,
  RejectedExecutionError,
  type ScheduleFireContext,
  SynchronousQueue,
  type TaskContext,
  type TaskRejectedMessage,
  type TaskRunContext,
  type TaskUnobservedMessage,
  ThreadPoolExecutor,
  virtualThreads,
  type WorkerMessage,
} from "corepool"
import assert from "node:assert/strict"
import { AsyncLocalStorage } from "node:async_hooks"
import { subscribe, tracingChannel, unsubscribe } from "node:diagnostics_channel"
import { test } from "node:test"
import { Recorder } from "../../support/channels.ts"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually } from "../../support/harness.ts"

const ALL = ["start", "end", "asyncStart", "asyncEnd"]

function newPool(): ThreadPoolExecutor {
  return Executors.newFixedThreadPool(1, virtualThreads())
}

test("[EV1] corepool:task has a task from its submission until it is settled, with one object", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: virtualThreads(),
    name: "letters",
  })
  using heard = Recorder.tracing<TaskContext>("task")
  await pool.submit(function answer() {
    return 42
  })
  assert.deepEqual(heard.parts(), ALL)
  const [context] = heard.messages
  assert.ok(heard.messages.every((message) => message === context))
  assert.equal(context?.name, "answer")
  assert.equal(context.pool.name, "letters")
  assert.equal(context.pool.isVirtual, true)
  assert.equal(context.outcome, "success")
  assert.ok(context.submittedAt <= (context.settledAt as number))
  assert.ok(Math.abs(Date.now() - context.submittedAt) < 60_000, "it is a time of day")

  const error = new Error("no")
  await assert.rejects(
    pool
      .submit(() => {
        throw error
      })
      .get(),
  )
  assert.deepEqual(
    heard.parts((message) => message !== context),
    ["start", "end", "error", "asyncStart", "asyncEnd"],
  )
  const failed = heard.messages.at(-1)
  assert.equal(failed?.outcome, "failed")
  assert.equal(failed.error, error)
  assert.notEqual(failed.task, context.task)
})

test("[EV1] a command is settled when it has run", async () => {
  await using pool = newPool()
  using heard = Recorder.tracing<TaskContext>("task")
  const command = (): void => undefined
  pool.execute(command)
  pool.execute(command)
  await eventually(() => heard.parts().filter((part) => part === "asyncEnd").length === 2)
  assert.equal(new Set(heard.messages).size, 2)
})

test("[EV2] corepool:task.run has the run of a task, with one object that leads to the submission", async () => {
  await using pool = newPool()
  using submitted = Recorder.tracing<TaskContext>("task")
  using heard = Recorder.tracing<TaskRunContext>("task.run")
  const future = pool.submit(async function slow() {
    await Promise.resolve()
    assert.deepEqual(heard.parts(), ["start", "end"])
  })
  assert.deepEqual(heard.parts(), [])
  await future
  await eventually(() => heard.parts().length === 4)
  assert.deepEqual(heard.parts(), ALL)
  const [context] = heard.messages
  assert.ok(heard.messages.every((message) => message === context))
  assert.equal(context?.name, "slow")
  assert.equal(context.outcome, "success")
  assert.match(context.thread.name, /thread-1$/)
  assert.equal(context.submission, submitted.messages[0])
  assert.equal(context.task, submitted.messages[0]?.task)
  assert.ok(context.startedAt <= (context.endedAt as number))
})

test("[EV3] a submission that throws has its error and no end later; a cancelled task has no error", async () => {
  await using pool = newPool()
  using heard = Recorder.tracing<TaskContext>("task")
  const waiting = pool.submit(() => new Promise<void>((resolve) => setImmediate(resolve)))
  const cancelled = pool.submit(() => undefined)
  cancelled.cancel()
  const last = heard.messages.at(-1)
  assert.equal(last?.outcome, "cancelled")
  assert.deepEqual(
    heard.parts((message) => message === last),
    ALL,
  )
  await waiting
  pool.shutdown()
  assert.throws(() => pool.submit(() => undefined), RejectedExecutionError)
  const refused = heard.messages.at(-1)
  assert.ok(refused?.error instanceof RejectedExecutionError)
  assert.deepEqual(
    heard.parts((message) => message === refused),
    ["start", "error", "end"],
  )
})

test("[EV4] a store that is bound to the submission is the store of the task", async () => {
  await using pool = newPool()
  const storage = new AsyncLocalStorage<string>()
  const { start } = tracingChannel("corepool:task") as unknown as {
    start: {
      bindStore(storage: unknown, transform: (context: TaskContext) => unknown): void
      unbindStore(s: unknown): void
    }
  }
  start.bindStore(storage, (context) => `span of ${context.name}`)
  try {
    const seen = await pool.submit(async function inside() {
      await Promise.resolve()
      return storage.getStore()
    })
    assert.equal(seen, "span of inside")
    assert.equal(storage.getStore(), undefined)
  } finally {
    start.unbindStore(storage)
  }
})

test("[EV5] a subscriber that throws changes neither the task nor the submission", async () => {
  const thrown: unknown[] = []
  const before = process.listeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  process.on("uncaughtException", (error) => thrown.push(error))
  const fail = (): never => {
    throw new Error("of a subscriber")
  }
  const names = ["task", "task.run"].flatMap((name) =>
    ["start", "end", "asyncStart", "asyncEnd"].map((part) => `tracing:corepool:${name}:${part}`),
  )
  for (const name of names) subscribe(name, fail)
  try {
    await using pool = newPool()
    assert.equal(await pool.submit(() => 1), 1)
    assert.equal(await pool.submit(() => 2), 2)
    pool.shutdown()
    assert.equal(await pool.awaitTermination(), true)
    await eventually(() => thrown.length > 0)
  } finally {
    for (const name of names) unsubscribe(name, fail)
    await new Promise(setImmediate)
    process.removeAllListeners("uncaughtException")
    for (const listener of before) process.on("uncaughtException", listener)
  }
})

test("[EV6] a subscriber may come before the pool or after it, by any of the channels, and go", async () => {
  await using pool = newPool()
  await pool.submit(() => undefined)
  for (const part of ["start", "end", "asyncStart", "asyncEnd"]) {
    using heard = new Recorder([`task:${part}`])
    await using later = newPool()
    await pool.submit(() => undefined)
    await later.submit(() => undefined)
    assert.deepEqual(heard.parts(), [part, part], part)
  }
  using heard = Recorder.tracing("task")
  heard[Symbol.dispose]()
  await pool.submit(() => undefined)
  assert.deepEqual(heard.parts(), [])
})

test("[EV7] threads and pools come and go", async () => {
  using workers = new Recorder<WorkerMessage>(["worker.started", "worker.exited"])
  using pools = new Recorder<PoolMessage>(["pool.created", "pool.terminated"])
  const uncaught: unknown[] = []
  const factory = virtualThreads({ name: "mortal", uncaughtException: (_, error) => uncaught.push(error) })
  const pool = Executors.newFixedThreadPool(1, factory)
  assert.deepEqual(pools.parts(), ["pool.created"])
  await pool.submit(() => undefined)
  pool.execute(() => {
    throw new Error("of a command")
  })
  await eventually(() => workers.parts().length === 3)
  await pool.close()
  const [{ pool: info }] = pools.messages as [PoolMessage]
  const own = workers.published.filter(({ message }) => message.pool === info)
  assert.deepEqual(
    own.map(({ name, message: { thread, died } }) => [name, thread.name, died]),
    [
      ["worker.started", "mortal-1", undefined],
      ["worker.exited", "mortal-1", true],
      ["worker.started", "mortal-2", undefined],
      ["worker.exited", "mortal-2", false],
    ],
  )
  assert.deepEqual(pools.parts(), ["pool.created", "pool.terminated"])
  assert.equal(uncaught.length, 1)
})

test("[EV8] rejected tasks are told and counted", async () => {
  using heard = new Recorder<TaskRejectedMessage>(["task.rejected"])
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 0,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    threadFactory: virtualThreads(),
    handler: DiscardPolicy,
  })
  let open = (): void => undefined
  const blocked = pool.submit(() => new Promise<void>((resolve) => (open = resolve)))
  assert.equal(pool.stats().rejected, 0)
  const dropped = pool.submit(function surplus() {})
  assert.equal(dropped.state, "cancelled")
  pool.handler = () => undefined
  pool.execute(function another() {})
  assert.deepEqual(
    heard.messages.map(({ name }) => name),
    ["surplus", "another"],
  )
  assert.equal(pool.stats().rejected, 2)
  await eventually(() => pool.activeCount === 1 && open !== undefined)
  await new Promise(setImmediate)
  open()
  await blocked
})

for (const [kind, factory] of [
  ["virtual", () => virtualThreads()],
  ["platform", () => platformThreads()],
] as const) {
  test(`[EV39] a task that is cancelled before it begins has no run on ${kind} threads`, async () => {
    await using pool = Executors.newScheduledThreadPool(1, factory())
    using heard = Recorder.tracing<TaskRunContext>("task.run")
    const cancelled = pool.schedule(function never() {}, 5)
    cancelled.cancel()
    const later = pool.schedule(function later() {}, 10)
    await later
    await eventually(() => heard.messages.some(({ name, outcome }) => name === "later" && outcome !== undefined))
    assert.deepEqual([...new Set(heard.messages.map(({ name }) => name))], ["later"])
    assert.equal(pool.queue.size, 0)
  })
}

test("[EV39] a task that is cancelled while its executor is paused has no run", async () => {
  await using pool = Executors.newVirtualThreadPerTaskExecutor()
  using heard = Recorder.tracing<TaskRunContext>("task.run")
  pool.pause()
  const never = pool.submit(function never() {})
  const later = pool.submit(function later() {})
  never.cancel()
  pool.resume()
  await later
  await eventually(() => heard.messages.some(({ name, outcome }) => name === "later" && outcome !== undefined))
  assert.deepEqual([...new Set(heard.messages.map(({ name }) => name))], ["later"])
})

test("[EV9] corepool:schedule.fire has each run of a task with a time", async () => {
  await using timers = Executors.newScheduledThreadPool(1, virtualThreads())
  using heard = Recorder.tracing<ScheduleFireContext>("schedule.fire")
  await timers.schedule(function once() {}, 0)
  await eventually(() => heard.parts().length === 4)
  let runs = 0
  const beat = timers.scheduleAtFixedRate(
    function again() {
      if (++runs === 2) beat.cancel()
    },
    0,
    1,
  )
  await eventually(() => heard.parts((message) => message.name === "again").length === 8)
  assert.deepEqual(
    heard.parts((message) => message.name === "once"),
    ALL,
  )
  assert.deepEqual(
    heard.parts((message) => message.name === "again"),
    [...ALL, ...ALL],
  )
  const contexts = new Set(heard.messages)
  assert.deepEqual(
    [...contexts].map(({ isPeriodic, outcome }) => [isPeriodic, outcome]),
    [
      [false, "success"],
      [true, "success"],
      [true, "cancelled"],
    ],
  )
})

test("[EV10] a failure that no code has looked at is told when its future is garbage", async () => {
  await using pool = newPool()
  using heard = new Recorder<TaskUnobservedMessage>(["task.unobserved"])
  const fail = (name: string): never => {
    throw new Error(name)
  }
  const kept = pool.submit(fail, "kept")
  const looks: ((name: string) => Promise<unknown>)[] = [
    async (name) => await pool.submit(fail, name).catch(() => undefined),
    async (name) => await Promise.allSettled([pool.submit(fail, name)]),
    async (name) => await pool.submit(fail, name).then(undefined, () => undefined),
    async (name) => {
      const future = pool.submit(fail, name)
      await eventually(() => future.isDone)
      future.exceptionNow()
    },
  ]
  for (const [at, look] of looks.entries()) await look(`seen ${at}`)
  void pool.submit(fail, "unseen")
  await pool.submit(() => undefined)
  await eventually(() => {
    collectGarbage()
    return heard.messages.length > 0
  })
  assert.deepEqual(
    heard.messages.map(({ error }) => (error as Error).message),
    ["unseen"],
  )
  assert.equal(kept.state, "failed")
})

test("[EV10] an error with other errors inside is told, too, with its class and fields", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: virtualThreads(),
    name: "nested",
  })
  using heard = new Recorder<TaskUnobservedMessage>(["task.unobserved"])
  class Failure extends Error {
    readonly inner = new Error("field")
  }
  const circular = (): never => {
    const error = new Error("circular")
    throw Object.assign(error, { cause: error })
  }
  const failures: (() => never)[] = [
    () => {
      throw new TypeError("cause", { cause: new Error("why") })
    },
    () => {
      throw new AggregateError([new Error("one"), new Error("two")], "several")
    },
    () => {
      throw new Failure("own class")
    },
    circular,
  ]
  for (const failure of failures) void pool.submit(failure)
  await pool.submit(() => undefined)
  // Other tests have left failures, too.
  const own = (): TaskUnobservedMessage[] => heard.messages.filter((message) => message.pool.name === "nested")
  await eventually(() => {
    collectGarbage()
    return own().length === failures.length
  })
  const errors = new Map(own().map(({ error }) => [(error as Error).message, error as Error]))
  const cause = errors.get("cause")
  assert.ok(cause instanceof TypeError && (cause.cause as Error).message === "why")
  assert.match(cause.stack ?? "", /cause[^]*channels\.test/)
  const several = errors.get("several")
  assert.ok(several instanceof AggregateError)
  assert.deepEqual(
    several.errors.map((error: Error) => error.message),
    ["one", "two"],
  )
  const ofClass = errors.get("own class")
  assert.ok(ofClass instanceof Failure && ofClass.inner.message === "field")
  assert.equal(errors.get("circular")?.cause, errors.get("circular"))
})

test("[EV11] with warnUnobserved a failure that no code has looked at is a warning", async () => {
  const warnings: Error[] = []
  const listener = (warning: Error): void => void warnings.push(warning)
  process.on("warning", listener)
  const fail = (name: string): never => {
    throw new Error(name)
  }
  const pools = [
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      threadFactory: virtualThreads(),
      warnUnobserved: true,
    }),
    Executors.newScheduledThreadPool(1, virtualThreads({ warnUnobserved: true })),
  ]
  for (const pool of pools) {
    void pool.submit(fail, "unseen")
    await assert.rejects(pool.submit(fail, "seen").get())
  }
  await eventually(() => {
    collectGarbage()
    return warnings.length === 2
  })
  process.off("warning", listener)
  for (const pool of pools) await pool.close()
  assert.ok(warnings.every((warning) => /Task fail of .*Executor@\d+ failed.*unseen/.test(warning.message)))
  assert.throws(() => virtualThreads({ warnUnobserved: 1 as never }), { name: "TypeError" })
})
