/** The engines of a ForkJoinPool: those of any pool of platform threads, with workers that can fork. */
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared/shared-memory.ts"
import { HEADER } from "../platform/memory/layout.ts"
import { PoolGuest } from "../platform/member/pool-guest.ts"
import type { PoolMember } from "../platform/member/pool-member.ts"
import { PoolOwner } from "../platform/owner/pool-owner.ts"
import { shielded } from "../platform/worker/this-worker.ts"
import { atLeast, STOP } from "../core/control-word.ts"
import type { PoolShell } from "../pool/pool-engine.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { Deques } from "../platform/queue/deques.ts"
import { PRIVATE } from "./worker/fork-records.ts"
import { thisThread } from "./task/this-thread.ts"
import { ForkJoinWorkers } from "./worker/fork-join-workers.ts"

/** What the engines of owner and guest have in common. */
export interface ForkJoinMember extends PoolMember {
  readonly forkJoinWorkers: ForkJoinWorkers
  /** True if the pool is quiescent. Otherwise the engine calls `shell.quiescent()` when it may be, from now on. */
  watchForQuiescence(): boolean
}

/** A thread that leaves and its replacement may both have a place for a moment. */
const SPARE_PLACES = 16

export interface ForkJoinShell extends PoolShell {
  /** The pool may be quiescent. */
  quiescent(): void
}

export class ForkJoinOwner extends PoolOwner implements ForkJoinMember {
  readonly forkJoinWorkers: ForkJoinWorkers = new ForkJoinWorkers(
    this.memory,
    this.waiting,
    this.workerTable,
    this.tasks,
    this.completionQueues,
  )
  readonly #shell: ForkJoinShell

  constructor(shell: ForkJoinShell, parallelism: number, most: number, asyncMode: boolean) {
    super(new LinkedBlockingQueue<Runnable>(), shell, parallelism, Deques.allocate(most + SPARE_PLACES, asyncMode))
    this.#shell = shell
  }

  override execute(task: Runnable): void {
    super.execute(task)
    if (this.forkJoinWorkers.isToGrow) this.addWorker("maximum")
  }

  protected override get compensates(): boolean {
    return true
  }

  /** From now on workers ring the owner when they go to sleep, and the process stays alive until all do. */
  watchForQuiescence(): boolean {
    do {
      this.memory.setHeader(HEADER.FOREIGN, 1)
      super.serve(false)
      if (this.forkJoinWorkers.isQuiescent) return true
    } while (this.memory.header(HEADER.FOREIGN) === 0) // it was quiescent for a moment, and workers no longer ring
    return false
  }

  protected override get isQuiet(): boolean {
    return this.forkJoinWorkers.isQuiescent
  }

  override serve(isBlocked: boolean): void {
    super.serve(isBlocked)
    if (!this.forkJoinWorkers.isQuiescent) return
    this.#shell.quiescent()
    if (this.forkJoinWorkers.deques.takeWatched()) this.completionQueues.ringAll()
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
  readonly #shell: ForkJoinShell
  /** Whether the shell waits for the pool to be quiescent. */
  #isWatching = false

  constructor(shared: Shared, shell: ForkJoinShell) {
    super(shared, shell)
    this.#shell = shell
  }

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

  /** Asks the owner to ring when the pool is quiescent. */
  watchForQuiescence(): boolean {
    this.#isWatching = true
    this.#askOwner()
    this.submissions.keepAlive(true)
    return this.forkJoinWorkers.isQuiescent
  }

  #askOwner(): void {
    this.forkJoinWorkers.deques.noteWatched()
    this.memory.setHeader(HEADER.FOREIGN, 1)
    this.memory.ringOwner()
  }

  override serve(): void {
    super.serve()
    if (this.forkJoinWorkers.isQuiescent) {
      this.#isWatching = false
      this.submissions.keepAlive(false)
      this.#shell.quiescent()
    } else if (this.#isWatching && !this.forkJoinWorkers.deques.isWatched) this.#askOwner() // no longer quiescent
  }
}
