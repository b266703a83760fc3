import { compareAndSet, load, read, store } from "#atomics"
import { MAX_VALUE, requireBoolean, requireInteger, requireOptions, requireTimeout } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { AbstractQueuedSynchronizer } from "../lock/abstract-queued-synchronizer.ts"
import { OWN, type QueuedThread } from "../lock/synchronizer-base.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import type { WaitOptions } from "../memory/flow/waiting.ts"

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

  get permits(): number {
    return load(this.#words, PERMITS)
  }

  /** Takes so many if they are there. */
  take(permits: number): boolean {
    const words = this.#words
    // The first guess is a plain read: if it is out of date, the compare-and-set finds out.
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
    this.queue.wakeFirst()
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
      // From less than none to none is a gift to who asked for none.
      if (available < 0) this.queue.wakeFirst()
      return available
    }
  }

  /** Whether a newcomer may try its luck at once. */
  get isOpen(): boolean {
    return !this.isFair || this.queue.isEmpty
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
    this.#permits = 0 // not before: that there are too many may be over by the next time
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

/**
 * A number of permits. `acquire` takes some and waits while there are not enough; `release` gives some back. So it
 * limits how many tasks do something at the same time, be they flows of one thread or tasks in many threads.
 *
 * Permits have no owner: any task may release, also without having acquired, and also more than there were in the
 * beginning. The number may begin below 0; then some must be released before any can be acquired.
 *
 * Several permits are acquired all at once or not at all. Tasks that wait stand in line: a request that cannot be met
 * yet holds up those behind it, also smaller ones. Without `fair`, a newcomer takes what is there without looking at
 * the line; with `fair` it joins the line if there is one. `tryAcquire()` and `tryAcquire(n)` never look at it.
 *
 * **Death.** The permits of a thread that dies stay taken, since the semaphore does not know whose they are. Tasks that wait in it leave the
 * line. A program that knows of the death may `release` in the place of the dead thread.
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
   * Waits until so many are ours. With a time limit: `TimeoutError` if it is over before. An interrupt ends the wait
   * with `InterruptedError`.
   */
  async acquire(permits: number = 1, wait?: WaitOptions): Promise<Permits> {
    requirePermits(permits)
    if (wait !== undefined || !this.#isInLuck(permits)) await this.#sync.acquireSharedInterruptibly(permits, wait)
    return new Acquired(this.#sync, permits)
  }

  /** Blocks the thread until so many are ours. */
  acquireSync(permits: number = 1): Permits {
    requirePermits(permits)
    if (!this.#isInLuck(permits)) this.#sync.acquireSharedInterruptiblySync(permits)
    return new Acquired(this.#sync, permits)
  }

  /** As `acquire`, whatever interrupts come. */
  async acquireUninterruptibly(permits: number = 1, wait?: WaitOptions): Promise<Permits> {
    await this.#sync.acquireShared(requirePermits(permits), wait)
    return new Acquired(this.#sync, permits)
  }

  /** Blocks the thread until so many are ours, whatever interrupts come. */
  acquireUninterruptiblySync(permits: number = 1): Permits {
    this.#sync.acquireSharedSync(requirePermits(permits))
    return new Acquired(this.#sync, permits)
  }

  /** Takes so many if they are there now, even if others wait for them. */
  tryAcquire(permits?: number): boolean
  /**
   * Waits at most so long; false if the time is up. Reacts to interrupts, and looks at the line if the semaphore is
   * fair.
   */
  tryAcquire(permits: number, wait: WaitOptions): Promise<boolean>
  tryAcquire(permits: number = 1, wait?: WaitOptions): boolean | Promise<boolean> {
    return wait === undefined ? this.#sync.take(requirePermits(permits)) : this.#tryWithin(permits, wait)
  }

  /** Blocks the thread at most so many ms; false if the time is up. Reacts to interrupts. */
  tryAcquireSync(permits: number, ms: number): boolean {
    return this.#sync.tryAcquireSharedWithinSync(requirePermits(permits), requireTimeout("ms", ms))
  }

  // ------------------------------------------------------------------ giving, and taking away

  /** Gives back so many, and lets those go on who now can. */
  release(permits: number = 1): void {
    this.#sync.give(requirePermits(permits))
  }

  /** Takes all there are, and says how many. If there are less than none, makes it none. */
  drainPermits(): number {
    return this.#sync.drain()
  }

  /** Takes so many away without waiting for them: afterwards there may be less than none. */
  reducePermits(reduction: number): void {
    this.#sync.reduce(requireInteger("reduction", reduction, 0))
  }

  // ------------------------------------------------------------------ asking

  /** How many there are now. */
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

  /** Those who wait, first in line first. */
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
  get sync(): AbstractQueuedSynchronizer {
    return this.#sync
  }

  // ------------------------------------------------------------------ inside

  /** The short way: nobody has interrupted us, and the permits are there. If not, the long way finds out why. */
  #isInLuck(permits: number): boolean {
    return !currentFlow().looksInterrupted && this.#sync.isOpen && this.#sync.take(permits)
  }

  async #tryWithin(permits: number, wait: WaitOptions): Promise<boolean> {
    return await this.#sync.tryAcquireSharedWithin(requirePermits(permits), wait)
  }
}

/** The first look is for speed: words an error that is hardly ever needed only when it is. */
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
