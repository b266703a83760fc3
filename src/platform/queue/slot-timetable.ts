/** The timetable of a pool of platform threads. Its tasks are slots, the same for every member and every worker. */
import { NEW, CANCELLED } from "../../future/task-state.ts"
import { type TimedPool, Timetable } from "../../core/timetable.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { PoolMemory } from "../memory/pool-memory.ts"
import type { SlotQueue } from "./slot-queue.ts"
import type { TaskRecords } from "../memory/task-records.ts"

export function slotTimetable(
  memory: PoolMemory,
  tasks: TaskRecords,
  completionQueues: CompletionQueues,
  queue: SlotQueue,
  pool: TimedPool,
): Timetable<number> {
  return new Timetable(
    memory.state,
    memory.times,
    {
      now: sharedNow,
      timeOf: (slot) => tasks.rankOf(slot),
      setTime: (slot, time) => tasks.setRank(slot, time),
      periodOf: (slot) => tasks.periodOf(slot),
      isCancelled: (slot) => tasks.stateOf(slot) !== NEW,
      cancel(slot) {
        tasks.leaveNew(slot, CANCELLED)
        completionQueues.put(slot) // its submitter settles the future
      },
    },
    {
      add: (slot) => void queue.offer(slot),
      remove: (slot) => queue.remove(slot),
      toArray: () => queue.toArray(),
    },
    pool,
  )
}
