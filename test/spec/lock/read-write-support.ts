/** What the tests of read-write locks share. */
import { SYNC, WAIT_QUEUE } from "#src/lock/internals.js"
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import type { ReadWriteSync } from "#src/lock/read-write-sync.js"
import { ThreadContext } from "#src/memory/thread/thread-context.js"
import { SharedMemory } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import type { Waiter, WaitQueue } from "#src/memory/wait/wait-queue.js"
import { overMemory } from "../../support/over-memory.ts"

/** The synchronizer inside; the public declarations leave it out. */
export function insideOf(lock: ReentrantReadWriteLock): ReadWriteSync {
  return (lock as unknown as { readonly [SYNC]: ReadWriteSync })[SYNC]
}

/** Those who wait for either lock, first in line first. */
export function waitersOf(lock: ReentrantReadWriteLock): Waiter[] {
  return (insideOf(lock) as unknown as { readonly [WAIT_QUEUE]: WaitQueue })[WAIT_QUEUE].waiters()
}

/**
 * A thread as far as shared memory can tell: it has its own entry in the table of threads, and can die, but is run by the test.
 * There can be as many as it takes. One that has waited must not die: its doorbell would ring when another thread has its entry.
 */
export class PretendedThread {
  readonly #threadContext: ThreadContext

  constructor() {
    const { registry } = threadContext()
    this.#threadContext = new ThreadContext(registry, registry.enter(0, -1), 0)
  }

  /** The lock, as this thread has it. */
  open(lock: ReentrantReadWriteLock): ReentrantReadWriteLock {
    return overMemory(
      ReentrantReadWriteLock,
      new SharedMemory(this.#threadContext, new Int32Array(lock.handle.memory), true),
    )
  }

  die(): void {
    this.#threadContext.registry.reap(this.#threadContext.token)
  }
}
