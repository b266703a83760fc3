/** The list of workers: who admits one, who makes its thread, and the thread itself. Rules: docs/spec/platform.md. */
import { add, load, store } from "#atomics"
import { SharedWorkerTable } from "#src/platform/memory/workers/shared-worker-table.js"
import { FREE } from "#src/platform/memory/workers/worker-line.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** Notes: how often each task has begun, by its slot; who is in a place, by its number. */
const BEGUN = 0
const INSIDE = 4

const setup = (): PoolModel => poolOf({ threads: ["s", "guest", "owner", "a"], tasks: 2 })

/** Admits a worker for the task. */
const admitter =
  (thread: string, task: number) =>
  (shared: PoolModel): number => {
    const worker = member(shared, thread).workerTable.enlist(task)
    assert.ok(worker !== undefined)
    assert.equal(worker.currentSlot, task, "another has the place as well")
    worker.start()
    return worker.number
  }

/** Admits a worker, and then thinks better of it: the pool has been shut down. */
const retractor =
  (thread: string, task: number) =>
  (shared: PoolModel): void => {
    const worker = member(shared, thread).workerTable.enlist(task)
    assert.ok(worker !== undefined)
    worker.release()
    worker.vacate()
  }

/** Makes threads for who was admitted, and is them in turn: each does its first task and leaves. */
const starter =
  (thread: string, looks: number) =>
  (shared: PoolModel): void => {
    const { memory } = member(shared, thread)
    for (let i = 0; i < looks; i++) {
      for (const { number } of new SharedWorkerTable(memory, () => undefined)) {
        const worker = new SharedWorkerTable(memory, () => undefined).at(number)
        if (!worker.take()) continue
        assert.equal(add(shared.notes, INSIDE + number, 1), 0, "two are in one place")
        worker.begin()
        if (worker.task !== undefined) add(shared.notes, BEGUN + worker.task, 1)
        worker.release()
        add(shared.notes, INSIDE + number, -1)
        worker.vacate()
        worker.vacate() // a worker that has left says so again when it ends, and the place may be another's
      }
    }
  }

function assertBegun(shared: PoolModel, ...tasks: number[]): void {
  // Whatever was not seen is still requested.
  const { workerTable } = member(shared, "owner")
  for (const worker of workerTable)
    if (worker.take())
      store(shared.notes, BEGUN + worker.currentSlot, 1 + load(shared.notes, BEGUN + worker.currentSlot))
  for (const task of tasks) assert.equal(load(shared.notes, BEGUN + task), 1, `task ${task}`)
}

test("[PP13] two that admit workers get a place each, and no first task is lost", () =>
  check(200, {
    setup,
    threads: { s: admitter("s", 1), guest: admitter("guest", 2), owner: starter("owner", 2) },
    ...upTo(2),
    finally: (shared) => assertBegun(shared, 1, 2),
  }))

test("[PP13] of two that want to make its thread one does", () =>
  check(200, {
    setup,
    threads: { s: admitter("s", 1), owner: starter("owner", 1), a: starter("a", 1) },
    finally: (shared) => assertBegun(shared, 1),
  }))

test("[PP14] one that dies while it admits costs a place at most: others find theirs, and their tasks begin", () =>
  check(200, {
    setup,
    threads: { s: admitter("s", 1), guest: admitter("guest", 2), owner: starter("owner", 1) },
    kill: "guest",
    ...upTo(2),
    finally: (shared) => assertBegun(shared, 1),
  }))

test("[PP13] one that is not wanted after all is not begun", () =>
  check(100, {
    setup,
    threads: { s: admitter("s", 1), guest: retractor("guest", 2), owner: starter("owner", 2) },
    ...upTo(2),
    finally: (shared) => {
      assertBegun(shared, 1)
      assert.equal(load(shared.notes, BEGUN + 2), 0)
    },
  }))

/** Worker 1 leaves, and its thread ends. */
const leaver = (shared: PoolModel): void => {
  const { workerTable, threadContext } = member(shared, "a")
  workerTable.at(1).vacate()
  threadContext.leave()
}

/** The owner looks twice. Whether it has found the worker dead. */
const mourner = (shared: PoolModel): boolean => {
  const worker = member(shared, "owner").workerTable.at(1)
  return [1, 2].some(() => worker.hasDied)
}

const withWorker = (): PoolModel => {
  const shared = setup()
  hire(shared, "a")
  return shared
}

test("[PP20] one that leaves is not taken for dead", () =>
  check(8, {
    setup: withWorker,
    threads: { a: leaver, owner: mourner },
    finally: (_, { owner }) => assert.equal(owner, false),
  }))

test("[PP20] one that dies before it has left is", () =>
  check(8, {
    setup: withWorker,
    threads: { a: leaver, owner: mourner },
    kill: "a",
    finally: (shared, { a, owner }) => {
      const worker = member(shared, "owner").workerTable.at(1)
      if (owner === true) assert.equal(a, undefined)
      assert.ok(worker.hasDied || worker.status === FREE)
    },
  }))

/** Notes: how many tasks the worker has got, and how many it was about to get. */
const GOT = 8
const GETS = 9

test("[PL43] a worker that dies at any step has its tasks counted once each, by itself or by the owner", () =>
  check(8, {
    setup: () => {
      const shared = setup()
      hire(shared, "a")
      return shared
    },
    threads: {
      a: (shared: PoolModel): void => {
        const { workerTable } = member(shared, "a")
        const worker = workerTable.at(1)
        worker.begin()
        for (const task of [1, 2]) {
          add(shared.notes, GETS, 1)
          worker.accept(task)
          add(shared.notes, GOT, 1)
          worker.countCompleted()
          worker.release()
        }
      },
    },
    kill: "a",
    ...upTo(2),
    finally: (shared) => {
      const worker = member(shared, "owner").workerTable.at(1)
      const count = worker.completed + (worker.currentSlot === 0 || worker.hasCounted ? 0 : 1)
      assert.ok(count >= load(shared.notes, GOT), "a task is not counted")
      assert.ok(count <= load(shared.notes, GETS), "a task is counted twice")
    },
  }))
