/** What all locks have in common. */
import type { AcquireOptions, BlockingOptions } from "./acquire-options.ts"
import type { Condition } from "./condition.ts"

/** Unlocks at the end of a block: `using guard = await lock.lock()`. */
export interface Guard extends Disposable {
  /** Unlocks now. The second time, and at the end of the block, nothing happens. */
  unlock(): void
}

/**
 * One task at a time. Only the task that locked it may unlock it: two asynchronous flows of one thread exclude each
 * other as two threads do.
 *
 *     {
 *       using guard = await lock.lock()
 *       …                                  // no other task is in here, across all awaits
 *     }
 *
 * The methods in `…Sync` block the thread. Without a time limit they throw `IllegalStateError` if another flow of this
 * very thread holds the lock: that flow stands still as long as the thread is blocked, and could never unlock.
 *
 * **Memory effects.** What a task wrote to shared memory before it unlocked is visible to the task that locks next.
 */
export interface Lock {
  /**
   * Waits until the task has the lock, whatever interrupts come.
   *
   * @throws TimeoutError if the time is up. If `signal` aborts, its reason is thrown.
   */
  lock(wait?: AcquireOptions): Promise<Guard>
  /** Blocks the thread until the task has the lock. */
  lockSync(options?: BlockingOptions): Guard
  /** As `lock`, but an interrupt ends the wait with `InterruptedError`. */
  lockInterruptibly(wait?: AcquireOptions): Promise<Guard>
  /** Blocks the thread until the task has the lock; an interrupt ends the wait with `InterruptedError`. */
  lockInterruptiblySync(options?: BlockingOptions): Guard
  /** Takes the lock if it is free now, even if others wait for it. */
  tryLock(): boolean
  /** Waits for at most that time; false if it is up. Reacts to interrupts. A fair lock keeps to the queue. */
  tryLock(wait: AcquireOptions): Promise<boolean>
  /** Blocks the thread for at most `ms`; false if the time is up. Reacts to interrupts. */
  tryLockSync(ms: number, options?: BlockingOptions): boolean
  /** Gives it back. `IllegalMonitorStateError` if the task does not hold it. */
  unlock(): void
  /**
   * A new condition, at which the task that holds the lock can wait.
   *
   * @throws UnsupportedOperationError if the lock has none: a read lock.
   */
  newCondition(): Condition
}
