/**
 * A binary heap of tasks, the soonest on top, in which a task knows its place: so taking one out of the middle is as
 * cheap as taking the first, and a program may cancel a million time-outs that never come to pass.
 *
 * Why not the heap of src/queue: that one orders anything by any comparator, equal elements and the same element twice
 * included, and so has to search. Here the order is two numbers, no two tasks are equal, and none is in it twice.
 */

/** Where a task is that is in no heap. */
export const NOWHERE = -1

/** What the heap has to know of a task. */
export interface Placed {
  /** Must not change while the task is in the heap. */
  readonly time: number
  /** Decides between equal times; no two tasks have the same. */
  readonly number: number
  /** The index in the heap, or {@link NOWHERE}. Written by the heap alone. */
  place: number
}

export class TaskHeap<T extends Placed> {
  /** Each is due no later than the two at twice its index plus one and plus two. */
  #tasks: T[] = []

  get size(): number {
    return this.#tasks.length
  }

  get first(): T | undefined {
    return this.#tasks[0]
  }

  has(task: T): boolean {
    return task.place !== NOWHERE && this.#tasks[task.place] === task
  }

  /** All tasks in the order in which they are due. */
  toSorted(): T[] {
    return this.#tasks.toSorted((a, b) => (precedes(a, b) ? -1 : 1))
  }

  push(task: T): void {
    this.#tasks.push(task)
    this.#rise(task, this.#tasks.length - 1)
  }

  /** Takes the task out; false if it is not inside. */
  remove(task: T): boolean {
    if (!this.has(task)) return false
    const gap = task.place
    const last = this.#tasks.pop() as T
    task.place = NOWHERE
    if (last !== task) this.#settle(last, gap)
    return true
  }

  /** Takes out all tasks that pass the test. The test is asked about each before anything changes. */
  removeWhere(test: (task: T) => boolean): T[] {
    const removed = this.#tasks.filter((task) => test(task))
    if (removed.length === 0) return removed
    for (const task of removed) task.place = NOWHERE
    const rest = this.#tasks.filter(({ place }) => place !== NOWHERE)
    this.#tasks = rest
    rest.forEach((task, index) => (task.place = index))
    for (let index = (rest.length >>> 1) - 1; index >= 0; index--) this.#sink(rest[index] as T, index)
    return removed
  }

  /**
   * Fills the gap with a task from further down, perhaps of another branch: it may belong above the gap or below it.
   */
  #settle(task: T, gap: number): void {
    this.#rise(task, gap)
    if (task.place === gap) this.#sink(task, gap)
  }

  /** Puts the task at `from` or, if it is due before those above, as far up as it belongs; these come down. */
  #rise(task: T, from: number): void {
    let index = from
    while (index > 0) {
      const parent = this.#tasks[(index - 1) >>> 1] as T
      if (!precedes(task, parent)) break
      this.#put(parent, index)
      index = (index - 1) >>> 1
    }
    this.#put(task, index)
  }

  /** Puts the task at `from` or, if others below are due before it, as far down as it belongs; these go up. */
  #sink(task: T, from: number): void {
    const size = this.#tasks.length
    let index = from
    for (;;) {
      let below = 2 * index + 1
      if (below >= size) break
      if (below + 1 < size && precedes(this.#tasks[below + 1] as T, this.#tasks[below] as T)) below++
      const child = this.#tasks[below] as T
      if (precedes(task, child)) break
      this.#put(child, index)
      index = below
    }
    this.#put(task, index)
  }

  #put(task: T, index: number): void {
    this.#tasks[index] = task
    task.place = index
  }
}

export function precedes(a: Placed, b: Placed): boolean {
  return a.time < b.time || (a.time === b.time && a.number < b.number)
}
