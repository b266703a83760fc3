/**
 * Workers that sleep in `join` in a circle, each for a task that the next one has on its stack: nobody of them is ever
 * going to go on.
 *
 * Tasks that join only what they have forked cannot bring that about (README.md, "Why joins cannot exhaust the pool").
 * One that joins a task it found in a variable can: it may be part of that very task, and run by a thread that helps.
 *
 * How it works. A worker that goes to sleep says for which task (JOINS), and the record of that says who has begun it,
 * so each has one next, unless the task is over, and who sleeps has yet to hear of it. Whoever goes to sleep last finds
 * itself at the end of the way. But the way is walked step by step, while those it leads through may wake and go on.
 * The last of them cannot: it waits for the one that walks. So the second time the one before it cannot either, and so
 * on: a way of n steps that is the same n times is there to stay.
 */
import { NEW } from "../../future/task-state.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import { thiefOf } from "./fork-records.ts"

/** Whether this worker, which has said what it joins, waits for itself. */
export function isJoinCycle(self: number, deques: Deques, tasks: TaskRecords): boolean {
  const way = wayBack(self, deques, tasks)
  for (let walks = 1; walks < way.length; walks++) {
    const again = wayBack(self, deques, tasks)
    if (again.length !== way.length || again.some((slot, i) => slot !== way[i])) return false
  }
  return way.length > 0
}

/** The tasks by which one comes from this worker to itself; none if one does not. */
function wayBack(self: number, deques: Deques, tasks: TaskRecords): number[] {
  const way: number[] = []
  for (let worker = self; way.length < deques.count;) {
    const slot = worker > deques.count ? 0 : deques.load(worker, PLACE.JOINS)
    if (slot === 0 || tasks.stateOf(slot) !== NEW) break
    way.push(slot)
    worker = thiefOf(tasks, slot)
    if (worker === self) return way
    if (worker === 0) break
  }
  return []
}
