import { InterruptedError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import { FACTS, type Facts } from "../../inspection.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { thisThread } from "./this-thread.ts"

/** The task, as its future sees it. */
interface Submitted<T> {
  /** The result, of what another thread has sent. */
  returned(value: unknown): T
  /** The future is done. */
  arrived(): void
}

/**
 * The future of a task that was not forked but submitted. It tells the task what has come of it, by whatever road: the
 * outcome of the thread that has run it, or a cancellation.
 */
export class SubmittedFuture<T> extends FutureTask<T> {
  task: Submitted<T> | undefined
  /** What was awaited before the task was submitted; the task tells it. */
  early: FutureTask<T> | undefined

  override complete(value: T): void {
    let result = value
    try {
      if (this.task !== undefined) result = this.task.returned(value)
    } catch (error) {
      this.fail(error) // a setter of the user's has thrown
      return
    }
    super.complete(result)
  }

  /**
   * The task is settled in this thread, and tells this future. False if the thread that has the task has decided on its
   * outcome already.
   */
  takeBackFrom(): boolean {
    if (!this.mayEnd(false)) return false
    this.task = undefined
    return true
  }

  /** Blocks until it is done, whatever interrupts come: they are raised again afterwards. */
  awaitUninterruptibly(): void {
    let wasInterrupted = false
    try {
      while (!this.isDone) {
        try {
          this.getSync()
        } catch (error) {
          if (this.isDone) break
          if (!(error instanceof InterruptedError)) throw error
          wasInterrupted = true
          thisThread.forks?.throwIfStopped() // the interrupt says that the task that waits was cancelled
        }
      }
    } finally {
      if (wasInterrupted) currentFlow().interrupt()
    }
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], early: undefined }
  }

  protected override done(): void {
    this.task?.arrived()
  }
}
