/**
 * Finds workers that sleep in `join` in a circle, each for a task that the next one has on its stack. None of them can
 * make progress.
 *
 * Tasks that join only what they have forked cannot make a circle (README.md, "Why joins cannot exhaust the pool"). A
 * task that joins one it found in a variable can: it may be part of that very task, and run by a thread that helps.
 *
 * How it works. A worker that goes to sleep writes down the slot of the task it joins (JOINS), and the record of that
 * task names the worker that has begun it. So each sleeping worker has one successor, unless the task is over and the
 * sleeper has not noticed it yet. The worker that goes to sleep last follows this way and comes back to itself.
 *
 * The way is walked step by step, while the workers on it may wake and go on. The last of them cannot: it waits for the
 * worker that walks. So during the second walk the one before it cannot wake either, and so on: if n walks find the
 * same way of n steps, the circle is permanent.
 */
import { push } from "../../primordials.ts"
import { NEW } from "../../future/task-state.ts"
import type { TaskRecords } from "../../platform/memory/task-records.ts"
import { type Deques, PLACE } from "../../platform/queue/deques.ts"
import { thiefOf } from "./fork-records.ts"

/** Whether this worker, which has set its JOINS, waits for itself. */
export function isJoinCycle(self: number, deques: Deques, tasks: TaskRecords): boolean {
  const way = wayBack(self, deques, tasks)
  for (let walks = 1; walks < way.length; walks++) {
    const again = wayBack(self, deques, tasks)
    if (again.length !== way.length || again.some((slot, i) => slot !== way[i])) return false
  }
  return way.length > 0
}

/** The slots on the way from this worker back to itself; empty if there is no such way. */
function wayBack(self: number, deques: Deques, tasks: TaskRecords): number[] {
  const way: number[] = []
  for (let worker = self; way.length < deques.count;) {
    const slot = worker > deques.count ? 0 : deques.load(worker, PLACE.JOINS)
    if (slot === 0 || tasks.stateOf(slot) !== NEW) break
    push(way, slot)
    worker = thiefOf(tasks, slot)
    if (worker === self) return way
    if (worker === 0) break
  }
  return []
}
