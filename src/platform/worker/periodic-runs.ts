import { pause } from "#atomics"
import { CANCELLED, INTERRUPTING, NEW } from "../../future/task-state.ts"
import { repeats } from "../../core/series.ts"
import type { Timetable } from "../../core/timetable.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { runtime } from "#host/runtime/clock"

/**
 * Tasks with times, as the worker that runs them sees them: whether a task may run, and how a periodic one gets back
 * into the queue.
 */
export class PeriodicRuns {
  readonly #tasks: TaskRecords
  readonly #completionQueues: CompletionQueues
  readonly #self: SharedWorker
  readonly #timetable: Timetable<number>

  constructor(
    tasks: TaskRecords,
    completionQueues: CompletionQueues,
    self: SharedWorker,
    timetable: Timetable<number>,
  ) {
    this.#tasks = tasks
    this.#completionQueues = completionQueues
    this.#self = self
    this.#timetable = timetable
  }

  /**
   * Whether the task may run now; if not, it is cancelled. The thread that keeps a series by the calendar then reads
   * the wall clock itself.
   */
  begin(slot: number): boolean {
    const notBefore = this.#tasks.notBeforeOf(slot)
    const isTime = notBefore === -Infinity || runtime.wallTime() >= notBefore
    if (isTime && this.#timetable.begin(slot)) return true
    this.#tasks.leaveNew(slot, CANCELLED)
    return false
  }

  /** Whether the current task, whose run has ended well, runs again: it is periodic, and not cancelled. */
  isToGoOn(slot: number): boolean {
    return repeats(this.#tasks.periodOf(slot)) && this.#tasks.stateOf(slot) === NEW
  }

  /**
   * Puts the task back into the queue. It ceases to be the current task before: a thread that interrupts the next run
   * must not hit this worker. A thread that interrupts this run either sees that no worker has the task any more, or
   * this worker sees the interrupt and waits for it.
   */
  goOn(slot: number): void {
    this.#self.letGo()
    if (this.#tasks.stateOf(slot) === NEW) this.#timetable.goOn(slot)
    else {
      awaitInterrupt(slot, this.#tasks, this.#completionQueues)
      this.#completionQueues.put(slot)
    }
    this.#self.hasReturned()
  }
}

/** Waits for a thread that is interrupting this task: the interrupt must not hit the next task. */
export function awaitInterrupt(slot: number, tasks: TaskRecords, completionQueues: CompletionQueues): void {
  while (tasks.stateOf(slot) === INTERRUPTING && completionQueues.willEndInterrupt(slot)) pause()
}
