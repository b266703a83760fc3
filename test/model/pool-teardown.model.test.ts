/** Workers that leave a pool that is shut down, one of which runs its teardown first. Rules: docs/spec/worker.md. */
import { add, load } from "#atomics"
import { atLeast, SHUTDOWN, TIDYING } from "#src/core/control-word.js"
import { PoolCore } from "#src/core/pool-core.js"
import { mayEnd } from "#src/platform/memory/workers/endings.js"
import type { SharedWorker } from "#src/platform/memory/workers/shared-worker.js"
import { ENDING, FREE, TEARDOWN } from "#src/platform/memory/workers/worker-line.js"
import { endTeardown, isTearingDown } from "#src/platform/memory/workers/teardowns.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check, upTo } from "./synchronizers.ts"

/** A note: how often the pool has ended. */
const ENDS = 0

/** Worker 1 has left and runs its teardown, worker 2 is idle. */
const setup = (): PoolModel => {
  const shared = poolOf({ threads: ["s", "owner", "a", "b"], tasks: 1 })
  hire(shared, "a", "b")
  const { control } = shared.memory.state
  assert.ok(control.tryAddWorker(control.snapshot))
  control.advanceTo(SHUTDOWN)
  member(shared, "owner").memory.setOwner(0)
  member(shared, "a").workerTable.at(1).vacate(TEARDOWN)
  return shared
}

interface Side {
  readonly core: PoolCore<number>
  readonly memory: PoolModel["memory"]
  readonly worker: (number: number) => SharedWorker
}

function enter(shared: PoolModel, thread: string): Side {
  const { memory, queue, workerTable } = member(shared, thread)
  const core = new PoolCore<number>(
    memory.state,
    queue,
    {
      newWorker: () => undefined,
      mayEnd: (isEmpty) => mayEnd(memory, isEmpty),
      endPool: () => {
        assert.ok(!isTearingDown(memory), "the pool ends before the teardown")
        add(shared.notes, ENDS, 1)
      },
    },
    workerTable,
  )
  return { core, memory, worker: (number) => workerTable.at(number) }
}

/** What a worker does that has left: see worker-main.ts. */
const tearingDown = (shared: PoolModel): void => {
  const { core, memory } = enter(shared, "a")
  core.tryTerminate()
  if (endTeardown(memory, 1, FREE)) core.tryTerminate()
}

const leaving = (shared: PoolModel): void => {
  const { core, memory, worker } = enter(shared, "b")
  memory.state.control.removeWorker()
  core.left(worker(2))
  core.workerExit(worker(2), false)
}

/** The time is up: the owner ends the thread. */
const cutting = (shared: PoolModel): void => {
  const { core, memory } = enter(shared, "owner")
  if (endTeardown(memory, 1, ENDING)) core.tryTerminate()
}

/** A thread that dies after it has found that the pool ends leaves the rest to the owner. */
const endedOnce = (shared: PoolModel): void => {
  assert.ok(atLeast(shared.memory.state.control.snapshot, TIDYING), "the pool does not end")
  assert.ok(load(shared.notes, ENDS) <= 1)
}

test("[TD1] the pool ends once, when the last worker has left and the teardown is over", () =>
  check(20, { setup, threads: { a: tearingDown, b: leaving }, finally: endedOnce }))

test("[TD4] also if the owner ends the teardown at any time", () =>
  check(50, { setup, threads: { a: tearingDown, b: leaving, owner: cutting }, ...upTo(2), finally: endedOnce }))

test("[TD6] also if the thread dies in its teardown, at any step: the owner does the rest", () =>
  check(20, {
    setup,
    threads: { a: tearingDown, b: leaving },
    kill: "a",
    onKill: (shared, thread) => {
      shared.program.reap(thread)
      const { core, memory } = enter(shared, "owner")
      endTeardown(memory, 1, FREE)
      core.tryTerminate()
    },
    finally: endedOnce,
  }))
