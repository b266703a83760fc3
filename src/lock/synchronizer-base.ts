import { MEMORY, NOTE_CONTENTION, WAIT_QUEUE } from "./internals.ts"
import { compareAndSet, load, store } from "#atomics"
import { requireObject, typeError } from "../checks.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { wholeLines } from "../memory/layout.ts"
import { Shareable, type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { EXCLUSIVE, QUEUE, SHARED, type Waiter, WaitQueue } from "../memory/wait/wait-queue.ts"

/** The queue, and after it on a line of its own the state of the synchronizer. */
export const STATE: number = wholeLines(QUEUE.SIZE)
const CONTENDED = STATE + 1
/** A number by which its conditions know it; 0 if it has none. */
export const IDENTITY: number = STATE + 2
/** Where the words of a subclass begin. */
export const OWN: number = STATE + 3

const TYPE = "AbstractQueuedSynchronizer"

/** A waiting task, as far as it can be seen from here. */
export interface QueuedThread {
  /** Its `Thread.id` in the thread it runs in. */
  readonly id: number
  /** Whether that is this thread. Each numbers its own tasks. */
  readonly isLocal: boolean
}

/**
 * What every synchronizer consists of: a word of state, the queue of the tasks that wait for it, and the getters for
 * both. How it is acquired and released is in abstract-queued-synchronizer.ts.
 */
export abstract class SynchronizerBase extends Shareable {
  readonly #memory: SharedMemory
  readonly #queue: WaitQueue
  readonly #words: Int32Array

  /** A new one; or, given what another thread has posted, the same one here. */
  constructor(shared?: Shared)
  /** @internal */
  constructor(shared?: Shared | SharedMemory)
  constructor(shared?: Shared | SharedMemory) {
    const memory = memoryOf(shared)
    super(TYPE, memory)
    this.#memory = memory
    this.#words = memory.words
    this.#queue = new WaitQueue(memory.threadContext, memory.words, 0, memory)
  }

  /** @internal */
  get [MEMORY](): SharedMemory {
    return this.#memory
  }

  /** @internal */
  get [WAIT_QUEUE](): WaitQueue {
    return this.#queue
  }

  // ------------------------------------------------------------------ the state, for subclasses

  /** Its meaning is up to the subclass. Reading and setting it are sequentially consistent. */
  protected get state(): number {
    return load(this.#words, STATE)
  }

  protected set state(value: number) {
    store(this.#words, STATE, value)
  }

  /** Sets the state if it is `expected`, and returns whether it was. */
  protected compareAndSetState(expected: number, value: number): boolean {
    return compareAndSet(this.#words, STATE, expected, value)
  }

  // ------------------------------------------------------------------ waiting tasks

  /** Whether any task waits. */
  get hasQueuedThreads(): boolean {
    return !this.#queue.isEmpty
  }

  /** How many tasks wait; an estimate while they come and go. */
  get queueLength(): number {
    return this.#queue.length
  }

  /** The waiting tasks, first in line first. */
  get queuedThreads(): QueuedThread[] {
    return this.#seen(this.#queue.waiters())
  }

  /** The tasks that wait to acquire exclusively. */
  get exclusiveQueuedThreads(): QueuedThread[] {
    return this.#seen(this.#queue.waiters().filter(({ mode }) => mode === EXCLUSIVE))
  }

  /** The tasks that wait to acquire shared. */
  get sharedQueuedThreads(): QueuedThread[] {
    return this.#seen(this.#queue.waiters().filter(({ mode }) => mode === SHARED))
  }

  /** The task that is first in line. */
  get firstQueuedThread(): QueuedThread | undefined {
    return this.queuedThreads[0]
  }

  /**
   * Whether this thread, a local virtual one or the current one, waits. Tasks in other threads cannot be asked for.
   */
  isQueued(thread: { readonly id: number }): boolean {
    const { id } = requireObject("thread", thread, "a Thread") as { id?: unknown }
    if (typeof id !== "number") throw typeError("thread", "a Thread", thread)
    return this.queuedThreads.some((waiter) => waiter.isLocal && waiter.id === id >>> 0)
  }

  /** Whether any task ever had to wait. */
  get hasContended(): boolean {
    return load(this.#words, CONTENDED) !== 0
  }

  /** @internal */
  protected [NOTE_CONTENTION](): void {
    store(this.#words, CONTENDED, 1)
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { state: this.state, queueLength: this.queueLength }
  }

  /** Its state, and whether any task waits. */
  override toString(): string {
    return `${identityOf(this)}[State = ${this.state}, ${this.hasQueuedThreads ? "non" : ""}empty queue]`
  }

  #seen(waiters: readonly Waiter[]): QueuedThread[] {
    return waiters.map(({ thread, flow }) => ({ id: flow >>> 0, isLocal: thread === this.#memory.threadContext.token }))
  }
}

function memoryOf(shared: Shared | SharedMemory | undefined): SharedMemory {
  if (shared === undefined) return SharedMemory.allocate(OWN)
  return shared instanceof SharedMemory ? shared : SharedMemory.open(TYPE, shared)
}
