/** A worker that puts a periodic task back into the queue, and dies on the way. Rules: docs/spec/platform.md. */
import { isOrphan, isUndelivered } from "#src/platform/member/orphans.js"
import { DeadWorker } from "#src/platform/owner/dead-worker.js"
import { PeriodicRuns } from "#src/platform/worker/periodic-runs.js"
import type { Timetable } from "#src/core/timetable.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check } from "./synchronizers.ts"

const setup = (): PoolModel => {
  const shared = poolOf({ threads: ["s", "a"], tasks: 1 })
  hire(shared, "a")
  member(shared, "a", 1).workerTable.at(1).accept(1)
  return shared
}

test("[PL43] a run of a periodic task counts once, and the task is in the queue or has failed, at whatever step the thread dies", () =>
  check(10, {
    setup,
    threads: {
      /** Looks at what `a` writes, so that each of these is a step after which it may die. */
      s: (shared) => {
        const { workerTable, queue } = member(shared, "s")
        const { returning, currentSlot, hasCounted, claimed } = workerTable.at(1)
        return [returning, currentSlot, hasCounted, claimed, queue.toArray()]
      },
      a: (shared) => {
        const { workerTable, tasks, completionQueues, queue } = member(shared, "a", 1)
        const self = workerTable.at(1)
        self.accept(1)
        const timetable = { goOn: (slot: number) => void queue.offer(slot) } as unknown as Timetable<number>
        new PeriodicRuns(tasks, completionQueues, self, timetable).goOn(1)
        self.countCompleted() // as the loop does after each task
        self.release()
      },
    },
    kill: "a",
    plainSteps: true,
    finally: (shared) => {
      const { workerTable, tasks, completionQueues, queue, memory } = member(shared, "s")
      const worker = workerTable.at(1)
      const left = new DeadWorker(worker)
      const heldTasks = left.heldTasks(worker, tasks, () => isUndelivered(worker, tasks, completionQueues))
      if (worker.isAlive) assert.deepEqual([left.task, left.toRestore], [0, 0])
      worker.release()
      const isLost = left.toRestore !== 0 && isOrphan(1, memory, tasks, queue, workerTable)
      assert.equal(queue.size + (isLost ? 1 : 0) + heldTasks.size, 1)
      assert.equal(workerTable.completed + left.uncounted(heldTasks), 1)
    },
  }))
