/** The engines of a ForkJoinPool: those of any pool of platform threads, whose workers have tasks of their own. */
import { FutureTask } from "../future/future-task.ts"
import { CANCELLED } from "../future/task-state.ts"
import type { Runnable } from "../future/runnable.ts"
import type { Shared } from "../memory/shared-memory.ts"
import { HEADER } from "../platform/layout.ts"
import { PoolGuest } from "../platform/pool-guest.ts"
import type { PoolMember } from "../platform/pool-member.ts"
import { PoolOwner } from "../platform/pool-owner.ts"
import type { TaskRecords } from "../platform/task-records.ts"
import type { TaskQueue } from "../platform/task-queue.ts"
import type { SharedWorker } from "../platform/shared-roster.ts"
import type { PoolShell } from "../pool/pool-engine.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import { Deques, PLACE } from "./deques.ts"
import { PRIVATE } from "./fork-records.ts"
import type { StealingStore } from "./stealing-store.ts"

/** What both have. */
export interface ForkJoinMember extends PoolMember {
  readonly store: StealingStore
  readonly deques: Deques
  /** How many workers have a task in hand and do not wait for others. */
  readonly runningCount: number
  readonly isQuiescent: boolean
  /** Whoever may be the last to have something to do says so from now on. */
  watchForQuiescence(): void
  cancelAll(cause: unknown): void
}

/** A thread that leaves and the one that replaces it may have a place each for a moment. */
const SPARE_PLACES = 16

export interface ForkJoinShell extends PoolShell {
  /** The pool may be quiescent. */
  quiescent(): void
}

export class ForkJoinOwner extends PoolOwner implements ForkJoinMember {
  readonly #shell: ForkJoinShell

  constructor(shell: ForkJoinShell, parallelism: number, most: number, asyncMode: boolean) {
    super(new LinkedBlockingQueue<Runnable>(), shell, parallelism, Deques.allocate(most + SPARE_PLACES, asyncMode))
    this.#shell = shell
  }

  get store(): StealingStore {
    return (this.waiting as TaskQueue).stealing as StealingStore
  }

  get deques(): Deques {
    return this.store.deques
  }

  get runningCount(): number {
    return runningOf(this.roster, this.deques)
  }

  get isQuiescent(): boolean {
    return isQuiet(this.waiting, this.roster)
  }

  /** Workers that go to sleep ring from now on, and the process stays until all do. */
  watchForQuiescence(): void {
    this.memory.setHeader(HEADER.FOREIGN, 1)
    super.serve(false)
  }

  cancelAll(cause: unknown): void {
    cancelEach(this.drain(), cause)
    cancelRunning(this.roster, this.tasks)
  }

  override serve(isBlocked: boolean): void {
    super.serve(isBlocked)
    if (!this.isQuiescent) return
    this.#shell.quiescent()
    if (this.deques.takeWatched()) this.boxes.ringAll()
  }

  /** The slots that a dead worker had for itself, and that nobody else knows of. */
  protected override inherit(token: number): void {
    this.memory.slots.reclaim((owner, slot) => owner === token && this.tasks.stateOf(slot) === PRIVATE)
  }
}

export class ForkJoinGuest extends PoolGuest implements ForkJoinMember {
  readonly #shell: ForkJoinShell

  constructor(shared: Shared, shell: ForkJoinShell) {
    super(shared, shell)
    this.#shell = shell
  }

  get store(): StealingStore {
    return (this.waiting as TaskQueue).stealing as StealingStore
  }

  get deques(): Deques {
    return this.store.deques
  }

  get runningCount(): number {
    return runningOf(this.roster, this.deques)
  }

  get isQuiescent(): boolean {
    return isQuiet(this.waiting, this.roster)
  }

  /** The owner tells when it is so. */
  watchForQuiescence(): void {
    this.deques.noteWatched()
    this.memory.setHeader(HEADER.FOREIGN, 1)
    this.memory.ringOwner()
    this.submissions.keepAlive(true)
  }

  override serve(): void {
    super.serve()
    if (!this.isQuiescent) return
    this.submissions.keepAlive(false)
    this.#shell.quiescent()
  }

  cancelAll(cause: unknown): void {
    cancelEach(this.drain(), cause)
    cancelRunning(this.roster, this.tasks)
  }
}

function runningOf(roster: Iterable<SharedWorker>, deques: Deques): number {
  let count = 0
  for (const { isBusy, number } of roster) {
    if (isBusy && (number > deques.count || deques.load(number, PLACE.BLOCKED) === 0)) count++
  }
  return count
}

/** First the queue and then the hands: a task goes from there to here. */
function isQuiet(waiting: { readonly isEmpty: boolean }, roster: { readonly activeCount: number }): boolean {
  return waiting.isEmpty && roster.activeCount === 0 && waiting.isEmpty
}

/** What workers have in hand, and what lies beneath that; whoever runs it finds out when it forks or joins something, or is done. */
function cancelRunning(roster: Iterable<SharedWorker>, tasks: TaskRecords): void {
  for (const worker of roster) {
    if (worker.handheld !== 0) tasks.leaveNew(worker.handheld, CANCELLED)
    for (const slot of tasks.linked(worker.below)) tasks.leaveNew(slot, CANCELLED)
  }
}

function cancelEach(tasks: readonly Runnable[], cause: unknown): void {
  for (const task of tasks) if (task instanceof FutureTask) task.abandon(cause)
}
