/** Listeners, on virtual threads: docs/spec/events.md. */
import { Executors, type ThreadPoolExecutor, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import type { PoolEvent } from "#src/events/event-source.js"
import { eventSource } from "#src/events/listening.js"
import { observing } from "#src/observing.js"
import { eventually } from "../../support/harness.ts"

function newPool(name = "worker"): ThreadPoolExecutor {
  return Executors.newFixedThreadPool(1, virtualThreads({ name }))
}

test("[EV20] a listener hears of all pools, or of those it names, until it stops", async () => {
  await using first = newPool()
  const all: PoolEvent[] = []
  const some: PoolEvent[] = []
  const listening = eventSource.listen((events) => all.push(...events))
  const named = eventSource.listen((events) => some.push(...events), [first])
  await using second = newPool()
  await first.submit(() => undefined)
  await second.submit(() => undefined)
  listening.drain()
  assert.equal(new Set(all.map(({ pool }) => pool)).size, 2)
  assert.equal(new Set(some.map(({ pool }) => pool)).size, 1)
  assert.equal(listening.dropped, 0)
  listening.stop()
  listening.stop()
  named.stop()
  const before = all.length
  await first.submit(() => undefined)
  listening.drain()
  assert.equal(all.length, before)
  assert.throws(() => eventSource.listen(() => undefined, [{}]), { name: "TypeError" })
})

test("[EV20] without a call of drain a listener is told, too", async () => {
  await using pool = newPool()
  const heard: PoolEvent[] = []
  const listening = eventSource.listen((events) => heard.push(...events))
  await pool.submit(() => undefined)
  await eventually(() => heard.some(({ kind }) => kind === "settled"))
  listening.stop()
})

test("[EV21] the events of a task on a virtual thread, and of its thread", async () => {
  const heard: PoolEvent[] = []
  const listening = eventSource.listen((events) => heard.push(...events))
  const pool = newPool("lane")
  await pool.submit(async function first() {
    await Promise.resolve()
  })
  await eventually(() => {
    listening.drain()
    return heard.some(({ kind, thread }) => kind === "idle" && thread?.name === "lane-1")
  })
  await assert.rejects(
    pool
      .submit(function second() {
        throw new Error("no")
      })
      .get(),
  )
  await pool.close()
  listening.stop()
  // Whether the thread becomes idle before the pool is closed depends on the turns of the event loop.
  const told = heard.filter(({ kind }) => kind !== "idle")
  assert.deepEqual(
    told.map(({ kind, thread, name, outcome }) => [kind, thread?.name, name, outcome]),
    [
      ["submitted", undefined, "first", undefined],
      ["started", "lane-1", "", undefined],
      ["began", "lane-1", "first", undefined],
      ["settled", undefined, "first", "success"],
      ["ended", "lane-1", "first", "success"],
      ["submitted", undefined, "second", undefined],
      ["began", "lane-1", "second", undefined],
      ["settled", undefined, "second", "failed"],
      ["ended", "lane-1", "second", "failed"],
      ["exited", "lane-1", "", "success"],
    ],
  )
  const tasks = heard.filter(({ task }) => task !== 0)
  assert.equal(new Set(tasks.map(({ task }) => task)).size, 2)
  assert.equal(new Set(heard.flatMap(({ thread }) => thread ?? [])).size, 1)
  assert.ok(heard.every(({ time }, i) => i === 0 || time >= (heard[i - 1]?.time as number)))
})

test("[EV22] a callback that throws harms neither tasks nor other callbacks", async () => {
  const uncaught: unknown[] = []
  const heard: PoolEvent[] = []
  const failing = eventSource.listen(() => {
    throw new Error("of a callback")
  })
  const listening = eventSource.listen((events) => heard.push(...events))
  const threadFactory = virtualThreads({ uncaughtException: (_, error) => uncaught.push(error) })
  await using pool = Executors.newFixedThreadPool(1, threadFactory)
  const drain = (): string => {
    listening.drain()
    return "drained"
  }
  assert.equal(await pool.submit(drain), "drained")
  assert.ok(heard.length > 0)
  assert.ok(uncaught.length > 0, "its error goes where errors of threads go")
  failing.stop()
  listening.stop()
})

test("[EV23] pools tell nothing while no code listens", async () => {
  await using pool = newPool()
  await eventually(() => observing.by === undefined)
  const listening = eventSource.listen(() => undefined)
  assert.notEqual(observing.by, undefined)
  await pool.submit(() => undefined)
  listening.stop()
  assert.equal(observing.by, undefined)
  await pool.submit(() => undefined)
})
