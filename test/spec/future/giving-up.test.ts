import { FutureTask, InterruptedError, Thread, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { test } from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { Threads } from "../thread/threads.ts"
import { OpenTask } from "./open-task.ts"

/** The ways to wait for a task, with and without a limit. */
const gets: readonly [name: string, get: (task: FutureTask<unknown>) => PromiseLike<unknown>][] = [
  ["get()", (task) => task.get()],
  ["get(ms)", (task) => task.get(60_000)],
  ["get({ signal })", (task) => task.get({ signal: new AbortController().signal })],
  ["then", (task) => task],
]

for (const [name, get] of gets) {
  test(`[FT36] ${name} is broken off by an interrupt while it waits; nobody else is affected`, async () => {
    await using threads = new Threads()
    const task = new FutureTask(() => "value")
    const flags: boolean[] = []
    const waiter = threads.call(async () => {
      try {
        await get(task)
      } finally {
        flags.push(Thread.currentThread().isInterrupted)
      }
    })
    const other = threads.call(async () => await get(task))
    await turns()
    waiter.thread.interrupt()
    assert.ok((await rejectionOf(waiter.outcome)) instanceof InterruptedError)
    assert.deepEqual(flags, [false])
    assert.equal(task.state, "running")
    await task.run()
    assert.equal(await other.outcome, "value")
  })

  test(`[FT36] ${name} fails at once if the flag is raised, and clears it`, async () => {
    await using threads = new Threads()
    const task = new FutureTask(() => "value")
    const waiter = threads.call(
      async () => [await rejectionOf(get(task)), Thread.currentThread().isInterrupted] as const,
      { interrupted: true },
    )
    const [error, flag] = await waiter.outcome
    assert.ok(error instanceof InterruptedError)
    assert.equal(flag, false)
    assert.equal(task.state, "running")
  })
}

test("[FT36] a pending interrupt comes before a limit of zero or less", async () => {
  await using threads = new Threads()
  const task = new FutureTask(() => "value")
  for (const limit of [0, -1, -Infinity]) {
    const waiter = threads.call(() => task.get(limit), { interrupted: true })
    assert.ok((await rejectionOf(waiter.outcome)) instanceof InterruptedError)
  }
})

test("[FT36] a thread that was interrupted in get() can wait again", async () => {
  await using threads = new Threads()
  const task = new FutureTask(() => "value")
  const waiter = threads.call(async () => {
    const error = await rejectionOf(task)
    return [error, await task.get()]
  })
  await turns()
  waiter.thread.interrupt()
  await turns()
  await task.run()
  const [error, value] = await waiter.outcome
  assert.ok(error instanceof InterruptedError)
  assert.equal(value, "value")
})

test("[FT37] an abort gives the wait up with its reason and leaves the task alone", async () => {
  const task = new FutureTask(() => "value")
  const controller = new AbortController()
  const waits = [task.get({ signal: controller.signal }), task.get({ signal: controller.signal, timeout: 60_000 })]
  const other = task.get()
  const reason = new Error("lost patience")
  controller.abort(reason)
  for (const wait of waits) assert.equal(await rejectionOf(wait), reason)
  assert.equal(task.state, "running")
  await task.run()
  assert.equal(await other, "value")
})

test("[FT37] a signal that has aborted already rejects at once, also before a limit of zero and an interrupt", async () => {
  await using threads = new Threads()
  const task = new FutureTask(() => "value")
  const reason = new Error("never had patience")
  const signal = AbortSignal.abort(reason)
  assert.equal(await rejectionOf(task.get({ signal })), reason)
  assert.equal(await rejectionOf(task.get({ signal, timeout: 0 })), reason)
  const interrupted = threads.call(
    async () => [await rejectionOf(task.get({ signal })), Thread.interrupted()] as const,
    { interrupted: true },
  )
  assert.deepEqual(await interrupted.outcome, [reason, true])
})

test("[FT37] a signal shared by a thousand waits carries one listener", async () => {
  const task = new FutureTask(() => "value")
  const { signal } = new AbortController()
  const waits = Array.from({ length: 1000 }, () => task.get({ signal }))
  assert.equal(getEventListeners(signal, "abort").length, 1)
  await task.run()
  assert.deepEqual(new Set(await Promise.all(waits)), new Set(["value"]))
})

test("[FT38] once done, neither interrupt nor limit nor abort counts, and the flag stays raised", async () => {
  await using threads = new Threads()
  const [succeeded, failed] = [new OpenTask<unknown>(() => 1), new OpenTask<unknown>(() => 1)]
  const error = new Error("in vain")
  succeeded.set("value")
  failed.setException(error)
  const options = [undefined, 0, -1, 1, { signal: AbortSignal.abort() }, { signal: AbortSignal.abort(), timeout: 0 }]
  const { outcome } = threads.call(
    async () => {
      const seen: unknown[] = []
      for (const option of options) seen.push(await succeeded.get(option), await rejectionOf(failed.get(option)))
      return [seen, Thread.interrupted()]
    },
    { interrupted: true },
  )
  assert.deepEqual(await outcome, [options.flatMap(() => ["value", error]), true])
})

test("[FT38] completion and interrupt in the same breath: whichever came first decides, and the other is not lost", async () => {
  await using threads = new Threads()
  const first = new OpenTask<string>(() => "value")
  const completedFirst = threads.call(async () => [await first.get(), Thread.interrupted()])
  await turns()
  first.set("value")
  completedFirst.thread.interrupt()
  assert.deepEqual(await completedFirst.outcome, ["value", true])

  const second = new OpenTask<string>(() => "value")
  const interruptedFirst = threads.call(async () => {
    const error = await rejectionOf(second.get(60_000))
    return [error, await second.get()]
  })
  await turns()
  interruptedFirst.thread.interrupt()
  second.set("value")
  const [error, value] = await interruptedFirst.outcome
  assert.ok(error instanceof InterruptedError)
  assert.equal(value, "value")
})

test("[FT33] a wait that timed out is forgotten: a completion afterwards reaches the others only", async () => {
  const task = new FutureTask(() => "value")
  const short = task.get(0.01)
  const long = task.get(60_000)
  assert.ok((await rejectionOf(short)) instanceof TimeoutError)
  await task.run()
  assert.equal(await long, "value")
})
