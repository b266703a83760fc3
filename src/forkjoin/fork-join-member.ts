/** The engines of a ForkJoinPool: those of any pool of platform threads, whose workers have tasks of their own. */
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
import { Workforce } from "./worker/workforce.ts"

/** What both have. */
export interface ForkJoinMember extends PoolMember {
  readonly workforce: Workforce
  /** True if the pool is quiescent. Otherwise the shell is told when it may be, from now on. */
  watchForQuiescence(): boolean
}

/** A thread that leaves and the one that replaces it may have a place each for a moment. */
const SPARE_PLACES = 16

export interface ForkJoinShell extends PoolShell {
  /** The pool may be quiescent. */
  quiescent(): void
}

export class ForkJoinOwner extends PoolOwner implements ForkJoinMember {
  readonly workforce: Workforce = new Workforce(this.memory, this.waiting, this.roster, this.tasks, this.boxes)
  readonly #shell: ForkJoinShell

  constructor(shell: ForkJoinShell, parallelism: number, most: number, asyncMode: boolean) {
    super(new LinkedBlockingQueue<Runnable>(), shell, parallelism, Deques.allocate(most + SPARE_PLACES, asyncMode))
    this.#shell = shell
  }

  override execute(task: Runnable): void {
    super.execute(task)
    if (this.workforce.isToGrow) this.addWorker("maximum")
  }

  protected override get hasStandIns(): boolean {
    return true
  }

  /** Workers that go to sleep ring from now on, and the process stays until all do. */
  watchForQuiescence(): boolean {
    do {
      this.memory.setHeader(HEADER.FOREIGN, 1)
      super.serve(false)
      if (this.workforce.isQuiescent) return true
    } while (this.memory.header(HEADER.FOREIGN) === 0) // it was quiescent for a moment, and workers do not ring
    return false
  }

  protected override get isQuiet(): boolean {
    return this.workforce.isQuiescent
  }

  override serve(isBlocked: boolean): void {
    super.serve(isBlocked)
    if (!this.workforce.isQuiescent) return
    this.#shell.quiescent()
    if (this.workforce.deques.takeWatched()) this.boxes.ringAll()
  }

  protected override finishEnding(): void {
    if (atLeast(this.state.control.snapshot, STOP)) this.workforce.cancelRunning()
    super.finishEnding()
  }

  /** The slots that a dead worker had for itself, and that nobody else knows of. */
  protected override inherit(token: number): void {
    this.memory.slots.reclaim((owner, slot) => owner === token && this.tasks.stateOf(slot) === PRIVATE)
  }
}

export class ForkJoinGuest extends PoolGuest implements ForkJoinMember {
  readonly workforce: Workforce = new Workforce(this.memory, this.waiting, this.roster, this.tasks, this.boxes)
  readonly #shell: ForkJoinShell
  /** Whether its shell wants to be told when the pool is quiescent. */
  #isWatching = false

  constructor(shared: Shared, shell: ForkJoinShell) {
    super(shared, shell)
    this.#shell = shell
  }

  override execute(task: Runnable): void {
    super.execute(task)
    if (this.workforce.isToGrow) shielded(() => this.addWorker("maximum"))
  }

  protected override get hasStandIns(): boolean {
    return true
  }

  protected override standIn(): void {
    shielded(() => thisThread.forks?.standingIn.compensate())
  }

  /** The owner tells when it is so. */
  watchForQuiescence(): boolean {
    this.#isWatching = true
    this.#askOwner()
    this.submissions.keepAlive(true)
    return this.workforce.isQuiescent
  }

  #askOwner(): void {
    this.workforce.deques.noteWatched()
    this.memory.setHeader(HEADER.FOREIGN, 1)
    this.memory.ringOwner()
  }

  override serve(): void {
    super.serve()
    if (this.workforce.isQuiescent) {
      this.#isWatching = false
      this.submissions.keepAlive(false)
      this.#shell.quiescent()
    } else if (this.#isWatching && !this.workforce.deques.isWatched) this.#askOwner() // it was so when the owner told
  }
}
