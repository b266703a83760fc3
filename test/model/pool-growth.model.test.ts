/** A pool that makes threads before tasks wait, seen by two threads that submit. Rules: docs/spec/growth.md. */
import { PoolCore } from "#src/core/pool-core.js"
import { WorkerLoop } from "#src/core/worker-loop.js"
import { EAGER } from "#src/core/pool-state.js"
import { hasIdleWorkers } from "#src/platform/queue/idle-workers.js"
import type { Execution } from "#src/core/pool-host.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** One idle worker, and room for `maximum`. */
const setup = (maximum: number) => (): PoolModel => {
  const shared = poolOf({ threads: ["s", "guest", "a"], tasks: 2 })
  hire(shared, "a")
  const { state } = shared.memory
  assert.ok(state.control.tryAddWorker(state.control.snapshot))
  state.maximumPoolSize = maximum
  state.corePoolSize = 1
  state.setPolicy(EAGER, true)
  return shared
}

/** The pool as this thread has it, by the library's own algorithms; the owner, which makes the threads, is elsewhere. */
function coreOf({ memory, queue, workerTable, tasks }: Member): PoolCore<number> {
  return new PoolCore<number>(
    memory.state,
    queue,
    {
      enlist: (firstTask) => workerTable.enlist(firstTask),
      newWorker: () => undefined,
      hasIdleWorkers: () => hasIdleWorkers(queue, workerTable, tasks, memory.state.control),
      mayEnd: () => false,
      endPool: () => assert.fail("of workers only"),
    },
    workerTable,
  )
}

const submitter =
  (thread: string, task: number) =>
  (shared: PoolModel): boolean =>
    coreOf(member(shared, thread)).admit(task)

/** The worker takes one task, and keeps it. */
const taker = (shared: PoolModel): number => {
  const { queue, workerTable } = member(shared, "a", 1)
  const slot = queue.poll() ?? 0
  if (slot !== 0) workerTable.at(1).accept(slot)
  return slot
}

/** There is an idle worker for each task that waits, or there may be no more workers. */
function assertServed(shared: PoolModel, maximum: number): void {
  const { memory, queue, workerTable } = member(shared, "s")
  const { workerCount } = memory.state.control
  assert.equal(workerTable.size, workerCount)
  assert.ok(workerCount <= maximum, `${workerCount} workers`)
  const idle = workerCount - workerTable.activeCount
  assert.ok(queue.size <= idle || workerCount === maximum, `${queue.size} wait, ${idle} idle`)
}

for (const maximum of [1, 2, 3]) {
  test(`[GE13] two threads submit while a worker takes a task, with a maximum of ${maximum}`, () =>
    check(50, {
      setup: setup(maximum),
      ...upTo(2),
      threads: { s: submitter("s", 1), guest: submitter("guest", 2), a: taker },
      finally: (shared, { s, guest }) => {
        assert.deepEqual([s, guest], [true, true])
        assertServed(shared, maximum)
      },
    }))
}

test("[GE13] two threads submit while a worker is busy", () =>
  check(20, {
    setup: () => {
      const shared = setup(3)()
      const { workerTable } = member(shared, "a", 1)
      workerTable.at(1).accept(2)
      return shared
    },
    ...upTo(3),
    threads: { s: submitter("s", 1), a: (shared) => member(shared, "a", 1).workerTable.at(1).release() },
    finally: (shared) => assertServed(shared, 3),
  }))

/** The keep-alive time of the worker has passed: it leaves as the loop lets it. */
const leaver = (shared: PoolModel): boolean => {
  const opened = member(shared, "a", 1)
  const core = coreOf(opened)
  const worker = opened.workerTable.at(1)
  const { queue, memory } = opened
  const loop = new WorkerLoop<number>(memory.state, queue, queue, {} as Execution<number>, core)
  if (!loop.leaves(worker, true)) return false
  core.workerExit(worker, false)
  return true
}

/** Two workers: `a` is idle, the other one computes. */
const computing = (maximum: number) => (): PoolModel => {
  const shared = poolOf({ threads: ["s", "guest", "a", "b"], tasks: 3 })
  hire(shared, "a", "b")
  const { state } = shared.memory
  for (let i = 0; i < 2; i++) assert.ok(state.control.tryAddWorker(state.control.snapshot))
  state.maximumPoolSize = maximum
  state.corePoolSize = 1
  state.setPolicy(EAGER, true)
  member(shared, "b", 2).workerTable.at(2).accept(3)
  return shared
}

for (const maximum of [2, 3]) {
  test(`[GE14] a thread submits while an idle worker leaves, with a maximum of ${maximum}`, () =>
    check(20, {
      setup: computing(maximum),
      ...upTo(3),
      threads: { s: submitter("s", 1), a: leaver },
      finally: (shared) => assertServed(shared, maximum),
    }))
}
