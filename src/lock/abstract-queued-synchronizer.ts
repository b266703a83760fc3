/**
 * The base of synchronizers: an integer `state` that all threads share, and a first-in first-out queue of those who wait
 * for it. A subclass says what the state means, by overriding
 *
 * - `tryAcquire` and `tryRelease` if one at a time may have it (and `isHeldExclusively` if there are conditions),
 * - `tryAcquireShared` and `tryReleaseShared` if several may.
 *
 * They change the state with `compareAndSetState` and never wait. Everything else is here: queueing, blocking and
 * awaiting, time limits, interrupts, and the death of threads.
 *
 * A mutex that anybody may release:
 *
 *     class Mutex extends AbstractQueuedSynchronizer {
 *       protected override tryAcquire() { return this.compareAndSetState(0, 1) }
 *       protected override tryRelease() { this.state = 0; return true }
 *     }
 *     const mutex = new Mutex()
 *     await mutex.acquire(1)
 *     mutex.release(1)
 *
 * To use it in another thread, post it and pass what arrives to the constructor there: `new Mutex(received)`.
 *
 * Acquiring tries first and queues only if that fails, so a newcomer may overtake those who wait; a fair subclass first asks
 * `hasQueuedPredecessors`. All methods that acquire are asynchronous and have a twin in `…Sync` that blocks the thread.
 * Plain `acquire` does not react to interrupts; `acquireInterruptibly` and those with a time limit do.
 */
import { compareAndSet, load, store } from "#atomics"
import { requireTimeout } from "../checks.ts"
import { TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { currentFlow, type Flow } from "../memory/flow.ts"
import { wholeLines } from "../memory/layout.ts"
import { type Handle, Shareable, type Shared, SharedMemory } from "../memory/shared-memory.ts"
import { EXCLUSIVE, QUEUE, SHARED, WaitQueue } from "../memory/wait-queue.ts"
import { abortOf, awaiting, blocking, type Steps, timeoutOf, type WaitOptions } from "../memory/waiting.ts"
import { acquiring } from "./acquiring.ts"

/** The queue, and after it on a line of its own what a synchronizer is about. */
const STATE = wholeLines(QUEUE.SIZE)
const CONTENDED = STATE + 1
/** Where the words of a subclass begin. */
export const OWN: number = STATE + 2

const TYPE = "AbstractQueuedSynchronizer"

export abstract class AbstractQueuedSynchronizer extends Shareable {
  /** @internal */
  readonly memory: SharedMemory
  /** @internal */
  readonly queue: WaitQueue
  readonly #words: Int32Array

  /**
   * A new one with state 0; or, given what another thread posted, the same one here. A subclass with words of its own
   * (inside of this library) brings its memory along.
   */
  constructor(shared?: Shared | SharedMemory) {
    const memory = memoryOf(shared)
    super(TYPE, memory)
    this.memory = memory
    this.#words = memory.words
    this.queue = new WaitQueue(memory.here, memory.words, 0, memory)
  }

  // ------------------------------------------------------------------ for subclasses

  protected get state(): number {
    return load(this.#words, STATE)
  }

  protected set state(value: number) {
    store(this.#words, STATE, value)
  }

  protected compareAndSetState(expected: number, value: number): boolean {
    return compareAndSet(this.#words, STATE, expected, value)
  }

  /** Takes it for one, if it can be had now. */
  protected tryAcquire(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this)} cannot be acquired exclusively`)
  }

  /** Gives it back; true if it is free now. */
  protected tryRelease(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this)} cannot be released exclusively`)
  }

  /** Takes it for several, if it can be had now: negative if not, otherwise how many more could have it. */
  protected tryAcquireShared(_arg: number): number {
    throw new UnsupportedOperationError(`${identityOf(this)} cannot be acquired by several`)
  }

  /** Gives it back; true if those who wait may have a chance now. */
  protected tryReleaseShared(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this)} cannot be released by several`)
  }

  /** Whether the current task has it for itself. Only conditions ask. */
  protected isHeldExclusively(): boolean {
    throw new UnsupportedOperationError(`${identityOf(this)} has no conditions`)
  }

  /** @internal Throws if the thread would block for ever: if a flow of this very thread holds what it wants. */
  protected refuseToBlock(): void {
    // A synchronizer without an owner cannot know.
  }

  // ------------------------------------------------------------------ exclusive

  /** Waits until it is ours, whatever interrupts come. */
  acquire(arg: number, wait?: WaitOptions): Promise<void> {
    return this.#acquire(arg, EXCLUSIVE, false, wait)
  }

  acquireSync(arg: number): void {
    if (!this.tryAcquire(arg)) this.#block(arg, EXCLUSIVE, false)
  }

  acquireInterruptibly(arg: number, wait?: WaitOptions): Promise<void> {
    return this.#acquire(arg, EXCLUSIVE, true, wait)
  }

  acquireInterruptiblySync(arg: number): void {
    currentFlow().throwIfInterrupted()
    if (!this.tryAcquire(arg)) this.#block(arg, EXCLUSIVE, true)
  }

  /** Waits at most so long; false if the time is up. Reacts to interrupts. */
  tryAcquireWithin(arg: number, wait: WaitOptions): Promise<boolean> {
    return this.#tryWithin(arg, EXCLUSIVE, wait)
  }

  tryAcquireWithinSync(arg: number, ms: number): boolean {
    return this.#tryWithinSync(arg, EXCLUSIVE, ms)
  }

  /** Gives it back and wakes the first who waits, if it is free now. */
  release(arg: number): boolean {
    if (!this.tryRelease(arg)) return false
    this.queue.wakeFirst()
    return true
  }

  // ------------------------------------------------------------------ shared

  acquireShared(arg: number, wait?: WaitOptions): Promise<void> {
    return this.#acquire(arg, SHARED, false, wait)
  }

  acquireSharedSync(arg: number): void {
    if (this.tryAcquireShared(arg) < 0) this.#block(arg, SHARED, false)
  }

  acquireSharedInterruptibly(arg: number, wait?: WaitOptions): Promise<void> {
    return this.#acquire(arg, SHARED, true, wait)
  }

  acquireSharedInterruptiblySync(arg: number): void {
    currentFlow().throwIfInterrupted()
    if (this.tryAcquireShared(arg) < 0) this.#block(arg, SHARED, true)
  }

  tryAcquireSharedWithin(arg: number, wait: WaitOptions): Promise<boolean> {
    return this.#tryWithin(arg, SHARED, wait)
  }

  tryAcquireSharedWithinSync(arg: number, ms: number): boolean {
    return this.#tryWithinSync(arg, SHARED, ms)
  }

  releaseShared(arg: number): boolean {
    if (!this.tryReleaseShared(arg)) return false
    this.queue.wakeFirst()
    return true
  }

  // ------------------------------------------------------------------ who waits

  get hasQueuedThreads(): boolean {
    return !this.queue.isEmpty
  }

  /** How many tasks wait; an estimate while they come and go. */
  get queueLength(): number {
    return this.queue.length
  }

  /** Whether anybody ever had to wait. */
  get hasContended(): boolean {
    return load(this.#words, CONTENDED) !== 0
  }

  /** Whether somebody else has waited longer than the current task. What a fair `tryAcquire` asks first. */
  hasQueuedPredecessors(): boolean {
    return this.queue.hasPredecessorOf(currentFlow())
  }

  override toString(): string {
    return `${identityOf(this)}[State = ${this.state}, ${this.hasQueuedThreads ? "non" : ""}empty queue]`
  }

  // ------------------------------------------------------------------ inside

  #try(arg: number, mode: number): boolean {
    return mode === SHARED ? this.tryAcquireShared(arg) >= 0 : this.tryAcquire(arg)
  }

  async #acquire(arg: number, mode: number, interruptible: boolean, wait?: WaitOptions): Promise<void> {
    const timeout = timeoutOf(wait)
    if (await this.#attain(arg, mode, interruptible, wait)) return
    throw new TimeoutError(`Did not acquire ${identityOf(this)} within ${timeout} ms`)
  }

  async #tryWithin(arg: number, mode: number, wait: WaitOptions): Promise<boolean> {
    return await this.#attain(arg, mode, true, wait)
  }

  #attain(
    arg: number,
    mode: number,
    interruptible: boolean,
    wait: WaitOptions | undefined,
  ): boolean | Promise<boolean> {
    const flow = currentFlow()
    abortOf(wait)?.throwIfAborted()
    if (interruptible) flow.throwIfInterrupted()
    if (this.#try(arg, mode)) return true
    if (timeoutOf(wait) <= 0) return false
    const steps = this.#acquiring(mode, interruptible, flow, () => this.#try(arg, mode))
    return awaiting(steps, wait)
  }

  #tryWithinSync(arg: number, mode: number, ms: number): boolean {
    currentFlow().throwIfInterrupted()
    if (this.#try(arg, mode)) return true
    return requireTimeout("ms", ms) > 0 && this.#block(arg, mode, true, ms)
  }

  #block(arg: number, mode: number, interruptible: boolean, ms = Infinity): boolean {
    return blocking(
      this.#acquiring(mode, interruptible, currentFlow(), () => {
        this.refuseToBlock()
        return this.#try(arg, mode)
      }),
      ms,
    )
  }

  #acquiring(mode: number, interruptible: boolean, flow: Flow, attempt: () => boolean): Steps<boolean> {
    store(this.#words, CONTENDED, 1)
    return acquiring(this.queue, flow, mode, interruptible, attempt)
  }
}

function memoryOf(shared: Shared | SharedMemory | undefined): SharedMemory {
  if (shared === undefined) return SharedMemory.allocate(OWN)
  return shared instanceof SharedMemory ? shared : SharedMemory.open(TYPE, shared)
}

export type { Handle, Shared }
