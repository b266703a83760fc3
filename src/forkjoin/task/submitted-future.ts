import { ARRIVED, RECEIVED } from "./internals.ts"
import { COMPLETE, FAIL, MAY_END } from "../../future/internals.ts"
import { InterruptedError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import { FACTS, type Facts } from "../../inspection.ts"
import { currentFlow } from "../../memory/flow/flow.ts"
import { thisThread } from "./this-thread.ts"

/** The task, as its future sees it. */
interface Submitted {
  /** The result, of the value that another thread has sent. */
  [RECEIVED](value: unknown): unknown
  /** The future is done. */
  [ARRIVED](): void
}

/**
 * The future of a task that was submitted, not forked. It passes every outcome on to the task: that of the thread that
 * ran it, or a cancellation.
 */
export class SubmittedFuture<T> extends FutureTask<T> {
  task: Submitted | undefined
  /** The future that was used before the task was submitted; the task completes it. */
  early: FutureTask<T> | undefined;

  /** @internal */
  override [COMPLETE](value: T): void {
    let result = value
    try {
      if (this.task !== undefined) result = this.task[RECEIVED](value) as T
    } catch (error) {
      this[FAIL](error) // a setter of the user has thrown
      return
    }
    super[COMPLETE](result)
  }

  /**
   * Detaches the task, which is then settled in this thread and completes this future itself. False if the thread that
   * has the task has decided its outcome already.
   */
  takeBackFrom(): boolean {
    if (!this[MAY_END](false)) return false
    this.task = undefined
    return true
  }

  /** Blocks until it is done. Interrupts do not end the wait; they are raised again afterwards. */
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
          thisThread.forks?.throwIfStopped() // the interrupt may mean that the waiting task was cancelled
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
    this.task?.[ARRIVED]()
  }
}
