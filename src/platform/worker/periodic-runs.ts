import { pause } from "#atomics"
import { CANCELLED, INTERRUPTING, NEW } from "../../future/task-state.ts"
import { repeats, type Timetable } from "../../core/timetable.ts"
import type { CompletionQueues } from "../memory/completion-queues.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"
import { runtime } from "../../time/runtime.ts"

/**
 * Tasks with times, as the worker that runs them sees them: whether one may run, and how a periodic one gets back into
 * the queue.
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
   * Whether it may run now; if not, it is cancelled. Who keeps a series by the calendar then looks at the wall clock
   * himself.
   */
  begin(slot: number): boolean {
    const notBefore = this.#tasks.notBeforeOf(slot)
    const isTime = notBefore === -Infinity || runtime.wallTime() >= notBefore
    if (isTime && this.#timetable.begin(slot)) return true
    this.#tasks.leaveNew(slot, CANCELLED)
    return false
  }

  /** Whether the task in hand, whose run has ended well, is one that runs again: periodic, and not cancelled. */
  isToGoOn(slot: number): boolean {
    return repeats(this.#tasks.periodOf(slot)) && this.#tasks.stateOf(slot) === NEW
  }

  /**
   * Puts it back into the queue. It leaves the hand before: whoever interrupts the next run must not hit this worker.
   * And whoever interrupts this one either sees that it is in no hand any more, or is seen, and waited for.
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

/** Whoever is interrupting means this task. The next one must not be hit. */
export function awaitInterrupt(slot: number, tasks: TaskRecords, completionQueues: CompletionQueues): void {
  while (tasks.stateOf(slot) === INTERRUPTING && completionQueues.isOpen(tasks.completionQueueOf(slot))) pause()
}
