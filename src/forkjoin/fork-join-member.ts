/** The engines of a ForkJoinPool: those of any pool of platform threads, with workers that can fork. */
import type { Runnable } from "../future/runnable.ts"
import { PoolGuest } from "../platform/member/pool-guest.ts"
import type { PoolMember } from "../platform/member/pool-member.ts"
import { PoolOwner } from "../platform/owner/pool-owner.ts"
import { shielded } from "../platform/worker/this-worker.ts"
import { atLeast, STOP } from "../core/control-word.ts"
import type { PoolShell } from "../pool/engine/pool-engine.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { Deques } from "../platform/queue/deques.ts"
import { PRIVATE } from "./worker/fork-records.ts"
import { thisThread } from "./task/this-thread.ts"
import { ForkJoinWorkers } from "./worker/fork-join-workers.ts"

/** What the engines of owner and guest have in common. */
export interface ForkJoinMember extends PoolMember {
  readonly forkJoinWorkers: ForkJoinWorkers
}

/** A thread that leaves and its replacement may both have a place for a moment. */
const SPARE_PLACES = 16

export class ForkJoinOwner extends PoolOwner implements ForkJoinMember {
  readonly forkJoinWorkers: ForkJoinWorkers = new ForkJoinWorkers(
    this.memory,
    this.waiting,
    this.workerTable,
    this.tasks,
    this.completionQueues,
  )

  constructor(shell: PoolShell, parallelism: number, most: number, asyncMode: boolean) {
    const deques = Deques.allocate(most + SPARE_PLACES, asyncMode)
    super(new LinkedBlockingQueue<Runnable>(), shell, parallelism, { deques })
  }

  override execute(task: Runnable): void {
    super.execute(task)
    if (this.forkJoinWorkers.isToGrow) this.addWorker("maximum")
  }

  protected override get compensates(): boolean {
    return true
  }

  override get isQuiet(): boolean {
    return this.forkJoinWorkers.isQuiescent
  }

  protected override finishEnding(): void {
    if (atLeast(this.state.control.snapshot, STOP)) this.forkJoinWorkers.cancelRunning()
    super.finishEnding()
  }

  /** Frees the slots that only the dead worker knew of. */
  protected override inherit(token: number): void {
    this.memory.slots.reclaim((owner, slot) => owner === token && this.tasks.stateOf(slot) === PRIVATE)
  }
}

export class ForkJoinGuest extends PoolGuest implements ForkJoinMember {
  readonly forkJoinWorkers: ForkJoinWorkers = new ForkJoinWorkers(
    this.memory,
    this.waiting,
    this.workerTable,
    this.tasks,
    this.completionQueues,
  )
  override execute(task: Runnable): void {
    super.execute(task)
    if (this.forkJoinWorkers.isToGrow) shielded(() => this.addWorker("maximum"))
  }

  protected override get compensates(): boolean {
    return true
  }

  protected override compensate(): void {
    shielded(() => thisThread.forks?.compensation.compensate())
  }

  override get isQuiet(): boolean {
    return this.forkJoinWorkers.isQuiescent
  }
}
