import {
  CONDITION_AT,
  FACE,
  IS_TAKEN_BACK_AT_ONCE,
  MEMORY,
  NOTE_CONTENTION,
  NOTE_QUEUED,
  WAIT_QUEUE,
  WAITED_FOR,
  REFUSE_TO_BLOCK,
  RELEASE_ALL,
  REQUIRE_OWN,
  TRY_ACQUIRE_AGAIN,
  TRY_OUT_OF_TURN,
} from "./internals.ts"
import { compareAndSet, load } from "#atomics"
import { MAX_VALUE, rangeError, requireTimeout, typeError } from "../checks.ts"
import { IllegalMonitorStateError, IllegalStateError, TimeoutError, UnsupportedOperationError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import type { WaitedFor } from "../observing.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { EXCLUSIVE, SHARED } from "../memory/wait/wait-queue.ts"
import { abortOf, awaiting, blocking, timeoutOf } from "../memory/flow/waiting.ts"
import {
  ACQUIRE_OPTIONS,
  type AcquireOptions,
  type BlockingOptions,
  blockingPriorityOf,
  priorityOf,
} from "./acquire-options.ts"
import { acquiring } from "./acquiring.ts"
import { Condition, CONDITION_WORDS, type Monitor } from "./condition.ts"
import { IDENTITY, type QueuedThread, SynchronizerBase } from "./synchronizer-base.ts"

/**
 * The base of synchronizers: an integer `state` that all threads share, and a queue of the tasks that wait for it: the
 * highest `priority` first, and first in, first out among equals. A subclass says what the state means, by overriding
 *
 * - `tryAcquire` and `tryRelease` if one task at a time may have it (and `isHeldExclusively` if there are conditions),
 * - `tryAcquireShared` and `tryReleaseShared` if several may.
 *
 * They change the state with `compareAndSetState` and never wait. Everything else is here: queueing, blocking and
 * awaiting, time limits, interrupts, conditions, and the death of threads that wait.
 *
 * To use it in another thread, post it (or its `handle`, if it has fields that cannot be cloned) and pass what arrives
 * to the constructor there: `new Mutex(received)`.
 *
 * Acquiring tries first and queues only if that fails, so a newcomer may overtake tasks that wait; a fair subclass
 * first asks `hasQueuedPredecessors`. All methods that acquire are asynchronous and have a twin in `…Sync` that blocks
 * the thread. Plain `acquire` does not react to interrupts; `acquireInterruptibly` and those with a time limit do.
 *
 * **Death.** What a thread had acquired when it died stays acquired: the synchronizer does not know its holders.
 * `ReentrantLock` does.
 *
 * **Memory effects.** What a task wrote to shared memory before `release` is visible to the task that acquires next.
 *
 * @example
 * ```ts
 * import { AbstractQueuedSynchronizer } from "corepool"
 *
 * // A mutex that any task may release.
 * class Mutex extends AbstractQueuedSynchronizer {
 *   protected override tryAcquire() {
 *     return this.compareAndSetState(0, 1)
 *   }
 *   protected override tryRelease() {
 *     this.state = 0
 *     return true
 *   }
 * }
 *
 * const mutex = new Mutex()
 * await mutex.acquire(1)
 * console.log(await mutex.tryAcquireWithin(1, 10)) // => false
 * mutex.release(1)
 * ```
 */
export abstract class AbstractQueuedSynchronizer extends SynchronizerBase {
  readonly #face: object
  /** The interface for conditions; most synchronizers have none. */
  #monitor: Monitor | undefined
  /** Whether the flow that is first in the queue is just trying. */
  #first = false

  /** A new one with state 0; or, given what another thread posted, the same one here. */
  constructor(shared?: Shared)
  /** @internal A subclass with words of its own passes its memory, and the object that messages name. */
  constructor(shared?: Shared | SharedMemory, face?: object)
  constructor(shared?: Shared | SharedMemory, face?: object) {
    super(shared)
    this.#face = face ?? this
  }

  /** @internal The object that a program has: itself, or the lock that it is inside of. */
  get [FACE](): object {
    return this.#face
  }

  // ------------------------------------------------------------------ for subclasses

  /** Acquires it exclusively, if it can be had now. */
  protected tryAcquire(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this.#face)} cannot be acquired exclusively`)
  }

  /** Gives it back; true if it is free now. */
  protected tryRelease(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this.#face)} cannot be released exclusively`)
  }

  /** Acquires it shared, if it can be had now: negative if not, otherwise how many more could have it. */
  protected tryAcquireShared(_arg: number): number {
    throw new UnsupportedOperationError(`${identityOf(this.#face)} cannot be acquired by several`)
  }

  /** Gives it back; true if waiting tasks may succeed now. */
  protected tryReleaseShared(_arg: number): boolean {
    throw new UnsupportedOperationError(`${identityOf(this.#face)} cannot be released by several`)
  }

  /** Whether the current task has it exclusively. Only conditions ask. */
  protected isHeldExclusively(): boolean {
    throw new UnsupportedOperationError(`${identityOf(this.#face)} has no conditions`)
  }

  /** @internal Gives it back entirely, for a condition; returns the argument for `tryAcquireAgain`. */
  protected [RELEASE_ALL](): unknown {
    const { state } = this
    if (this.release(state)) return state
    throw new IllegalMonitorStateError(`${identityOf(this.#face)} is not free after a release`)
  }

  /** @internal Takes as much as before, if it can be had now. */
  protected [TRY_ACQUIRE_AGAIN](released: unknown): boolean {
    return this.tryAcquire(released as number)
  }

  /** @internal A condition has put a task into the queue. For a subclass whose releases do not always look there. */
  protected [NOTE_QUEUED](): void {}

  /**
   * @internal Whether a task that gives it up and wants it back at once gets it, even if other tasks wait in the queue.
   */
  protected get [IS_TAKEN_BACK_AT_ONCE](): boolean {
    return false
  }

  /**
   * @internal Throws if this thread would block for ever, because another of its flows has the synchronizer. Not called
   * if there is a time limit. A subclass that knows its holders overrides this. `endless`: not even an interrupt would
   * end it.
   */
  protected [REFUSE_TO_BLOCK](_mode: number, _endless: boolean): void {
    if (this[MEMORY].isShared) return
    throw new IllegalStateError(
      "This thread would block for ever: only its own flows know the synchronizer, and they stand still meanwhile. Await it instead, or share it with another thread",
    )
  }

  /**
   * @internal Acquires for a thread that is about to block behind others which, as long as it blocks, cannot acquire
   * either.
   */
  protected [TRY_OUT_OF_TURN](_arg: number, _mode: number): boolean {
    return false
  }

  // ------------------------------------------------------------------ exclusive

  /** Waits until it is acquired, whatever interrupts come. With a time limit: `TimeoutError` if it is over. */
  acquire(arg: number, wait?: AcquireOptions): Promise<void> {
    return this.#acquire(arg, EXCLUSIVE, false, wait)
  }

  /** Blocks the thread until it is acquired, whatever interrupts come. */
  acquireSync(arg: number, options?: BlockingOptions): void {
    const priority = blockingPriorityOf(options)
    if (!this.tryAcquire(arg)) this.#block(arg, EXCLUSIVE, false, priority)
  }

  /** As `acquire`, but an interrupt ends the wait with `InterruptedError`. */
  acquireInterruptibly(arg: number, wait?: AcquireOptions): Promise<void> {
    return this.#acquire(arg, EXCLUSIVE, true, wait)
  }

  /** As `acquireSync`, but an interrupt ends the wait with `InterruptedError`. */
  acquireInterruptiblySync(arg: number, options?: BlockingOptions): void {
    const priority = blockingPriorityOf(options)
    currentFlow().throwIfInterrupted()
    if (!this.tryAcquire(arg)) this.#block(arg, EXCLUSIVE, true, priority)
  }

  /** Waits for at most that time; false if it is up. Reacts to interrupts. */
  tryAcquireWithin(arg: number, wait: AcquireOptions): Promise<boolean> {
    return this.#tryWithin(arg, EXCLUSIVE, wait)
  }

  /** Blocks the thread for at most `ms`; false if the time is up. Reacts to interrupts. */
  tryAcquireWithinSync(arg: number, ms: number, options?: BlockingOptions): boolean {
    return this.#tryWithinSync(arg, EXCLUSIVE, ms, blockingPriorityOf(options))
  }

  /** Gives it back and wakes the first waiting task, if it is free now. */
  release(arg: number): boolean {
    if (!this.tryRelease(arg)) return false
    this[WAIT_QUEUE].wakeFirst()
    return true
  }

  // ------------------------------------------------------------------ shared

  /** As `acquire`, together with others. */
  acquireShared(arg: number, wait?: AcquireOptions): Promise<void> {
    return this.#acquire(arg, SHARED, false, wait)
  }

  /** As `acquireSync`, together with others. */
  acquireSharedSync(arg: number, options?: BlockingOptions): void {
    const priority = blockingPriorityOf(options)
    if (this.tryAcquireShared(arg) < 0) this.#block(arg, SHARED, false, priority)
  }

  /** As `acquireInterruptibly`, together with others. */
  acquireSharedInterruptibly(arg: number, wait?: AcquireOptions): Promise<void> {
    return this.#acquire(arg, SHARED, true, wait)
  }

  /** As `acquireInterruptiblySync`, together with others. */
  acquireSharedInterruptiblySync(arg: number, options?: BlockingOptions): void {
    const priority = blockingPriorityOf(options)
    currentFlow().throwIfInterrupted()
    if (this.tryAcquireShared(arg) < 0) this.#block(arg, SHARED, true, priority)
  }

  /** As `tryAcquireWithin`, together with others. */
  tryAcquireSharedWithin(arg: number, wait: AcquireOptions): Promise<boolean> {
    return this.#tryWithin(arg, SHARED, wait)
  }

  /** As `tryAcquireWithinSync`, together with others. */
  tryAcquireSharedWithinSync(arg: number, ms: number, options?: BlockingOptions): boolean {
    return this.#tryWithinSync(arg, SHARED, ms, blockingPriorityOf(options))
  }

  /** Gives it back, and wakes waiting tasks if that helps. */
  releaseShared(arg: number): boolean {
    if (!this.tryReleaseShared(arg)) return false
    this[WAIT_QUEUE].wakeFirst()
    return true
  }

  /**
   * Whether another wait is older than the caller's: what a fair `tryAcquire` asks first. (To ask whether another task
   * is first would not do: a task may wait several times at once, and must not overtake itself.)
   */
  hasQueuedPredecessors(): boolean {
    return !this.#first && this.hasQueuedThreads
  }

  // ------------------------------------------------------------------ conditions

  /**
   * A new condition. A task that holds the synchronizer waits there until another task, which then holds it, signals.
   */
  newCondition(): Condition {
    return new Condition(this.#asMonitor(), SharedMemory.allocate(CONDITION_WORDS), 0, this.#identity())
  }

  /** The same condition of this synchronizer that another thread has posted. */
  conditionFrom(shared: Shared): Condition {
    return this[REQUIRE_OWN]("shared", new Condition(this.#asMonitor(), SharedMemory.open("Condition", shared)))
  }

  /** @internal The condition in these words of an object that consists of this synchronizer and more. */
  [CONDITION_AT](memory: SharedMemory, base: number): Condition {
    return new Condition(this.#asMonitor(), memory, base)
  }

  /** Whether it is a condition of this synchronizer. */
  owns(condition: Condition): boolean {
    if (!(condition instanceof Condition)) throw typeError("condition", "a Condition", condition)
    return condition.identity === load(this[MEMORY].words, IDENTITY)
  }

  /** Whether any task waits on this condition of the synchronizer, which the current task must hold. */
  hasWaiters(condition: Condition): boolean {
    return this[REQUIRE_OWN]("condition", condition).hasWaiters
  }

  /** How many tasks wait on this condition of the synchronizer, which the current task must hold. */
  waitQueueLength(condition: Condition): number {
    return this[REQUIRE_OWN]("condition", condition).waitQueueLength
  }

  /** The tasks that wait on this condition, longest waiting first. The current task must hold the synchronizer. */
  waitingThreads(condition: Condition): QueuedThread[] {
    return this[REQUIRE_OWN]("condition", condition).waitingThreads
  }

  /** @internal */
  [REQUIRE_OWN](name: string, condition: Condition): Condition {
    if (this.owns(condition)) return condition
    throw rangeError(name, `a condition of ${identityOf(this.#face)}`, "that of another")
  }

  #asMonitor(): Monitor {
    this.#monitor ??= {
      lock: this.#face,
      queue: this[WAIT_QUEUE],
      isHeld: () => this.isHeldExclusively(),
      unlockAll: () => this[RELEASE_ALL](),
      tryLockAgain: (holds) => this.#asFirst(() => this[TRY_ACQUIRE_AGAIN](holds)),
      noteQueued: () => this[NOTE_QUEUED](),
      isTakenBackAtOnce: this[IS_TAKEN_BACK_AT_ONCE],
      lastResort: () => this.#refuse(EXCLUSIVE, true),
    }
    return this.#monitor
  }

  #identity(): number {
    const { words } = this[MEMORY]
    compareAndSet(words, IDENTITY, 0, 1 + Math.floor(Math.random() * MAX_VALUE))
    return load(words, IDENTITY)
  }

  // ------------------------------------------------------------------ inside

  #try(arg: number, mode: number): boolean {
    return mode === SHARED ? this.tryAcquireShared(arg) >= 0 : this.tryAcquire(arg)
  }

  #asFirst(attempt: () => boolean): boolean {
    this.#first = true
    try {
      return attempt()
    } finally {
      this.#first = false
    }
  }

  async #acquire(arg: number, mode: number, interruptible: boolean, wait?: AcquireOptions): Promise<void> {
    if (await this.#attain(arg, mode, interruptible, wait)) return
    throw new TimeoutError(`Did not acquire ${identityOf(this.#face)} within ${timeoutOf(wait, ACQUIRE_OPTIONS)} ms`)
  }

  async #tryWithin(arg: number, mode: number, wait: AcquireOptions): Promise<boolean> {
    return await this.#attain(arg, mode, true, wait)
  }

  #attain(arg: number, mode: number, interruptible: boolean, wait?: AcquireOptions): boolean | Promise<boolean> {
    const flow = currentFlow()
    const timeout = timeoutOf(wait, ACQUIRE_OPTIONS)
    const priority = priorityOf(wait)
    const signal = abortOf(wait)
    signal?.throwIfAborted()
    if (interruptible) flow.throwIfInterrupted()
    if (this.#try(arg, mode)) return true
    if (timeout <= 0) return false
    this[NOTE_CONTENTION]()
    const attempt = (): boolean => this.#asFirst(() => this.#try(arg, mode))
    return awaiting(
      acquiring(this[WAIT_QUEUE], flow, mode, interruptible, attempt, undefined, priority),
      signal === undefined ? timeout : { timeout, signal },
      this[WAITED_FOR],
      this.#face,
    )
  }

  #tryWithinSync(arg: number, mode: number, ms: number, priority: number): boolean {
    requireTimeout("ms", ms)
    currentFlow().throwIfInterrupted()
    return this.#try(arg, mode) || (ms > 0 && this.#block(arg, mode, true, priority, ms))
  }

  #block(arg: number, mode: number, interruptible: boolean, priority: number, ms = Infinity): boolean {
    this[NOTE_CONTENTION]()
    const attempt = (): boolean => this.#asFirst(() => this.#try(arg, mode))
    const lastResort = (): boolean =>
      this[TRY_OUT_OF_TURN](arg, mode) || (ms === Infinity && this.#refuse(mode, !interruptible))
    const steps = acquiring(this[WAIT_QUEUE], currentFlow(), mode, interruptible, attempt, lastResort, priority)
    return blocking(steps, ms, this[WAITED_FOR])
  }

  /** @internal How events name it. */
  protected get [WAITED_FOR](): WaitedFor {
    return "AbstractQueuedSynchronizer"
  }

  #refuse(mode: number, endless: boolean): false {
    this[REFUSE_TO_BLOCK](mode, endless)
    return false
  }
}

export { OWN, type QueuedThread } from "./synchronizer-base.ts"
