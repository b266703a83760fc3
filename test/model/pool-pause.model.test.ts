/** The gate of a paused pool, and whether a pool is quiescent. Rules: docs/spec/pause.md. */
import { load, store } from "#atomics"
import { currentFlow } from "#src/memory/flow/flow.js"
import { blocking } from "#src/memory/flow/waiting.js"
import { isPaused } from "#src/core/control-word.js"
import { BASE } from "#src/platform/memory/layout.js"
import { isQuiet } from "#src/platform/memory/workers/quiet.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { assertNobodyWaits, check, upTo } from "./synchronizers.ts"

const WORKERS = ["a", "b"]

function setup(): PoolModel {
  const shared = poolOf({ threads: ["s", "r", ...WORKERS], tasks: 2 })
  hire(shared, ...WORKERS)
  assert.ok(shared.memory.state.control.setPaused(true))
  return shared
}

/** A worker that waits until the pool is not paused. */
const worker =
  (thread: string) =>
  (shared: PoolModel): boolean => {
    const { memory } = member(shared, thread, WORKERS.indexOf(thread) + 1)
    return blocking(memory.state.gate.passing(currentFlow()))
  }

/** As PoolCore.resume does it. */
const resumer =
  (thread: string) =>
  (shared: PoolModel): boolean => {
    const { state } = member(shared, thread).memory
    const isFirst = state.control.setPaused(false)
    if (isFirst) state.gate.open()
    return isFirst
  }

function assertOpen({ memory }: PoolModel): void {
  assert.equal(isPaused(memory.state.control.snapshot), false)
  assertNobodyWaits(memory.words.subarray(BASE.GATE))
}

test("[PZ12] resume lets all workers go on, however far they have come", () =>
  check(50, {
    setup,
    ...upTo(3),
    threads: { s: resumer("s"), a: worker("a"), b: worker("b") },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [true, true])
      assertOpen(shared)
    },
  }))

test("[PZ12] one of two threads resumes the pool, and dies at any step", () =>
  check(100, {
    setup,
    ...upTo(2),
    kill: ["s"],
    threads: { s: resumer("s"), r: resumer("r"), a: worker("a") },
    finally: (_, { a }) => assert.equal(a, true),
  }))

test("[PZ12] one of two threads resumes the pool, and dies at any step: two workers", () =>
  check(100, {
    setup,
    ...upTo(1),
    kill: ["s"],
    threads: { s: resumer("s"), r: resumer("r"), a: worker("a"), b: worker("b") },
    finally: (_, { a, b }) => assert.deepEqual([a, b], [true, true]),
  }))

test("[PZ12] a worker that dies at the gate keeps no other there", () =>
  check(100, {
    setup,
    ...upTo(2),
    kill: ["a"],
    threads: { s: resumer("s"), a: worker("a"), b: worker("b") },
    finally: (_, { b }) => assert.equal(b, true),
  }))

test("[PZ12] a pool that is paused again at once keeps those that have not passed", () =>
  check(50, {
    setup,
    ...upTo(2),
    threads: {
      s: (shared) => {
        const { control, gate } = member(shared, "s").memory.state
        control.setPaused(false)
        gate.open()
        control.setPaused(true)
        control.setPaused(false)
        gate.open()
      },
      a: worker("a"),
      b: worker("b"),
    },
    finally: (shared, { a, b }) => {
      assert.deepEqual([a, b], [true, true])
      assertOpen(shared)
    },
  }))

const DONE = 0

test("[PZ13] a pool is quiescent only if each task is over, also while a worker takes one or lets it go", () =>
  check(50, {
    setup: () => {
      const shared = poolOf({ threads: ["s", "r", ...WORKERS], tasks: 2 })
      hire(shared, ...WORKERS)
      assert.ok(member(shared, "s").queue.offer(1))
      return shared
    },
    ...upTo(3),
    threads: {
      r: (shared) => {
        const { memory, queue, workerTable } = member(shared, "r")
        const isDoneBefore = load(shared.notes, DONE) === 1
        const answer = isQuiet(memory, queue, workerTable)
        if (answer) assert.equal(load(shared.notes, DONE), 1)
        return isDoneBefore || answer
      },
      a: (shared) => {
        const { queue, workerTable } = member(shared, "a", 1)
        const self = workerTable.at(1)
        const slot = queue.poll()
        assert.equal(slot, 1)
        self.accept(slot)
        store(shared.notes, DONE, 1)
        self.countCompleted()
        self.release()
      },
    },
    finally: (shared) => {
      const { memory, queue, workerTable } = member(shared, "s")
      assert.equal(isQuiet(memory, queue, workerTable), true)
    },
  }))
