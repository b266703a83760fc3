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
import { BY_TIME } from "./layout.ts"
import type { TaskRecords } from "./task-records.ts"

const CONTROL_AT = wholeLines(LOCK_WORDS)
const SEQUENCE = CONTROL_AT + 2
/** How many threads, at most, wait and want to know when the heap becomes empty. */
const PATIENT = CONTROL_AT + 3
/** The promise of {@link SlotHeap.lead}: a time in two words, 0 if there is none. Written under the lock. */
const AWAITED = CONTROL_AT + 4
const INDICES = CONTROL_AT + LINE

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

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

  static allocate(capacity: number, threadContext: ThreadContext): Int32Array {
    const words = reserveWords(entriesAt(capacity) + IndexedHeap.wordsFor(capacity))
    store(words, CONTROL_AT + CONTROL.DEATHS_SEEN, threadContext.registry.deaths)
    return words
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  /** Read without the lock. */
  get size(): number {
    return load(this.#words, this.#size)
  }

  offer(slot: number): boolean {
    if (Number.isNaN(this.#tasks.rankOf(slot))) {
      throw new TypeError(
        "Expected `task` to have a priority, by which the queue of the pool orders: use pool.with({ priority })",
      )
    }
    // Numbers begin with 1. A periodic task that comes back has a number already.
    if (!this.#keepsNumbers || this.#tasks.sequenceOf(slot) === 0) {
      this.#tasks.setSequence(slot, add(this.#words, SEQUENCE, 1) + 1)
    }
    return this.#inside(() => {
      if (!this.#heap.offer(slot)) return false
      const awaited = this.#awaited
      this.#isUrgent = this.#heap.peek() === slot && (awaited === 0 || this.#tasks.rankInside(slot) < awaited)
      return true
    })
  }

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
      this.#awaited = 0
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
      this.#awaited = first === 0 ? 0 : this.#tasks.rankInside(first)
      return first
    })
  }

  /**
   * The time at which the leader has promised to come back; 0 if there is no promise. Read and written under the lock.
   */
  get #awaited(): number {
    halves[0] = read(this.#words, AWAITED)
    halves[1] = read(this.#words, AWAITED + 1)
    return double[0] as number
  }

  set #awaited(time: number) {
    double[0] = time
    write(this.#words, AWAITED, halves[0] as number)
    write(this.#words, AWAITED + 1, halves[1] as number)
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
    return this.#section.within(body)
  }
}

function entriesAt(capacity: number): number {
  return INDICES + wholeLines(capacity + 1)
}
