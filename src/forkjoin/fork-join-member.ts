/** The engines of a ForkJoinPool: those of any pool of platform threads, whose workers have tasks of their own. */
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared-memory.ts"
import { HEADER } from "../platform/layout.ts"
import { PoolGuest } from "../platform/pool-guest.ts"
import type { PoolMember } from "../platform/pool-member.ts"
import { PoolOwner } from "../platform/pool-owner.ts"
import { shielded } from "../platform/this-worker.ts"
import { atLeast, STOP } from "../pool/control-word.ts"
import type { PoolShell } from "../pool/pool-engine.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { Deques } from "./deques.ts"
import { PRIVATE } from "./fork-records.ts"
import { thisThread } from "./this-thread.ts"
import { Workforce } from "./workforce.ts"

/** What both have. */
export interface ForkJoinMember extends PoolMember {
  readonly workforce: Workforce
  /** Whoever may be the last to have something to do says so from now on. */
  watchForQuiescence(): void
}

/** A thread that leaves and the one that replaces it may have a place each for a moment. */
const SPARE_PLACES = 16

export interface ForkJoinShell extends PoolShell {
  /** The pool may be quiescent. */
  quiescent(): void
}

export class ForkJoinOwner extends PoolOwner implements ForkJoinMember {
  readonly workforce: Workforce = new Workforce(this.waiting, this.roster, this.tasks)
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
  watchForQuiescence(): void {
    this.memory.setHeader(HEADER.FOREIGN, 1)
    super.serve(false)
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
  readonly workforce: Workforce = new Workforce(this.waiting, this.roster, this.tasks)
  readonly #shell: ForkJoinShell

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
  watchForQuiescence(): void {
    this.workforce.deques.noteWatched()
    this.memory.setHeader(HEADER.FOREIGN, 1)
    this.memory.ringOwner()
    this.submissions.keepAlive(true)
  }

  override serve(): void {
    super.serve()
    if (!this.workforce.isQuiescent) return
    this.submissions.keepAlive(false)
    this.#shell.quiescent()
  }
}
