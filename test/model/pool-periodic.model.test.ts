/** A worker that puts a periodic task back into the queue, and dies on the way. Rules: docs/spec/platform.md. */
import { isOrphan, isUndelivered } from "#src/platform/member/orphans.js"
import { Remains } from "#src/platform/owner/remains.js"
import { Series } from "#src/platform/worker/series.js"
import type { Timetable } from "#src/core/timetable.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { hire, member, type PoolModel, poolOf } from "./pool.ts"
import { check } from "./synchronizers.ts"

const setup = (): PoolModel => {
  const shared = poolOf({ threads: ["s", "a"], tasks: 1 })
  hire(shared, "a")
  member(shared, "a", 1).roster.at(1).accept(1)
  return shared
}

test("[PL43] a run of a periodic task counts once, and the task is in the queue or has failed, at whatever step the thread dies", () =>
  check(10, {
    setup,
    threads: {
      /** Looks at what `a` writes, so that each of these is a step after which it may die. */
      s: (shared) => {
        const { roster, queue } = member(shared, "s")
        const { returning, handheld, hasCounted, claimed } = roster.at(1)
        return [returning, handheld, hasCounted, claimed, queue.toArray()]
      },
      a: (shared) => {
        const { roster, tasks, boxes, queue } = member(shared, "a", 1)
        const self = roster.at(1)
        self.accept(1)
        const timetable = { goOn: (slot: number) => void queue.offer(slot) } as unknown as Timetable<number>
        new Series(tasks, boxes, self, timetable).goOn(1)
        self.countCompleted() // as the loop does after each task
        self.release()
      },
    },
    kill: "a",
    plainSteps: true,
    finally: (shared) => {
      const { roster, tasks, boxes, queue, memory } = member(shared, "s")
      const worker = roster.at(1)
      const left = new Remains(worker)
      const inHand = left.inHand(worker, tasks, () => isUndelivered(worker, tasks, boxes))
      if (worker.isAlive) assert.deepEqual([left.task, left.toRestore], [0, 0])
      worker.release()
      const isLost = left.toRestore !== 0 && isOrphan(1, memory, tasks, queue, roster)
      assert.equal(queue.size + (isLost ? 1 : 0) + inHand.size, 1)
      assert.equal(roster.completed + left.uncounted(inHand), 1)
    },
  }))
