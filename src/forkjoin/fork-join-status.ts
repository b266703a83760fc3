import { RETRIES } from "../executor/internals.ts"
import { ENGINE } from "../pool/internals.ts"
import { AbstractExecutorService } from "../executor/service/abstract-executor-service.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { atLeast, isPaused, SHUTDOWN, STOP, TERMINATED } from "../core/control-word.ts"
import type { ForkJoinMember } from "./fork-join-member.ts"

/** The getters of a ForkJoinPool. */
export abstract class ForkJoinStatus extends AbstractExecutorService {
  /** @internal */
  protected abstract get [ENGINE](): ForkJoinMember

  /** How many threads work at the same time. */
  get parallelism(): number {
    return this[ENGINE].state.corePoolSize
  }

  /** Whether a thread takes the tasks it has forked in the order in which they were forked. */
  get asyncMode(): boolean {
    return this[ENGINE].forkJoinWorkers.deques.isAsync
  }

  /** How many threads there are: more than the parallelism if some were added while others were blocked. */
  get poolSize(): number {
    return this.isTerminated ? 0 : this[ENGINE].poolSize
  }

  /** How many threads run a task. */
  get activeThreadCount(): number {
    return this[ENGINE].activeCount
  }

  /** How many of them do not wait for stolen tasks. */
  get runningThreadCount(): number {
    return this[ENGINE].forkJoinWorkers.runningCount
  }

  /** How many tasks were begun by another thread than their forking or submitting one. */
  get stealCount(): number {
    return this[ENGINE].forkJoinWorkers.deques.steals
  }

  /** How many forked tasks wait. */
  get queuedTaskCount(): number {
    return this[ENGINE].forkJoinWorkers.store.forked
  }

  /** How many submitted tasks wait. */
  get queuedSubmissionCount(): number {
    return this[ENGINE].forkJoinWorkers.store.submitted
  }

  /** Whether any submitted task waits. */
  get hasQueuedSubmissions(): boolean {
    return this.queuedSubmissionCount > 0
  }

  /** Whether no task waits and no thread works. */
  get isQuiescent(): boolean {
    return this[ENGINE].forkJoinWorkers.isQuiescent
  }

  /** Whether the pool is paused. */
  override get isPaused(): boolean {
    return isPaused(this[ENGINE].state.control.snapshot)
  }

  get isShutdown(): boolean {
    return this[RETRIES]?.isClosing === true || !this[ENGINE].state.control.isRunning
  }

  /** Shut down at once, but tasks still run. */
  get isTerminating(): boolean {
    return atLeast(this[ENGINE].state.control.snapshot, STOP) && !this.isTerminated
  }

  get isTerminated(): boolean {
    return atLeast(this[ENGINE].state.control.snapshot, TERMINATED)
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { parallelism, poolSize, activeThreadCount, queuedTaskCount, queuedSubmissionCount, stealCount } = this
    return {
      ...super[FACTS],
      parallelism,
      poolSize,
      activeThreadCount,
      queuedTaskCount,
      queuedSubmissionCount,
      stealCount,
    }
  }

  /** State, sizes and counts, as in Java. */
  override toString(): string {
    const seen = this[ENGINE].state.control.snapshot
    const state = !atLeast(seen, SHUTDOWN)
      ? "Running"
      : atLeast(seen, TERMINATED)
        ? "Terminated"
        : atLeast(seen, STOP)
          ? "Terminating"
          : "Shutting down"
    return (
      `${identityOf(this)}[${state}, parallelism = ${this.parallelism}, size = ${this.poolSize}, ` +
      `active = ${this.activeThreadCount}, running = ${this.runningThreadCount}, steals = ${this.stealCount}, ` +
      `tasks = ${this.queuedTaskCount}, submissions = ${this.queuedSubmissionCount}]`
    )
  }
}
