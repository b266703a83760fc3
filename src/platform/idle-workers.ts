/**
 * Whether the tasks that are in a full queue beyond its bound, and one more, are as good as in the hands of idle workers.
 *
 * A task that is offered while a worker is idle goes into the queue for as long as it takes the worker to come for it: some
 * microseconds, in which a queue of one place would be full. On virtual threads such a task never is in the queue. So that both
 * kinds of threads decide alike, what idle workers are about to take does not count. Asked only when the queue is full.
 */
import { pause } from "#atomics"
import { CANCELLED, NORMAL } from "../future/task-state.ts"
import type { ControlWord } from "../pool/control-word.ts"
import type { SharedRoster } from "./shared-roster.ts"
import type { SharedWorker } from "./shared-worker.ts"
import type { TaskRecords } from "./task-records.ts"

/** How often to look again while a worker is just taking a task: it is done in a moment, or has died. */
const LOOKS = 1000

/** `surplus` tells how many tasks there are beyond the bound, without the one that is offered. */
export function isAwaited(
  roster: SharedRoster,
  tasks: TaskRecords,
  control: ControlWord,
  surplus: () => number,
): boolean {
  for (let looks = LOOKS; looks > 0; looks--) {
    const before = surplus()
    let busy = 0
    let isSteady = true
    for (const worker of roster) {
      if (isTaking(worker)) isSteady = false
      else if (isBusy(worker, tasks)) busy++
    }
    // A task that went from the queue into a hand in between would have been counted twice, or not at all.
    if (isSteady && surplus() === before) return before < control.workerCount - busy
    pause()
  }
  return false
}

/** Whether it is about to take a task out of the queue, or has done so, and has not got it in hand yet. */
function isTaking(worker: SharedWorker): boolean {
  return worker.claimed !== 0 && worker.handheld === 0 && worker.isAlive
}

/** Whether it has something to do. One whose task is over, as its submitter may know by now, has not. */
function isBusy(worker: SharedWorker, tasks: TaskRecords): boolean {
  const { handheld, handle } = worker
  if (handheld === 0) return worker.returning !== 0
  const state = tasks.stateOf(handheld)
  return tasks.isCurrent(handle) && (state < NORMAL || state >= CANCELLED)
}
