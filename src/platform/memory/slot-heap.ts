import { add, load, read, store, write } from "#atomics"
import { LOCK_WORDS, LockSync } from "../../lock/lock-sync.ts"
import type { ThreadContext } from "../../memory/thread/thread-context.ts"
import { HEAP, IndexedHeap } from "../../memory/structures/indexed-heap.ts"
import { sortedBy } from "../../memory/structures/sorted-by.ts"
import { LINE, wholeLines } from "../../memory/layout.ts"
import { MemoryRecord } from "../../memory/record.ts"
import { reserveWords } from "../../memory/reservation.ts"
import { SharedMemory } from "../../memory/shared/shared-memory.ts"
import { CONTROL } from "../../queue/shared/shared-layout.ts"
import { SharedSection, SPINS } from "../../queue/shared/shared-section.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import { Entrance } from "./entrance.ts"
import { BY_TIME } from "./layout.ts"
import type { TaskRecords } from "./task-records.ts"

const CONTROL_AT = wholeLines(LOCK_WORDS)
const SEQUENCE = CONTROL_AT + 2
/** How many threads, at most, wait and want to know when the heap becomes empty. */
const PATIENT = CONTROL_AT + 3
/** The promise of {@link SlotHeap.lead}: a time in units from EPOCH on, 0 if there is none. Written under the lock. */
const PROMISED = CONTROL_AT + 4
/** A moment before the heap was made, in epochs. Never changes. */
const EPOCH = CONTROL_AT + 5
const INDICES = CONTROL_AT + LINE

/** In ms. So a promise fits into one word for a year. */
const UNIT = 16
const EPOCHS = 2 ** 30
/** A promise for a task that never becomes due. */
const NEVER = 2 ** 31 - 1

/** An order of slots. */
interface Order {
  /** Negative if a task of the first rank comes before one of the second, 0 if they are alike. Both may be Infinity. */
  readonly compareRanks: (one: number, other: number) => number
  /** Whether the slot, which is the first, can be taken. */
  readonly isReady: (slot: number) => boolean
}

function byPriority(): Order {
  return {
    compareRanks: (one, other) => (one === other ? 0 : other - one),
    isReady: () => true,
  }
}

function byTime(tasks: TaskRecords): Order {
  return {
    compareRanks: (one, other) => (one === other ? 0 : one - other),
    isReady: (slot) => tasks.rankInside(slot) <= sharedNow(),
  }
}

/** Negative if the first of two numbers was given before the second. */
function compareNumbers(one: number, other: number): number {
  return (one - other) | 0
}

/**
 * The tasks of a pool in an order: by priority, the highest first, or by the time at which they are due, the soonest
 * first. Among equals the earlier comes first. A pool has it in place of its ring, and it has the same methods.
 *
 * How it works: a heap in shared memory under a lock, which is held for a fraction of a microsecond. If a thread dies
 * inside, the next one repairs the heap. A death can only lose the slot that is on its way in or out; for the one on
 * its way out, the CLAIM of the dead thread says which it is.
 *
 * A heap by time has an {@link Entrance}, through which the owner of the pool brings its tasks without the lock, if the
 * leader comes in time for them. What stands in the entrance is in the heap for every caller: each operation lets it in
 * first. The owner pushes the slot, and then reads the promise of the leader. The leader writes its promise, and then
 * looks into the entrance. So either the owner sees the new promise, or the leader sees the slot.
 */
export class SlotHeap {
  readonly #words: Int32Array
  readonly #pool: Int32Array
  readonly #tasks: TaskRecords
  readonly #heap: IndexedHeap
  readonly #section: SharedSection
  readonly #size: number
  readonly #order: Order
  /** Whether a slot keeps the number that it got when it first came in. */
  readonly #keepsNumbers: boolean
  readonly #entrance: Entrance | undefined
  readonly #letIn = (slot: number): void => {
    if (!this.#heap.contains(slot)) this.#put(slot)
  }
  /** In ms. */
  readonly #epoch: number
  #isUrgent = false

  /** Over memory of {@link SlotHeap.allocate}; `pool` has the words in which workers claim. */
  constructor(
    threadContext: ThreadContext,
    words: Int32Array,
    pool: Int32Array,
    capacity: number,
    tasks: TaskRecords,
    order: number,
    spins: number = SPINS,
  ) {
    this.#words = words
    this.#pool = pool
    this.#tasks = tasks
    this.#order = order === BY_TIME ? byTime(tasks) : byPriority()
    this.#keepsNumbers = order === BY_TIME
    this.#entrance = order === BY_TIME ? new Entrance(words, entranceAt(capacity), capacity) : undefined
    this.#epoch = read(words, EPOCH) * EPOCHS
    this.#size = entriesAt(capacity) + HEAP.SIZE
    const { compareRanks } = this.#order
    const compare = (a: number, b: number): number =>
      compareRanks(tasks.rankInside(a), tasks.rankInside(b)) || compareNumbers(tasks.sequenceOf(a), tasks.sequenceOf(b))
    this.#heap = new IndexedHeap(words, entriesAt(capacity), capacity, compare, {
      words,
      index: INDICES,
      stride: 1,
    })
    const control = new MemoryRecord(words, CONTROL_AT)
    this.#section = new SharedSection(
      new LockSync(new SharedMemory(threadContext, words, true)),
      control,
      { refresh() {}, sweep() {}, repair: () => this.#heap.repair() },
      spins,
    )
  }

  static allocate(capacity: number, threadContext: ThreadContext, order: number): Int32Array {
    const words = reserveWords(entranceAt(capacity) + (order === BY_TIME ? Entrance.wordsFor(capacity) : 0))
    write(words, EPOCH, Math.floor(sharedNow() / EPOCHS))
    store(words, CONTROL_AT + CONTROL.DEATHS_SEEN, threadContext.registry.deaths)
    return words
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  get size(): number {
    if (this.#entrance !== undefined && !this.#entrance.isEmpty) return this.#inside(() => this.#heap.size)
    return load(this.#words, this.#size) // without the lock
  }

  offer(slot: number): boolean {
    if (Number.isNaN(this.#tasks.rankOf(slot))) {
      throw new TypeError(
        "Expected `task` to have a priority, by which the queue of the pool orders: use pool.with({ priority })",
      )
    }
    return this.#inside(() => {
      if (!this.#put(slot)) return false
      this.#judge(slot)
      return true
    })
  }

  #put(slot: number): boolean {
    // Numbers begin with 1. A periodic task that comes back has a number already.
    if (!this.#keepsNumbers || this.#tasks.sequenceOf(slot) === 0) {
      const number = (read(this.#words, SEQUENCE) + 1) | 0
      write(this.#words, SEQUENCE, number)
      this.#tasks.setSequence(slot, number)
    }
    return this.#heap.offer(slot)
  }

  #judge(slot: number): void {
    this.#isUrgent = this.#heap.peek() === slot && !this.#isInTime(this.#tasks.rankInside(slot))
  }

  // ------------------------------------------------------------------ without the lock

  /** From now on the slots of this thread, the owner of the pool, use the entrance. */
  openEntrance(): void {
    if (this.#entrance !== undefined) this.#entrance.isOpen = true
  }

  /** As {@link offer}, for a new task of this thread. False, and no effect, if the task has to be offered. */
  enter(slot: number): boolean {
    const entrance = this.#entrance
    if (entrance === undefined || !entrance.isOpen) return false
    const rank = this.#tasks.rankInside(slot)
    if (!this.#isInTime(rank) || !entrance.push(slot)) return false
    this.#isUrgent = false
    if (!this.#isInTime(rank)) {
      if (entrance.withdraw(slot)) return false
      this.#inside(() => this.#judge(slot)) // another thread has let it in meanwhile
    }
    return true
  }

  /** As {@link remove}, for a slot that is still in the entrance. False, and no effect, if it has to be removed. */
  withdraw(slot: number): boolean {
    return this.#entrance?.isOpen === true && this.#entrance.withdraw(slot)
  }

  // ------------------------------------------------------------------

  /** Whether the slot that this thread has put in last is the first, and no leader comes back in time for it. */
  get isUrgent(): boolean {
    return this.#isUrgent
  }

  /**
   * The first slot, if it is ready. A worker claims it beforehand, in the word `claim` of the pool. This drops the
   * promise of {@link lead}: the caller may be the leader, which now goes.
   */
  poll(claim = 0): number {
    if (this.isEmpty) return 0
    return this.#inside(() => {
      const first = this.#heap.peek()
      if (first === 0 || !this.#order.isReady(first)) return 0
      if (claim !== 0) write(this.#pool, claim, first)
      store(this.#words, PROMISED, 0)
      return this.#heap.poll()
    })
  }

  /**
   * The first slot; 0 if there is none. The caller, the leader, promises to come back when that task is due, whatever
   * becomes of the task, or to let another thread lead. Until then no thread is woken for a task that is due later.
   */
  lead(): number {
    return this.#inside(() => {
      const first = this.#heap.peek()
      this.#promise(first)
      if (this.#entrance?.empty(this.#letIn) !== true) return first
      const sooner = this.#heap.peek()
      this.#promise(sooner)
      return sooner
    })
  }

  #promise(slot: number): void {
    const left = slot === 0 ? 0 : (this.#tasks.rankInside(slot) - this.#epoch) / UNIT
    const units = left === Infinity ? NEVER : Math.ceil(left)
    store(this.#words, PROMISED, units > NEVER || units < 0 ? 0 : units)
  }

  /** Whether a leader has promised to come back before a task of this rank is due. */
  #isInTime(rank: number): boolean {
    const promised = load(this.#words, PROMISED)
    return promised !== 0 && rank >= (promised === NEVER ? Infinity : this.#epoch + promised * UNIT)
  }

  /**
   * A thread begins (1) or ceases (−1) to wait for a task or for the heap to become empty. A thread that dies meanwhile
   * stays counted.
   */
  addPatient(change: 1 | -1): void {
    add(this.#words, PATIENT, change)
  }

  /** Whether such a thread may exist. */
  get hasPatient(): boolean {
    return load(this.#words, PATIENT) !== 0
  }

  /** The first slot, ready or not, claimed as by {@link poll}. */
  seize(claim = 0): number {
    if (this.isEmpty) return 0
    return this.#inside(() => {
      const first = this.#heap.peek()
      if (first !== 0 && claim !== 0) write(this.#pool, claim, first)
      return first === 0 ? 0 : this.#heap.poll()
    })
  }

  remove(slot: number): boolean {
    return this.#inside(() => this.#heap.remove(slot))
  }

  peek(): number {
    return this.#inside(() => this.#heap.peek())
  }

  /** In order. */
  toArray(): number[] {
    const tasks = this.#tasks
    const { compareRanks } = this.#order
    return this.#inside(() =>
      sortedBy(
        this.#heap.toArray(),
        (slot) => ({ rank: tasks.rankInside(slot), number: tasks.sequenceOf(slot) }),
        (a, b) => compareRanks(a.rank, b.rank) || compareNumbers(a.number, b.number),
      ),
    )
  }

  #inside<T>(body: () => T): T {
    this.#section.enter()
    return this.#section.within(() => {
      this.#entrance?.empty(this.#letIn)
      return body()
    })
  }
}

function entriesAt(capacity: number): number {
  return INDICES + wholeLines(capacity + 1)
}

function entranceAt(capacity: number): number {
  return wholeLines(entriesAt(capacity) + IndexedHeap.wordsFor(capacity))
}
