import { CANCELLED } from "../../future/task-state.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * All that a worker has in its hands, and how it is found should the worker die: the task that it runs (TASK), those in
 * the midst of which it runs it (BELOW), and those that are asynchronous and under way beside it (BESIDE). One may be
 * in two of these places for a moment, on its way from one to the other, but never in none.
 */
export class RunningTasks {
  readonly #tasks: TaskRecords
  readonly #self: SharedWorker
  readonly #beside = new Set<number>()

  constructor(tasks: TaskRecords, self: SharedWorker) {
    this.#tasks = tasks
    this.#self = self
  }

  /** Takes the slot, on top of the one in hand, if there is one. */
  takeOnTop(slot: number, outer: number | undefined): void {
    if (outer !== undefined) {
      this.#tasks.setLink(outer, this.#self.below)
      this.#self.below = outer
    }
    this.#self.hold(slot)
  }

  /** The slot is over, and what was in hand before it is in hand again. */
  returnTo(outer: number | undefined, slot: number): void {
    if (outer === undefined) {
      this.#self.rest(slot)
      return
    }
    this.#self.hold(outer)
    this.#self.below = this.#tasks.linkOf(outer)
  }

  isBeside(slot: number): boolean {
    return this.#beside.has(slot)
  }

  /** The one in hand goes on by itself. */
  putBeside(slot: number): void {
    this.#beside.add(slot)
    this.#tasks.setLink(slot, this.#self.beside)
    this.#self.beside = slot
  }

  /** Whether no task is under way by itself. */
  get isNoneBeside(): boolean {
    return this.#beside.size === 0
  }

  /**
   * The thread is about to end, and what goes on by itself ends with it: cancelled, and counted as any task that is
   * over.
   */
  cancelBeside(): void {
    for (const slot of this.#beside) {
      this.#tasks.leaveNew(slot, CANCELLED)
      this.#self.countCompleted()
      this.takeFromBeside(slot)
    }
  }

  takeFromBeside(slot: number): void {
    this.#beside.delete(slot)
    const next = this.#tasks.linkOf(slot)
    if (this.#self.beside === slot) this.#self.beside = next
    for (const other of this.#beside) if (this.#tasks.linkOf(other) === slot) this.#tasks.setLink(other, next)
  }
}
