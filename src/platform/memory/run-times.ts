/**
 * Notes when tasks begin and end, in the thread that runs them: for time limits, and for the statistics of the pool.
 */
import { sharedNow } from "../../time/shared-clock.ts"
import { MEASURED } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"
import type { TaskRecords } from "./task-records.ts"

/** The task begins. The time that it has waited counts only if it was to run at once. */
export function noteStart(slot: number, tasks: TaskRecords, memory: PoolMemory, wasToRunAtOnce: boolean): void {
  const time = sharedNow()
  tasks.noteStart(slot, time)
  if (wasToRunAtOnce && tasks.hasFlag(slot, MEASURED)) memory.times.wait.record(time - tasks.submissionOf(slot))
}

/** The task has ended. Counts only if it is MEASURED. */
export function noteEnd(slot: number, tasks: TaskRecords, memory: PoolMemory): void {
  if (!tasks.hasFlag(slot, MEASURED)) return
  const start = tasks.startOf(slot)
  if (start !== 0) memory.times.run.record(sharedNow() - start)
}
