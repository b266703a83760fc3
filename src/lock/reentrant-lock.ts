import { REQUIRE_OWN, SYNC } from "./internals.ts"
import { requireBoolean, requireOptions } from "../checks.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { leaveToGuards } from "#host/runtime/ownership"
import { currentFlow, knownFlows } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import type { AcquireOptions, BlockingOptions } from "./acquire-options.ts"
import type { Condition } from "./condition.ts"
import { LockGuard } from "./guard.ts"
import { LockSync } from "./lock-sync.ts"
import type { Guard, Lock } from "./lock.ts"
import type { QueuedThread } from "./synchronizer-base.ts"

/**
 * A lock that its holder may lock again; it is free when it was unlocked as often as locked. See {@link Lock} for
 * its rules.
 *
 * The holder is a task: a thread of a pool, a virtual thread, the program itself. Two flows of one thread are two
 * tasks.
 *
 * Without `fair`, a task that comes when the lock is free gets it, which is faster; with `fair`, the task that has
 * waited longest.
 *
 * **Death.** If the thread that holds the lock dies, the next task that asks gets it, and `wasAbandoned` is true until
 * that task gives it up: what the lock protects may be half changed.
 *
 * **Memory effects.** What a task wrote to shared memory before it unlocked is visible to the task that locks next.
 *
 * @example
 * ```ts
 * import { Executors, ReentrantLock } from "corepool"
 *
 * const lock = new ReentrantLock()
 * const account = new Float64Array(new SharedArrayBuffer(8))
 * const deposit = (mutex: ReentrantLock, balance: Float64Array): void => {
 *   const guard = mutex.lockSync()
 *   balance[0]! += 10
 *   guard.unlock()
 * }
 * await using pool = Executors.newFixedThreadPool(2)
 * await Promise.all([pool.submit(deposit, lock, account), pool.submit(deposit, lock, account)])
 * console.log(account[0]) // => 20
 * ```
 */
export class ReentrantLock extends Shareable implements Lock {
  readonly #sync: LockSync

  /** `fair`: the task that has waited longest goes first; default false. */
  constructor(options?: { readonly fair?: boolean })
  /** @internal */
  constructor(options: { readonly fair?: boolean } | SharedMemory)
  constructor(options: { readonly fair?: boolean } | SharedMemory = {}) {
    const memory = options instanceof SharedMemory ? options : create(options)
    super("ReentrantLock", memory)
    this.#sync = new LockSync(memory, this)
  }

  /** The same lock that another thread has posted. */
  static from(shared: Shared): ReentrantLock {
    return new ReentrantLock(SharedMemory.open("ReentrantLock", shared))
  }

  // ------------------------------------------------------------------ locking

  async lock(wait?: AcquireOptions): Promise<Guard> {
    if (wait !== undefined || this.#sync.isFair || !this.#sync.barge(currentFlow())) await this.#sync.acquire(1, wait)
    return new LockGuard(this)
  }

  lockSync(options?: BlockingOptions): Guard {
    if (options !== undefined || this.#sync.isFair || !this.#sync.barge(currentFlow()))
      this.#sync.acquireSync(1, options)
    return new LockGuard(this)
  }

  async lockInterruptibly(wait?: AcquireOptions): Promise<Guard> {
    await this.#sync.acquireInterruptibly(1, wait)
    return new LockGuard(this)
  }

  lockInterruptiblySync(options?: BlockingOptions): Guard {
    this.#sync.acquireInterruptiblySync(1, options)
    return new LockGuard(this)
  }

  tryLock(): boolean
  tryLock(wait: AcquireOptions): Promise<boolean>
  tryLock(wait?: AcquireOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#sync.barge(currentFlow()) : this.#sync.tryAcquireWithin(1, wait)
  }

  tryLockSync(ms: number, options?: BlockingOptions): boolean {
    return this.#sync.tryAcquireWithinSync(1, ms, options)
  }

  /**
   * Gives the lock back; free when unlocked as often as locked. `IllegalMonitorStateError` if the task does not hold
   * it.
   */
  unlock(): void {
    this.#sync.unlock(currentFlow())
  }

  // ------------------------------------------------------------------ conditions

  newCondition(): Condition {
    return this.#sync.newCondition()
  }

  /** The same condition of this lock that another thread has posted. */
  conditionFrom(shared: Shared): Condition {
    return this.#sync.conditionFrom(shared)
  }

  /** Whether any task waits on this condition of the lock. Needs the lock. */
  hasWaiters(condition: Condition): boolean {
    return this.#sync[REQUIRE_OWN]("condition", condition).hasWaiters
  }

  /** How many tasks wait on this condition of the lock. Needs the lock. */
  waitQueueLength(condition: Condition): number {
    return this.#sync[REQUIRE_OWN]("condition", condition).waitQueueLength
  }

  /** The tasks that wait on this condition of the lock, longest waiting first. Needs the lock. */
  waitingThreads(condition: Condition): QueuedThread[] {
    return this.#sync[REQUIRE_OWN]("condition", condition).waitingThreads
  }

  // ------------------------------------------------------------------ asking

  /** Whether the task that has waited longest goes first. */
  get isFair(): boolean {
    return this.#sync.isFair
  }

  /** Whether any task holds it. */
  get isLocked(): boolean {
    return this.#sync.isLocked
  }

  /** Whether the current task holds it. */
  get isHeldByCurrentThread(): boolean {
    return this.#sync.isHeld
  }

  /** How often the current task holds it. */
  get holdCount(): number {
    return this.#sync.holds
  }

  /** Whether the current task holds it and got it because the thread that held it before died. */
  get wasAbandoned(): boolean {
    return this.#sync.wasAbandoned
  }

  /** Whether any task waits for the lock. */
  get hasQueuedThreads(): boolean {
    return this.#sync.hasQueuedThreads
  }

  /** How many tasks wait for the lock; an estimate while they come and go. */
  get queueLength(): number {
    return this.#sync.queueLength
  }

  /** The tasks that wait for the lock, first in line first. */
  get queuedThreads(): QueuedThread[] {
    return this.#sync.queuedThreads
  }

  /** Whether this thread waits for the lock. Tasks in other threads cannot be asked for. */
  hasQueuedThread(thread: { readonly id: number }): boolean {
    return this.#sync.isQueued(thread)
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { isLocked, holderName: holder, queueLength, isFair } = this.#sync
    return { isLocked, holder, holdCount: this.holdCount || undefined, queueLength, isFair }
  }

  /** Whether it is locked, and by which task. */
  override toString(): string {
    return `${identityOf(this)}[${this.#sync.describeHolder()}]`
  }

  /** @internal */
  get [SYNC](): LockSync {
    return this.#sync
  }
}

leaveToGuards(ReentrantLock.prototype, knownFlows)

function create(options: { readonly fair?: boolean }): SharedMemory {
  const { fair = false } = requireOptions("options", options, { fair: true })
  return LockSync.allocate(requireBoolean("fair", fair))
}
