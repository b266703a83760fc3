/** How many workers a pool counts when threads die that admit workers, or leave. Rules: docs/spec/platform.md. */
import { PoolCore } from "#src/core/pool-core.js"
import { isPaused } from "#src/core/control-word.js"
import { Endings } from "#src/platform/memory/workers/endings.js"
import { UNCOUNTING } from "#src/platform/memory/workers/worker-line.js"
import { HalfDone } from "#src/platform/owner/half-done.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type Member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** A pool with one worker, `a`, which may have `core` of them. */
const setup =
  (core: number, ...workers: string[]) =>
  (): PoolModel => {
    const shared = poolOf({ threads: ["s", "guest", "owner", ...workers], tasks: 2 })
    hire(shared, ...workers)
    const { state } = shared.memory
    for (const _ of workers) assert.ok(state.control.tryAddWorker(state.control.snapshot))
    state.maximumPoolSize = core
    state.corePoolSize = core
    return shared
  }

/** The algorithms of the library, as a thread has them that asks the owner for threads. */
function coreOf({ memory, queue, workerTable }: Member): PoolCore<number> {
  return new PoolCore<number>(
    memory.state,
    queue,
    {
      enlist: (firstTask) => workerTable.enlist(firstTask),
      newWorker: () => undefined,
      mayEnd: () => false,
      endPool: () => assert.fail("the pool is not shut down"),
    },
    workerTable,
  )
}

const admitter =
  (thread: string, task: number) =>
  (shared: PoolModel): boolean =>
    coreOf(member(shared, thread)).admit(task)

/** A task has killed the worker, which leaves by itself and sees to its replacement. */
const leaver = (shared: PoolModel): void => {
  const opened = member(shared, "a", 1)
  coreOf(opened).workerExit(opened.workerTable.at(1), true)
}

/** What the owner does when a thread has died: see PoolOwner.serve and WorkerReaper. */
function lookAfterDeath(shared: PoolModel): void {
  const owner = member(shared, "owner")
  const { memory, queue, workerTable } = owner
  const halfDone = new HalfDone({
    memory,
    workerTable,
    core: coreOf(owner),
    waiting: queue,
    workerThreads: { areSome: false, isRefused: false },
    fail: () => undefined,
    report: (error) => {
      throw error
    },
  })
  for (const worker of workerTable) {
    if (worker.token === 0 || !worker.hasDied) continue
    halfDone.reaping(() => {
      if (worker.status === UNCOUNTING) {
        worker.vacate()
        halfDone.miscounted()
      } else coreOf(owner).workerExit(worker, true)
    })
  }
  halfDone.afterDeath()
}

const owner = (shared: PoolModel): void => {
  const { threadContext } = member(shared, "owner")
  if (threadContext.registry.deaths !== 0) lookAfterDeath(shared)
}

function assertCounted(shared: PoolModel): void {
  lookAfterDeath(shared)
  const { memory, workerTable, queue } = member(shared, "owner")
  const { workerCount } = memory.state.control
  assert.equal(workerCount, workerTable.size)
  assert.ok(workerCount <= memory.state.maximumPoolSize, `${workerCount} workers`)
  assert.ok(queue.isEmpty || workerCount > 0, "a task waits, and there is no worker")
}

for (const core of [1, 2]) {
  test(`[PP29] a thread that admits a worker dies at any step: core size ${core}`, () =>
    check(20, {
      setup: setup(core),
      ...upTo(2),
      kill: "guest",
      threads: { guest: admitter("guest", 1), s: admitter("s", 2), owner },
      finally: assertCounted,
    }))

  test(`[PP29] a thread that admits a worker dies at any step, while another worker leaves: core size ${core}`, () =>
    check(20, {
      setup: setup(core, "a"),
      ...upTo(2),
      kill: "guest",
      threads: { guest: admitter("guest", 1), a: leaver, owner },
      finally: assertCounted,
    }))

  test(`[PP29] a worker that leaves dies at any step, while another thread admits one: core size ${core}`, () =>
    check(20, {
      setup: setup(core, "a"),
      ...upTo(2),
      kill: "a",
      threads: { guest: admitter("guest", 1), a: leaver, owner },
      finally: assertCounted,
    }))
}

/** A paused pool that may have two threads and has one; two tasks wait. */
function paused(): PoolModel {
  const shared = setup(2, "a")()
  const { queue, memory } = member(shared, "owner")
  assert.ok(memory.state.control.setPaused(true))
  for (const task of [1, 2]) assert.ok(queue.offer(task))
  return shared
}

/** As PoolMember.resume does it. The completion queue is that of the first thread, `s`. */
const resumer = (shared: PoolModel): void => {
  const opened = member(shared, "s")
  new Endings(opened.memory, 1).resuming(() => coreOf(opened).resume())
}

test("[PZ23] a thread resumes the pool and dies at any step: the pool has a thread for each task", () =>
  check(5, {
    setup: paused,
    ...upTo(2),
    kill: "s",
    threads: { s: resumer },
    finally: (shared) => {
      const opened = member(shared, "owner")
      const { memory, workerTable, queue } = opened
      const halfDone = new HalfDone({
        memory,
        workerTable,
        core: coreOf(opened),
        waiting: queue,
        workerThreads: { areSome: false, isRefused: false },
        fail: () => undefined,
        report: assert.ifError,
      })
      new Endings(memory, 2).inherit(({ resumes }) => {
        if (resumes) halfDone.resume()
      })
      halfDone.afterDeath()
      const { snapshot, workerCount } = memory.state.control
      assert.equal(workerCount, isPaused(snapshot) ? 1 : 2)
    },
  }))
