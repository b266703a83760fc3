import { FACE, WAIT_QUEUE } from "./internals.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { leaveToGuards } from "#host/runtime/ownership"
import { currentFlow, knownFlows } from "../memory/flow/flow.ts"
import { handleOfWhole, type Part, PART } from "../memory/shared/shareables.ts"
import type { Handle, Shared } from "../memory/shared/shared-memory.ts"
import type { AcquireOptions, BlockingOptions } from "./acquire-options.ts"
import type { Condition } from "./condition.ts"
import { LockGuard } from "./guard.ts"
import type { Guard, Lock } from "./lock.ts"
import type { ReadWriteSync } from "./read-write-sync.ts"

/** The lock to write of a {@link ReentrantReadWriteLock}. One task may hold it, while no other task reads. */
export class WriteLock implements Lock {
  /** That of the whole lock. If this lock is posted, `ReentrantReadWriteLock.from` opens what arrives. */
  declare readonly handle: Handle
  readonly #sync: ReadWriteSync

  /** @internal */
  constructor(sync: ReadWriteSync) {
    this.#sync = sync
    Object.defineProperty(this, "handle", handleOfWhole)
  }

  /** @internal */
  get [PART](): Part {
    return { whole: this.#sync[FACE], name: "WriteLock" }
  }

  /** As with any lock. A task that holds the read lock would wait for itself, until the wait is given up. */
  async lock(wait?: AcquireOptions): Promise<Guard> {
    if (wait !== undefined || this.#sync.isFair || !this.#sync.write(currentFlow(), 1)) {
      await this.#sync.acquire(1, wait)
    }
    return new LockGuard(this)
  }

  /** `IllegalStateError` if a task that holds the read lock would wait for itself, for ever. */
  lockSync(options?: BlockingOptions): Guard {
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
    return wait === undefined ? this.#sync.write(currentFlow(), 1) : this.#sync.tryAcquireWithin(1, wait)
  }

  tryLockSync(ms: number, options?: BlockingOptions): boolean {
    return this.#sync.tryAcquireWithinSync(1, ms, options)
  }

  /** Gives it back; free when unlocked as often as locked. `IllegalMonitorStateError` if the task does not hold it. */
  unlock(): void {
    if (this.#sync.endWrite(currentFlow(), 1)) this.#sync[WAIT_QUEUE].wakeFirst()
  }

  /** A new condition. A task that waits for it gives up its read holds too, and has them all back when it returns. */
  newCondition(): Condition {
    return this.#sync.newCondition()
  }

  /** The same condition of this lock that another thread has posted. */
  conditionFrom(shared: Shared): Condition {
    return this.#sync.conditionFrom(shared)
  }

  /** Whether the current task holds it. */
  get isHeldByCurrentThread(): boolean {
    return this.#sync.isWriting(currentFlow())
  }

  /** How often the current task holds it. */
  get holdCount(): number {
    return this.#sync.writesOf(currentFlow())
  }

  /**
   * Whether the current task holds it, and a thread died that held it, and no task has held it since: what it protects
   * may be half changed. This task has to repair it; after it has unlocked, the data counts as intact.
   */
  get wasAbandoned(): boolean {
    return this.#sync.isWriting(currentFlow()) && this.#sync.isAbandoned
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return {
      isLocked: this.#sync.writer() !== undefined,
      holder: this.#sync.holder,
      queueLength: this.#sync.queueLength,
    }
  }

  /** Whether it is locked, and by which task. */
  toString(): string {
    const { holder } = this.#sync
    return `${identityOf(this)}[${holder === undefined ? "Unlocked" : `Locked by ${holder}`}]`
  }
}

leaveToGuards(WriteLock.prototype, knownFlows)
