/**
 * Tasks by priority: the highest first, and of equal ones that which came first. It stands where the ring of a pool stands
 * otherwise, and has the same methods.
 *
 * How it works: a heap in shared memory under a lock, which is held for a fraction of a microsecond. If a thread dies inside, the
 * next one repairs the heap, which never loses anything but what is on its way in or out; and of what is on its way out
 * the dying thread's CLAIM tells.
 */
import { add, load, sharedWords, store, write } from "#atomics"
import { LOCK_WORDS, LockSync } from "../lock/lock-sync.ts"
import type { Here } from "../memory/here.ts"
import { HEAP, IndexedHeap } from "../memory/indexed-heap.ts"
import { LINE, wholeLines } from "../memory/layout.ts"
import { MemoryRecord } from "../memory/record.ts"
import { SharedMemory } from "../memory/shared-memory.ts"
import { CONTROL } from "../queue/shared-layout.ts"
import { SharedSection, SPINS } from "../queue/shared-section.ts"
import type { TaskRecords } from "./task-records.ts"

const CONTROL_AT = wholeLines(LOCK_WORDS)
const SEQUENCE = CONTROL_AT + 2
const INDICES = CONTROL_AT + LINE

export class SlotHeap {
  readonly #words: Int32Array
  readonly #pool: Int32Array
  readonly #tasks: TaskRecords
  readonly #heap: IndexedHeap
  readonly #section: SharedSection
  readonly #size: number

  /** Over memory of {@link SlotHeap.allocate}; `pool` has the words in which workers claim. */
  constructor(
    here: Here,
    words: Int32Array,
    pool: Int32Array,
    capacity: number,
    tasks: TaskRecords,
    spins: number = SPINS,
  ) {
    this.#words = words
    this.#pool = pool
    this.#tasks = tasks
    this.#size = entriesAt(capacity) + HEAP.SIZE
    this.#heap = new IndexedHeap(words, entriesAt(capacity), capacity, (a, b) => tasks.compare(a, b), {
      words,
      index: INDICES,
      stride: 1,
    })
    const control = new MemoryRecord(words, CONTROL_AT)
    this.#section = new SharedSection(
      new LockSync(new SharedMemory(here, words, true)),
      control,
      { refresh() {}, sweep() {}, repair: () => this.#heap.repair() },
      spins,
    )
  }

  static allocate(capacity: number, here: Here): Int32Array {
    const words = sharedWords(entriesAt(capacity) + IndexedHeap.wordsFor(capacity))
    store(words, CONTROL_AT + CONTROL.DEATHS_SEEN, here.space.deaths)
    return words
  }

  get isEmpty(): boolean {
    return this.size === 0
  }

  /** From outside of the lock. */
  get size(): number {
    return load(this.#words, this.#size)
  }

  offer(slot: number): boolean {
    if (!this.#tasks.hasPriority(slot)) {
      throw new TypeError(
        "Expected `task` to have a priority, by which the queue of the pool orders: use pool.with({ priority })",
      )
    }
    this.#tasks.setSequence(slot, add(this.#words, SEQUENCE, 1))
    return this.#inside(() => this.#heap.offer(slot))
  }

  poll(claim = 0): number {
    if (this.isEmpty) return 0
    return this.#inside(() => {
      if (claim !== 0) write(this.#pool, claim, this.#heap.peek())
      return this.#heap.poll()
    })
  }

  remove(slot: number): boolean {
    return this.#inside(() => this.#heap.remove(slot))
  }

  peek(): number {
    return this.#inside(() => this.#heap.peek())
  }

  toArray(): number[] {
    return this.#inside(() => this.#heap.toArray())
  }

  #inside<T>(body: () => T): T {
    this.#section.enter()
    return this.#section.within(body)
  }
}

function entriesAt(capacity: number): number {
  return INDICES + wholeLines(capacity + 1)
}
