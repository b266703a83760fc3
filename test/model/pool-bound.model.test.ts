/** A queue with a bound, and a worker that is idle, or just coming for a task. Rules: docs/spec/platform.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check } from "./synchronizers.ts"

function setup(): PoolModel {
  const shared = poolOf({ threads: ["s", "a"], tasks: 3, bound: 1 })
  hire(shared, "a")
  const { control } = shared.memory.state
  assert.ok(control.tryAddWorker(control.snapshot))
  return shared
}

function setupTwo(): PoolModel {
  const shared = poolOf({ threads: ["s", "a", "b"], tasks: 4, bound: 1 })
  const { control } = shared.memory.state
  hire(shared, "a", "b")
  for (let i = 0; i < 2; i++) assert.ok(control.tryAddWorker(control.snapshot))
  const { queue } = member(shared, "s")
  assert.deepEqual([queue.offer(1), queue.offer(2)], [true, true])
  return shared
}

test("[PP24] one task for each of two workers that come for the same one, one for the queue, and no more", () =>
  check(20, {
    setup: setupTwo,
    preemptions: 2,
    threads: {
      s: (shared) => {
        const { queue } = member(shared, "s")
        return [3, 4].map((slot) => queue.offer(slot))
      },
      a: (shared) => {
        const { queue, workerTable } = member(shared, "a", 1)
        const slot = queue.poll()
        if (slot !== undefined) workerTable.at(1).accept(slot)
      },
      b: (shared) => {
        const { queue, workerTable } = member(shared, "b", 2)
        const slot = queue.poll()
        if (slot !== undefined) workerTable.at(2).accept(slot)
      },
    },
    finally: (_, { s }) => assert.deepEqual(s, [true, false]),
  }))

test("[PP24] one task for the worker that is idle, one for the queue, and no more, however far the worker has come", () =>
  check(20, {
    setup,
    threads: {
      s: (shared) => {
        const { queue } = member(shared, "s")
        return [1, 2, 3].map((slot) => queue.offer(slot))
      },
      a: (shared) => {
        const { queue, workerTable } = member(shared, "a", 1)
        const slot = queue.poll()
        if (slot !== undefined) workerTable.at(1).accept(slot)
      },
    },
    finally: (_, { s }) => assert.deepEqual(s, [true, true, false]),
  }))
