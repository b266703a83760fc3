import { FACE, WAIT_QUEUE } from "./internals.ts"
import { UnsupportedOperationError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { leaveToGuards } from "#host/runtime/ownership"
import { currentFlow, knownFlows } from "../memory/flow/flow.ts"
import { handleOfWhole, type Part, PART } from "../memory/shared/shareables.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import type { AcquireOptions, BlockingOptions } from "./acquire-options.ts"
import { LockGuard } from "./guard.ts"
import type { Guard, Lock } from "./lock.ts"
import type { ReadWriteSync } from "./read-write-sync.ts"

/**
 * The lock to read of a {@link ReentrantReadWriteLock}. Several tasks may hold it at once, while no other task writes.
 */
export class ReadLock implements Lock {
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
    return { whole: this.#sync[FACE], name: "ReadLock" }
  }

  async lock(wait?: AcquireOptions): Promise<Guard> {
    if (wait !== undefined || !this.#sync.read(currentFlow(), 1, false)) await this.#sync.acquireShared(1, wait)
    return new LockGuard(this)
  }

  lockSync(options?: BlockingOptions): Guard {
    this.#sync.acquireSharedSync(1, options)
    return new LockGuard(this)
  }

  async lockInterruptibly(wait?: AcquireOptions): Promise<Guard> {
    await this.#sync.acquireSharedInterruptibly(1, wait)
    return new LockGuard(this)
  }

  lockInterruptiblySync(options?: BlockingOptions): Guard {
    this.#sync.acquireSharedInterruptiblySync(1, options)
    return new LockGuard(this)
  }

  tryLock(): boolean
  tryLock(wait: AcquireOptions): Promise<boolean>
  tryLock(wait?: AcquireOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#sync.read(currentFlow(), 1, true) : this.#sync.tryAcquireSharedWithin(1, wait)
  }

  tryLockSync(ms: number, options?: BlockingOptions): boolean {
    return this.#sync.tryAcquireSharedWithinSync(1, ms, options)
  }

  /** Ends one hold of the current task. `IllegalMonitorStateError` if it has none. */
  unlock(): void {
    if (this.#sync.endRead(currentFlow())) this.#sync[WAIT_QUEUE].wakeFirst()
  }

  /** Always throws: readers cannot wait for each other to change something. */
  newCondition(): never {
    throw new UnsupportedOperationError("A read lock has no conditions: take one of the write lock")
  }

  /**
   * Whether the current task holds it, and a thread died that held the write lock, and no task has held that since:
   * what the task reads may be half changed.
   */
  get wasAbandoned(): boolean {
    return this.#sync.readsOf(currentFlow()) > 0 && this.#sync.isAbandoned
  }

  /** @internal How often it is held by all tasks together. */
  get count(): number {
    return this.#sync.readers().reduce((sum, { holds }) => sum + holds, 0)
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { readLockCount: this.count, queueLength: this.#sync.queueLength }
  }

  /** How often it is held. */
  toString(): string {
    return `${identityOf(this)}[Read locks = ${this.count}]`
  }
}

leaveToGuards(ReadLock.prototype, knownFlows)
