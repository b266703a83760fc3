/** What all locks have in common. */
import type { WaitOptions } from "../memory/flow/waiting.ts"
import type { Condition } from "./condition.ts"

/** Unlocks at the end of a block: `using guard = await lock.lock()`. */
export interface Guard extends Disposable {
  /** Unlocks now. The second time, and at the end of the block, nothing happens. */
  unlock(): void
}

/**
 * One task at a time. It belongs to the task that locked it, which alone may unlock it: two asynchronous flows of one
 * thread exclude each other as two threads do.
 *
 *     {
 *       using guard = await lock.lock()
 *       …                                  // nobody else is in here, across all awaits
 *     }
 *
 * The methods in `…Sync` block the thread. Without a time limit they refuse to, with an `IllegalStateError`, if the lock is
 * held by another flow of this very thread: it stands still as long as the thread is blocked, and could never unlock.
 */
export interface Lock {
  /** Waits until the lock is ours, whatever interrupts come. With a time limit: `TimeoutError` if it is over. */
  lock(wait?: WaitOptions): Promise<Guard>
  /** Blocks the thread until the lock is ours. */
  lockSync(): Guard
  /** As `lock`, but an interrupt ends the wait with `InterruptedError`. */
  lockInterruptibly(wait?: WaitOptions): Promise<Guard>
  lockInterruptiblySync(): Guard
  /** Takes the lock if it is free now, even if others wait for it. */
  tryLock(): boolean
  /** Waits at most so long; false if the time is up. Reacts to interrupts. A fair lock keeps to the queue. */
  tryLock(wait: WaitOptions): Promise<boolean>
  tryLockSync(ms: number): boolean
  /** Gives it back. `IllegalMonitorStateError` if it is not ours. */
  unlock(): void
  newCondition(): Condition
}
