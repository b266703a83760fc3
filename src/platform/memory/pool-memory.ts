import { compareAndSet, exchange, load, store } from "#atomics"
import { Arena } from "../../memory/structures/arena.ts"
import { GrowingWords } from "../../memory/growing-words.ts"
import { wordsOf } from "../../memory/growth.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import type { Handle } from "../../memory/shared/shared-memory.ts"
import { threadContext, contextIn } from "../../memory/thread/this-thread.ts"
import { type PoolTimes, sharedTimes } from "../../core/pool-times.ts"
import { SharedState } from "../../core/pool-state.ts"
import { Slots } from "../../memory/structures/slots.ts"
import { SharedGate } from "./shared-gate.ts"
import { SlotHeap } from "./slot-heap.ts"
import { closePool, openPool } from "./open-pools.ts"
import { BASE, BY_ARRIVAL, BY_TIME, HEADER, MOST_TASKS, slotsBase, TASK, tasksBase } from "./layout.ts"

/** The buffers of a pool, as sent to another thread. */
export interface PoolHandle extends Handle {
  readonly texts: Handle["memory"]
  readonly arena: Handle["memory"]
  /** If the tasks have an order: see slot-heap.ts. */
  readonly order?: Handle["memory"]
  /** If each worker has a deque of its own tasks. */
  readonly deques?: Handle["memory"]
  /** If the pool has a rate limiter. */
  readonly limiter?: Handle
}

/** What is decided when the pool is made. */
interface Form {
  /** See `HEADER.BOUND`. */
  readonly bound: number
  /** See `HEADER.ORDER`. */
  readonly ordering: number
  /** How many slots there are. */
  readonly capacity: number
  readonly deques?: Int32Array | undefined
  readonly limiter?: Handle | undefined
}

export const TYPE = "ThreadPoolExecutor"
export const SCHEDULED_TYPE = "ScheduledThreadPoolExecutor"
/** A pool whose workers have deques of their own. */
export const FORK_JOIN_TYPE = "ForkJoinPool"

/** Room for the references of functions: their sources, or the addresses of their modules. */
const TEXT_WORDS = 2 ** 10
const MOST_TEXT_WORDS = 2 ** 24

/** How many records there are at first. */
const FIRST_TASKS = 256

/** The memory of a pool of platform threads, as this thread sees it. */
export class PoolMemory {
  readonly threadContext: ThreadContext
  readonly state: SharedState
  readonly times: PoolTimes
  /** Which records of tasks are in use. */
  readonly slots: Slots
  /** The identity of this pool: the same number in all threads, and different from that of other pools. */
  readonly identity: number
  /** How many slots there are. */
  readonly capacity: number
  readonly texts: GrowingWords
  /** For values that are too long for a record. */
  readonly arena: Arena
  /** For the heap of tasks, if they are not taken in the order of arrival: see slot-heap.ts. */
  readonly order: Int32Array | undefined
  /** For the tasks that workers have forked: see platform/queue/stealing-store.ts. */
  readonly deques: Int32Array | undefined
  /** Of the rate limiter, if the pool has one. */
  readonly limiter: Handle | undefined
  /** The part that never grows: everything except the records of tasks. */
  readonly words: Int32Array
  readonly #memory: GrowingWords

  private constructor(
    thread: ThreadContext,
    memory: GrowingWords,
    texts: GrowingWords,
    arena: Arena,
    order: Int32Array | undefined,
    deques: Int32Array | undefined,
    limiter: Handle | undefined,
  ) {
    this.limiter = limiter
    this.order = order
    this.deques = deques
    this.threadContext = thread
    this.#memory = memory
    this.words = memory.words
    this.texts = texts
    this.arena = arena
    this.state = new SharedState(memory.buffer)
    this.state.gate = new SharedGate(thread, memory.words, BASE.GATE, this.state.control, () => this.ringIfIdle())
    this.times = sharedTimes(memory.words, BASE.TIMES)
    this.identity = PoolMemory.identityIn(memory)
    this.capacity = load(memory.words, BASE.HEADER + HEADER.CAPACITY)
    this.slots = new Slots(memory.words, slotsBase(this.capacity), this.capacity, 0)
  }

  /** Allocates memory for a queue with this `HEADER.BOUND` and `HEADER.ORDER`, and perhaps with deques. */
  static create(bound: number, ordering: number, most: number, deques?: Int32Array, limiter?: Handle): PoolMemory {
    openPool()
    try {
      return PoolMemory.#reserve(most, { bound, ordering, deques, limiter })
    } catch (error) {
      closePool()
      throw error
    }
  }

  /** The pool has ended. */
  noteEnd(): void {
    closePool()
  }

  static #reserve(most: number, form: Omit<Form, "capacity">): PoolMemory {
    const { bound } = form
    const capacity = bound < 0 ? MOST_TASKS : Math.min(bound + most + SPARE, MOST_TASKS)
    const base = tasksBase(capacity)
    const first = Math.min(FIRST_TASKS, capacity)
    const memory = GrowingWords.reserve(base + (first + 1) * TASK.SIZE, base + (capacity + 1) * TASK.SIZE)
    store(memory.words, BASE.HEADER + HEADER.IDENTITY, Math.floor(Math.random() * 2 ** 32) | 0)
    store(memory.words, BASE.HEADER + HEADER.IDENTITY + 1, Math.floor(Math.random() * 2 ** 21))
    const texts = GrowingWords.reserve(TEXT_WORDS, MOST_TEXT_WORDS)
    return PoolMemory.#prepare(threadContext(), memory, texts, Arena.reserve(), { ...form, capacity })
  }

  /** A small one over memory that does not grow: for models, in which every word counts. */
  static small(thread: ThreadContext, form: Form): PoolMemory {
    const memory = GrowingWords.fixed(tasksBase(form.capacity) + (form.capacity + 1) * TASK.SIZE)
    const arena = new Arena(GrowingWords.fixed(Arena.overhead / 4).buffer)
    return PoolMemory.#prepare(thread, memory, GrowingWords.fixed(TEXT_WORDS), arena, form)
  }

  static #prepare(
    thread: ThreadContext,
    memory: GrowingWords,
    texts: GrowingWords,
    arena: Arena,
    { bound, ordering, capacity, deques, limiter }: Form,
  ): PoolMemory {
    store(memory.words, BASE.HEADER + HEADER.CAPACITY, capacity)
    store(memory.words, BASE.HEADER + HEADER.BOUND, bound)
    store(memory.words, BASE.HEADER + HEADER.ORDER, ordering)
    const order = ordering === BY_ARRIVAL ? undefined : SlotHeap.allocate(capacity, thread, ordering)
    const created = new PoolMemory(thread, memory, texts, arena, order, deques, limiter)
    created.state.control.initialize()
    return created
  }

  /** This thread's view of the memory that another thread has sent. */
  static open(handle: PoolHandle, thread: ThreadContext = contextIn(handle.space)): PoolMemory {
    const memory = GrowingWords.over(handle.memory)
    const order = handle.order && wordsOf(handle.order)
    const deques = handle.deques && wordsOf(handle.deques)
    const texts = GrowingWords.over(handle.texts)
    return new PoolMemory(thread, memory, texts, new Arena(handle.arena), order, deques, handle.limiter)
  }

  raiseHeader(word: number, value: number): void {
    for (;;) {
      const now = this.header(word)
      if (now >= value || compareAndSet(this.words, BASE.HEADER + word, now, value)) return
    }
  }

  /** The identity of the pool that has this handle. */
  static identityOf({ memory }: PoolHandle): number {
    const words = new Int32Array(memory, 0, BASE.HEADER + HEADER.SIZE)
    return (load(words, BASE.HEADER + HEADER.IDENTITY) >>> 0) * 2 ** 21 + load(words, BASE.HEADER + HEADER.IDENTITY + 1)
  }

  /** The identity of the pool in these words. */
  static identityIn({ words }: GrowingWords): number {
    const at = BASE.HEADER + HEADER.IDENTITY
    return (load(words, at) >>> 0) * 2 ** 21 + load(words, at + 1)
  }

  get handle(): PoolHandle {
    return {
      corepool: this.deques !== undefined ? FORK_JOIN_TYPE : this.ordering === BY_TIME ? SCHEDULED_TYPE : TYPE,
      space: this.threadContext.registry.buffer,
      memory: this.#memory.buffer,
      texts: this.texts.buffer,
      arena: this.arena.buffer,
      ...(this.order && { order: this.order.buffer as Handle["memory"] }),
      ...(this.deques && { deques: this.deques.buffer as Handle["memory"] }),
      ...(this.limiter && { limiter: this.limiter }),
    }
  }

  /** The words, grown to at least `end` of them. Throws RangeError if the machine has no more memory. */
  reach(end: number): Int32Array {
    if (end > this.#memory.words.length) this.#memory.reach(end)
    return this.#memory.words
  }

  // ------------------------------------------------------------------ the owner

  get owner(): number {
    return load(this.words, BASE.HEADER + HEADER.OWNER)
  }

  get isOwner(): boolean {
    return this.owner === this.threadContext.token
  }

  setOwner(bell: number): void {
    store(this.words, BASE.HEADER + HEADER.OWNER_BELL, bell)
    store(this.words, BASE.HEADER + HEADER.OWNER, this.threadContext.token)
  }

  /** Makes the owner look for requests. */
  ringOwner(): void {
    this.threadContext.wake(this.owner, load(this.words, BASE.HEADER + HEADER.OWNER_BELL))
  }

  /** A worker has become idle: rings the owner, if the owner wants to know (HEADER.FOREIGN). */
  ringIfIdle(): void {
    if (this.header(HEADER.FOREIGN) !== 0) this.ringOwner()
  }

  header(word: number): number {
    return load(this.words, BASE.HEADER + word)
  }

  setHeader(word: number, value: number): number {
    return exchange(this.words, BASE.HEADER + word, value)
  }

  /** Pushes a slot on a list of slots whose top is in the header. */
  pushOn(word: number, slot: number, link: (below: number) => void): void {
    let top: number
    do {
      top = this.header(word)
      link(top)
    } while (!compareAndSet(this.words, BASE.HEADER + word, top, slot))
  }

  get bound(): number {
    return load(this.words, BASE.HEADER + HEADER.BOUND)
  }

  get ordering(): number {
    return load(this.words, BASE.HEADER + HEADER.ORDER)
  }
}

/**
 * Slots beyond those that a bounded queue and its workers hold: for tasks that are done and that their submitters have
 * not yet received.
 */
const SPARE = 1024
