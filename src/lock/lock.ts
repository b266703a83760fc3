/** What all locks have in common. */
import type { WaitOptions } from "../memory/waiting.ts"
import type { Condition } from "./condition.ts"

/** Unlocks at the end of a block: `using guard = await lock.lock()`. */
export interface Guard extends Disposable {
  /** Unlocks now. */
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
  /** Waits at most so long; false if the time is up. Reacts to interrupts. */
  tryLock(wait: WaitOptions): Promise<boolean>
  tryLockSync(ms: number): boolean
  unlock(): void
  newCondition(): Condition
}
