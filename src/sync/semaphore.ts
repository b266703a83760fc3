import { WAIT_QUEUE, SYNC, WAITED_FOR } from "../lock/internals.ts"
import { compareAndSet, load, read, store } from "#atomics"
import { MAX_VALUE, requireBoolean, requireInteger, requireOptions, requireTimeout } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import type { AcquireOptions, BlockingOptions } from "../lock/acquire-options.ts"
import type { WaitedFor } from "../observing.ts"
import { AbstractQueuedSynchronizer } from "../lock/abstract-queued-synchronizer.ts"
import { OWN, type QueuedThread } from "../lock/synchronizer-base.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"

const PERMITS = OWN
/** Never changes. */
const FAIR = OWN + 1
const WORDS = OWN + 2

const MIN_VALUE = -(2 ** 31)

class SemaphoreSync extends AbstractQueuedSynchronizer {
  readonly #words: Int32Array
  readonly isFair: boolean

  constructor(memory: SharedMemory, face: Semaphore) {
    super(memory, face)
    this.#words = memory.words
    this.isFair = load(this.#words, FAIR) !== 0
  }

  /** @internal */
  protected override get [WAITED_FOR](): WaitedFor {
    return "Semaphore"
  }

  get permits(): number {
    return load(this.#words, PERMITS)
  }

  /** Takes that many permits if they are available. */
  take(permits: number): boolean {
    const words = this.#words
    // The first read is plain: if it is out of date, the compare-and-set fails.
    for (let available = read(words, PERMITS); ; available = load(words, PERMITS)) {
      if (available < permits) {
        if (load(words, PERMITS) === available) return false
      } else if (compareAndSet(words, PERMITS, available, available - permits)) return true
    }
  }

  give(permits: number): void {
    const words = this.#words
    for (let available = read(words, PERMITS); ; available = load(words, PERMITS)) {
      if (available + permits > MAX_VALUE) {
        if (load(words, PERMITS) === available) throw new IllegalStateError("Maximum permit count exceeded")
      } else if (compareAndSet(words, PERMITS, available, available + permits)) break
    }
    this[WAIT_QUEUE].wakeFirst()
  }

  reduce(permits: number): void {
    for (;;) {
      const available = this.permits
      if (available - permits < MIN_VALUE) throw new IllegalStateError("Permit count underflow")
      if (compareAndSet(this.#words, PERMITS, available, available - permits)) return
    }
  }

  drain(): number {
    for (;;) {
      const available = this.permits
      if (available === 0) return 0
      if (!compareAndSet(this.#words, PERMITS, available, 0)) continue
      // From below 0 to 0: a waiting task that asked for 0 permits can go on now.
      if (available < 0) this[WAIT_QUEUE].wakeFirst()
      return available
    }
  }

  /** Whether a newcomer may try at once. */
  get isOpen(): boolean {
    return !this.isFair || this[WAIT_QUEUE].isEmpty
  }

  protected override tryAcquireShared(permits: number): number {
    if (this.isFair && this.hasQueuedPredecessors()) return -1
    return this.take(permits) ? 1 : -1
  }
}

/** Permits that were acquired. Releases them at the end of a block: `using permits = await semaphore.acquire(2)`. */
export interface Permits extends Disposable {
  /** Releases them now. The second time, and at the end of the block, nothing happens. */
  release(): void
}

class Acquired implements Permits {
  readonly #sync: SemaphoreSync
  #permits: number

  constructor(sync: SemaphoreSync, permits: number) {
    this.#sync = sync
    this.#permits = permits
  }

  /** @internal */
  get [LOCAL](): string {
    return "belongs to the task that has acquired: send the semaphore"
  }

  release(): void {
    if (this.#permits === 0) return
    this.#sync.give(this.#permits)
    this.#permits = 0 // not earlier: if there were too many permits, a later call may succeed
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

/**
 * A number of permits. `acquire` takes some and waits while there are not enough; `release` gives some back. So it
 * limits how many tasks do something at the same time, in one thread or in many.
 *
 * Permits have no owner: any task may release, also more than there were in the beginning. The number may begin below
 * 0; then some must be released first.
 *
 * Several permits are acquired all at once or not at all. Tasks that wait stand in line: a request that cannot be met
 * yet holds up those behind it, also smaller ones. Without `fair`, a newcomer takes what is there without looking at
 * the line; with `fair` it joins the line if there is one. `tryAcquire()` and `tryAcquire(n)` never look at it.
 *
 * A task with a `priority` joins the line behind all tasks with the same priority or a higher one, and before all
 * others. A task that arrives later and is more urgent is let in first, also if it wants more permits. A steady stream
 * of urgent tasks keeps the others waiting for ever.
 *
 * **Death.** The permits of a thread that dies stay taken, since the semaphore does not know whose they are. Tasks that
 * wait in it leave the line. A program that knows of the death may `release` in the place of the dead thread.
 *
 * **Memory effects.** What a task wrote to shared memory before `release` is visible to the task that then acquires.
 *
 * @example
 * ```ts
 * import { Semaphore } from "corepool"
 *
 * const connections = new Semaphore(2)
 * {
 *   using _ = await connections.acquire() // at most two tasks in here
 *   console.log(connections.availablePermits) // => 1
 * }
 * console.log(connections.availablePermits) // => 2
 * ```
 */
export class Semaphore extends Shareable {
  readonly #sync: SemaphoreSync

  /** How many permits there are at first; `fair`: newcomers join the line; default false. */
  constructor(permits: number, options?: { readonly fair?: boolean })
  /** @internal */
  constructor(permits: number | SharedMemory, options?: { readonly fair?: boolean })
  constructor(permits: number | SharedMemory, options: { readonly fair?: boolean } = {}) {
    const memory = permits instanceof SharedMemory ? permits : create(permits, options)
    super("Semaphore", memory)
    this.#sync = new SemaphoreSync(memory, this)
  }

  /** The same semaphore that another thread has posted. */
  static from(shared: Shared): Semaphore {
    return new Semaphore(SharedMemory.open("Semaphore", shared))
  }

  // ------------------------------------------------------------------ acquiring

  /**
   * Waits for that many permits. With a time limit: `TimeoutError` if it is over before. An interrupt ends the wait
   * with `InterruptedError`.
   */
  async acquire(permits: number = 1, wait?: AcquireOptions): Promise<Permits> {
    requirePermits(permits)
    if (wait !== undefined || !this.#isInLuck(permits)) await this.#sync.acquireSharedInterruptibly(permits, wait)
    return new Acquired(this.#sync, permits)
  }

  /** Blocks the thread until it has that many. */
  acquireSync(permits: number = 1, options?: BlockingOptions): Permits {
    requirePermits(permits)
    if (options !== undefined || !this.#isInLuck(permits)) this.#sync.acquireSharedInterruptiblySync(permits, options)
    return new Acquired(this.#sync, permits)
  }

  /** As `acquire`, whatever interrupts come. */
  async acquireUninterruptibly(permits: number = 1, wait?: AcquireOptions): Promise<Permits> {
    await this.#sync.acquireShared(requirePermits(permits), wait)
    return new Acquired(this.#sync, permits)
  }

  /** Blocks the thread until it has that many, whatever interrupts come. */
  acquireUninterruptiblySync(permits: number = 1, options?: BlockingOptions): Permits {
    this.#sync.acquireSharedSync(requirePermits(permits), options)
    return new Acquired(this.#sync, permits)
  }

  /** Takes that many if available now, even if others wait for them. */
  tryAcquire(permits?: number): boolean
  /**
   * Waits for at most that time; false if it is up. Reacts to interrupts; if the semaphore is fair, joins the line.
   */
  tryAcquire(permits: number, wait: AcquireOptions): Promise<boolean>
  tryAcquire(permits: number = 1, wait?: AcquireOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#sync.take(requirePermits(permits)) : this.#tryWithin(permits, wait)
  }

  /** Blocks the thread for at most `ms`; false if the time is up. Reacts to interrupts. */
  tryAcquireSync(permits: number, ms: number, options?: BlockingOptions): boolean {
    return this.#sync.tryAcquireSharedWithinSync(requirePermits(permits), requireTimeout("ms", ms), options)
  }

  // ------------------------------------------------------------------ giving, and taking away

  /** Gives that many back, and lets waiting tasks go on that now can. */
  release(permits: number = 1): void {
    this.#sync.give(requirePermits(permits))
  }

  /** Takes all permits, and returns how many. If the number is below 0, sets it to 0. */
  drainPermits(): number {
    return this.#sync.drain()
  }

  /** Takes that many away without waiting: afterwards the number may be below 0. */
  reducePermits(reduction: number): void {
    this.#sync.reduce(requireInteger("reduction", reduction, 0))
  }

  // ------------------------------------------------------------------ asking

  /** How many permits there are now. */
  get availablePermits(): number {
    return this.#sync.permits
  }

  /** Whether newcomers join the line. */
  get isFair(): boolean {
    return this.#sync.isFair
  }

  /** Whether any task waits. */
  get hasQueuedThreads(): boolean {
    return this.#sync.hasQueuedThreads
  }

  /** How many tasks wait; an estimate while they come and go. */
  get queueLength(): number {
    return this.#sync.queueLength
  }

  /** The waiting tasks, first in line first. */
  get queuedThreads(): QueuedThread[] {
    return this.#sync.queuedThreads
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { availablePermits: this.availablePermits, queueLength: this.queueLength, isFair: this.isFair }
  }

  /** How many permits there are. */
  override toString(): string {
    return `${identityOf(this)}[Permits = ${this.availablePermits}]`
  }

  /** @internal */
  get [SYNC](): AbstractQueuedSynchronizer {
    return this.#sync
  }

  // ------------------------------------------------------------------ inside

  /**
   * The fast path: the flow is not interrupted, and the permits are available. If not, the slow path finds out why.
   */
  #isInLuck(permits: number): boolean {
    return !currentFlow().looksInterrupted && this.#sync.isOpen && this.#sync.take(permits)
  }

  async #tryWithin(permits: number, wait: AcquireOptions): Promise<boolean> {
    return await this.#sync.tryAcquireSharedWithin(requirePermits(permits), wait)
  }
}

/** The first test is for speed: requireInteger, which words the error, is hardly ever needed. */
function requirePermits(permits: number): number {
  return (permits | 0) === permits && permits >= 0 ? permits : requireInteger("permits", permits, 0)
}

function create(permits: number, options: { readonly fair?: boolean }): SharedMemory {
  requireInteger("permits", permits, MIN_VALUE)
  const { fair = false } = requireOptions("options", options, { fair: true })
  requireBoolean("fair", fair)
  const memory = SharedMemory.allocate(WORDS)
  store(memory.words, PERMITS, permits)
  store(memory.words, FAIR, fair ? 1 : 0)
  return memory
}
