import { OwnSet } from "../primordials.ts"
import { guarded } from "../memory/flow/guard.ts"

/** A task with retries, as its executor sees it. */
export interface Retried {
  /** The executor stops: cancels the task if it waits for its next attempt. */
  dropWaiting(): void
}

/**
 * The tasks of an executor that may need further attempts. An executor that is shut down takes no tasks, and so no
 * attempts either. Therefore its `shutdown()` is put off while there are such tasks: for its callers the executor is
 * shut down, and it refuses what they give it; but it ends only after the last of these tasks has ended. [RY10]
 */
export class Retries {
  readonly #tasks = new OwnSet<Retried>()
  /** Set while a shutdown is put off. */
  #shutDown: (() => void) | undefined
  #isSubmitting = false

  /** Whether `shutdown()` has been called, but has been put off. */
  get isClosing(): boolean {
    return this.#shutDown !== undefined
  }

  /** Whether the executor has to refuse the task that it is given now. */
  get refuses(): boolean {
    return this.#shutDown !== undefined && !this.#isSubmitting
  }

  /** Puts `shutDown` off if there are tasks; false if there are none. */
  putOff(shutDown: () => void): boolean {
    if (this.#tasks.size === 0) return false
    this.#shutDown ??= shutDown
    return true
  }

  /** The executor stops at once. */
  stop(): void {
    this.#shutDown = undefined
    for (const task of [...this.#tasks]) guarded(() => task.dropWaiting())
  }

  add(task: Retried): void {
    this.#tasks.add(task)
  }

  /** The task is over. */
  remove(task: Retried): void {
    if (!this.#tasks.delete(task) || this.#tasks.size > 0) return
    const shutDown = this.#shutDown
    // Before it is forgotten: the executor must not look as if it were running again.
    if (shutDown !== undefined) guarded(shutDown)
    this.#shutDown = undefined
  }

  /** Gives the executor an attempt, which it takes although it refuses other tasks. */
  submit(execute: () => void): void {
    const before = this.#isSubmitting
    this.#isSubmitting = true
    try {
      execute()
    } finally {
      this.#isSubmitting = before
    }
  }
}
