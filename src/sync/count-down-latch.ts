import { SYNC, WAITED_FOR } from "../lock/internals.ts"
import { compareAndSet, load, store } from "#atomics"
import { requireInteger, requireTimeout } from "../checks.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import type { WaitedFor } from "../observing.ts"
import { AbstractQueuedSynchronizer } from "../lock/abstract-queued-synchronizer.ts"
import { OWN } from "../lock/synchronizer-base.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { timeoutOf, type WaitOptions } from "../memory/flow/waiting.ts"

const COUNT = OWN
const WORDS = OWN + 1

/** Can be acquired by any number of tasks once the count is 0; releasing counts down. */
class LatchSync extends AbstractQueuedSynchronizer {
  readonly #words: Int32Array

  constructor(memory: SharedMemory, face: CountDownLatch) {
    super(memory, face)
    this.#words = memory.words
  }

  /** @internal */
  protected override get [WAITED_FOR](): WaitedFor {
    return "CountDownLatch"
  }

  get count(): number {
    return load(this.#words, COUNT)
  }

  protected override tryAcquireShared(): number {
    return this.count === 0 ? 1 : -1
  }

  /** True if this was the last count: only then are there flows to wake. */
  protected override tryReleaseShared(): boolean {
    for (;;) {
      const { count } = this
      if (count === 0) return false
      if (compareAndSet(this.#words, COUNT, count, count - 1)) return count === 1
    }
  }
}

/**
 * A gate that opens after a number of counts, and then stays open.
 *
 * The tasks that count down and those that wait may be flows of one thread or tasks in many. A latch cannot be closed
 * again; see `CyclicBarrier` for that.
 *
 * **Death.** Counts belong to no thread: if a thread dies before it has counted down, the count stays where it is. Wait
 * with a time limit, or count down in the place of the dead thread. Tasks that wait in a thread that dies are
 * forgotten.
 *
 * **Memory effects.** What a task wrote to shared memory before `countDown()` is visible to each task whose wait has
 * ended.
 *
 * @example
 * ```ts
 * import { CountDownLatch, Executors } from "corepool"
 *
 * const ready = new CountDownLatch(3)
 * await using pool = Executors.newFixedThreadPool(2)
 * for (let i = 0; i < 3; i++) pool.execute((latch: CountDownLatch) => latch.countDown(), ready)
 * console.log(await ready.await(10_000)) // => true
 * ```
 */
export class CountDownLatch extends Shareable {
  readonly #sync: LatchSync

  /** @throws RangeError unless the count is an integer ≥ 0. */
  constructor(count: number)
  /** @internal */
  constructor(count: number | SharedMemory)
  constructor(count: number | SharedMemory) {
    const memory = count instanceof SharedMemory ? count : create(count)
    super("CountDownLatch", memory)
    this.#sync = new LatchSync(memory, this)
  }

  /** The same latch that another thread has posted. */
  static from(shared: Shared): CountDownLatch {
    return new CountDownLatch(SharedMemory.open("CountDownLatch", shared))
  }

  /** Waits until the count is 0; false if the time is up before. An interrupt ends the wait with `InterruptedError`. */
  async await(wait: WaitOptions = Infinity): Promise<boolean> {
    timeoutOf(wait) // refuses a priority: all go on at once
    return await this.#sync.tryAcquireSharedWithin(1, wait)
  }

  /** Blocks the thread until the count is 0; false if the time is up before. */
  awaitSync(ms: number = Infinity): boolean {
    if (requireTimeout("ms", ms) !== Infinity) return this.#sync.tryAcquireSharedWithinSync(1, ms)
    this.#sync.acquireSharedInterruptiblySync(1)
    return true
  }

  /** One less. At 0 all waiting tasks go on; after that it has no effect. */
  countDown(): void {
    this.#sync.releaseShared(1)
  }

  /** How many are left. */
  get count(): number {
    return this.#sync.count
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { count: this.count, queueLength: this.#sync.queueLength }
  }

  /** Its count. */
  override toString(): string {
    return `${identityOf(this)}[Count = ${this.count}]`
  }

  /** @internal */
  get [SYNC](): AbstractQueuedSynchronizer {
    return this.#sync
  }
}

function create(count: number): SharedMemory {
  requireInteger("count", count, 0)
  const memory = SharedMemory.allocate(WORDS)
  store(memory.words, COUNT, count)
  return memory
}
