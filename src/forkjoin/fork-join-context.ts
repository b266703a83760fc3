import { WaitList } from "../memory/flow/waiting.ts"
import { PoolContext } from "../pool/pool-context.ts"
import type { ForkJoinShell } from "./fork-join-member.ts"

/** What a ForkJoinPool and its engine have in common: see PoolContext, which says when the engine has the pool. */
export class ForkJoinContext<Pool> extends PoolContext<Pool> implements ForkJoinShell {
  /** Where those stand who wait for the pool to be quiescent. */
  readonly quiescence: WaitList = new WaitList()

  quiescent(): void {
    this.quiescence.signalAll()
  }

  override announceTermination(): void {
    super.announceTermination()
    this.quiescence.signalAll()
  }
}
