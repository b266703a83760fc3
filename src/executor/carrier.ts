import { FutureTask } from "../future/future-task.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { guarded } from "../memory/flow/guard.ts"

/**
 * What an executor is given when somebody wants to hear that a future is over: runs the future and then tells.
 *
 * It tells when it is over itself. So a future that is cancelled while it waits is told when its turn comes, as in
 * the JDK; but one whose carrier the executor drops (shutdownNow, a discarding policy) is cancelled and told at once,
 * where the JDK would let its owner wait for ever. So is one that a limit ends (with-options.ts).
 */
export abstract class Carrier<T> extends FutureTask<unknown> {
  readonly future: FutureTask<T>

  constructor(future: FutureTask<T>) {
    super(future, undefined)
    this.future = future
  }

  /** The future is done. */
  protected abstract told(): void

  protected override done(): void {
    // The future may have a done() of its own, and whoever waits for this is to be told all the same.
    if (!this.future.isDone) guarded(() => this.future.abandon(this.causeOfCancellation))
    this.told()
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], future: this.future }
  }

  override renew(): FutureTask<unknown> {
    return this.future.renew()
  }
}
