import { OwnMap, OwnSet } from "../../primordials.ts"
import { CANCELLED } from "../../future/task-state.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { TaskRecords } from "../memory/task-records.ts"

/**
 * All tasks that a worker has, kept so that the owner finds them should the worker die: the current task (TASK), the
 * tasks inside of which it runs (BELOW), and asynchronous tasks under way beside it (BESIDE). A task that moves from
 * one of these places to another may be in both for a moment, but never in none.
 */
export class RunningTasks {
  readonly #tasks: TaskRecords
  readonly #self: SharedWorker
  readonly #beside = new OwnSet<number>()
  /** Of the tasks that run inside of another one or beside it. */
  readonly #flows = new OwnMap<number, Flow>()

  constructor(tasks: TaskRecords, self: SharedWorker) {
    this.#tasks = tasks
    this.#self = self
  }

  /** Makes the slot the current task, inside of `outer`, if there is one. */
  takeOnTop(slot: number, outer: number | undefined): void {
    if (outer !== undefined) {
      this.#tasks.setLink(outer, this.#self.below)
      this.#self.below = outer
    }
    this.#self.hold(slot)
  }

  /** The current task, inside of another one, is a flow of its own. */
  isFlow(slot: number, flow: Flow): void {
    this.#flows.set(slot, flow)
  }

  /** This thread has cancelled the task: if it runs inside of another one or beside it, only it is interrupted. */
  interrupt(slot: number): boolean {
    const flow = this.#flows.get(slot)
    flow?.interrupt()
    return flow !== undefined
  }

  /** The task in the slot is over, or goes on beside, and `outer` is the current task again. */
  returnTo(outer: number | undefined, slot: number): void {
    if (!this.#beside.has(slot)) this.#flows.delete(slot)
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

  /** The current task goes on by itself. */
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
   * The thread is about to end, and the tasks that go on by themselves end with it: they are cancelled, and counted as
   * any task that is over.
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
