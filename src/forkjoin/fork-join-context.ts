import { WaitList } from "../memory/flow/waiting.ts"
import { PoolContext } from "../pool/pool-context.ts"
import type { ForkJoinShell } from "./fork-join-member.ts"

/**
 * The context of a ForkJoinPool, which its engine has too: see PoolContext, which says when the engine has the pool.
 */
export class ForkJoinContext<Pool> extends PoolContext<Pool> implements ForkJoinShell {
  /** The flows that wait for the pool to be quiescent. */
  readonly quiescence: WaitList = new WaitList()

  quiescent(): void {
    this.quiescence.signalAll()
  }

  override announceTermination(): void {
    super.announceTermination()
    this.quiescence.signalAll()
  }
}
