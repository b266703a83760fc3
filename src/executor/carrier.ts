import { ABANDON, CAUSE_OF_CANCELLATION, RENEW } from "../future/internals.ts"
import { FutureTask } from "../future/future-task.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { guarded } from "../memory/flow/guard.ts"

/**
 * Runs a future, and calls `futureEnded` when that is over. Code that has to notice a future's end gives the executor a
 * carrier instead of the future.
 *
 * `futureEnded` is called when the carrier itself is over. So for a future that is cancelled while it waits, it is
 * called when the turn of the carrier comes, as in the JDK. But if the executor drops the carrier (shutdownNow, a
 * discarding policy), the future is cancelled and `futureEnded` is called at once, where in the JDK its owner would
 * wait for ever. The same goes for a future that a limit ends (with-options.ts).
 */
export abstract class Carrier<T> extends FutureTask<unknown> {
  readonly future: FutureTask<T>

  constructor(future: FutureTask<T>) {
    super(future, undefined)
    this.future = future
  }

  /** The future is done. */
  protected abstract futureEnded(): void

  protected override done(): void {
    // Guarded: the future may have a done() that throws, and `futureEnded` must be called all the same.
    if (!this.future.isDone) guarded(() => this.future[ABANDON](this[CAUSE_OF_CANCELLATION]))
    this.futureEnded()
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], future: this.future }
  }

  /** As the future, which has the name of the task. */
  override toString(): string {
    return this.future.toString()
  }

  /** @internal */
  override [RENEW](): FutureTask<unknown> {
    return this.future[RENEW]()
  }
}
