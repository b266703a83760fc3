import { IndexedHeap } from "../memory/structures/indexed-heap.ts"

/** The slot of a task that is in no heap. */
export const NOWHERE = 0

/** What the heap needs of a task. */
export interface Placed {
  /** Must not change while the task is in the heap. */
  readonly time: number
  /** Decides between equal times; no two tasks have the same. */
  readonly number: number
  /** Its slot, or {@link NOWHERE}. Written by the heap alone. */
  slot: number
}

/** The capacity at first. */
const LEAST = 64

/** The memory of an empty heap with this capacity is released. */
const LONG = 4096

/** The record of a slot: two numbers, and a word of the heap. */
const TIME = 0
const NUMBER = 1
const INDEX = 2
const RECORD = 3
const WORDS = 2

/**
 * The tasks of a scheduled executor in the order in which they are due, the soonest first. A task knows its slot, so
 * removing one from the middle is as cheap as removing the first, and a program may cancel a million time limits that
 * are never reached.
 *
 * How it works
 *
 * The same heap as in shared memory, over ordinary memory: a task that is added gets a number, its slot, and the heap
 * orders slots. Times and numbers stand in arrays by slot, so that only numbers are compared, which lie close together.
 * The arrays grow by half when they are full. When the last task is removed, long arrays are released.
 *
 * Why not the heap of src/queue: that one orders elements of any kind by any comparator, equal elements and the same
 * element twice included, and so has to search.
 */
export class TaskHeap<T extends Placed> {
  /** By slot: the task, or the number of the next free slot. Slot 0 is never used. */
  #tasks: (T | number)[] = [0]
  /** The first free slot; 0 if only slots are free that have never been used. */
  #free = 0
  #records: Float64Array = recordsFor(LEAST)
  #words = new Int32Array(IndexedHeap.wordsFor(LEAST))
  #heap: IndexedHeap = heapOver(this.#words, this.#records)

  get size(): number {
    return this.#heap.size
  }

  get first(): T | undefined {
    const slot = this.#heap.peek()
    return slot === 0 ? undefined : (this.#tasks[slot] as T)
  }

  has(task: T): boolean {
    return task.slot !== NOWHERE && this.#tasks[task.slot] === task
  }

  /** All tasks in the order in which they are due. */
  toSorted(): T[] {
    return this.#all().sort((a, b) => (precedes(a, b) ? -1 : 1))
  }

  push(task: T): void {
    const slot = this.#take()
    this.#records[slot * RECORD + TIME] = task.time
    this.#records[slot * RECORD + NUMBER] = task.number
    this.#tasks[slot] = task
    task.slot = slot
    this.#heap.offer(slot)
  }

  /** Removes the task; false if it is not inside. */
  remove(task: T): boolean {
    if (!this.has(task)) return false
    const { slot } = task
    this.#heap.remove(slot)
    task.slot = NOWHERE
    this.#tasks[slot] = this.#free
    this.#free = slot
    if (this.#heap.capacity >= LONG && this.size === 0) this.#startAnew()
    return true
  }

  /** Removes all tasks that pass the test. Tests all of them before it changes anything. */
  removeWhere(test: (task: T) => boolean): T[] {
    const removed = this.#all().filter((task) => test(task))
    for (const task of removed) this.remove(task)
    return removed
  }

  #all(): T[] {
    return this.#heap.toArray().map((slot) => this.#tasks[slot] as T)
  }

  #take(): number {
    const slot = this.#free
    if (slot !== 0) {
      this.#free = this.#tasks[slot] as number
      return slot
    }
    if (this.#tasks.length > this.#heap.capacity) this.#grow(this.#heap.capacity + (this.#heap.capacity >>> 1))
    return this.#tasks.push(0) - 1
  }

  #grow(capacity: number): void {
    this.#records = longer(this.#records, recordsFor(capacity))
    this.#words = longer(this.#words, new Int32Array(IndexedHeap.wordsFor(capacity)))
    this.#heap = heapOver(this.#words, this.#records)
  }

  #startAnew(): void {
    this.#tasks = [0]
    this.#free = 0
    this.#records = recordsFor(LEAST)
    this.#words = new Int32Array(IndexedHeap.wordsFor(LEAST))
    this.#heap = heapOver(this.#words, this.#records)
  }
}

function recordsFor(capacity: number): Float64Array {
  return new Float64Array((capacity + 1) * RECORD)
}

function heapOver(words: Int32Array, records: Float64Array): IndexedHeap {
  const capacity = records.length / RECORD - 1
  const compare = (a: number, b: number): number => {
    const one = records[a * RECORD + TIME] as number
    const other = records[b * RECORD + TIME] as number
    if (one !== other) return one - other
    return (records[a * RECORD + NUMBER] as number) - (records[b * RECORD + NUMBER] as number)
  }
  const indices = { words: new Int32Array(records.buffer), index: INDEX * WORDS, stride: RECORD * WORDS }
  return new IndexedHeap(words, 0, capacity, compare, indices)
}

function longer<A extends Float64Array | Int32Array>(short: A, long: A): A {
  long.set(short)
  return long
}

export function precedes(a: Placed, b: Placed): boolean {
  return a.time < b.time || (a.time === b.time && a.number < b.number)
}
