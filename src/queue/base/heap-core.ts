import { MAX_VALUE } from "../../checks.ts"
import { type Flow, uncaught } from "../../memory/flow/flow.ts"
import { QueueCore } from "./queue-core.ts"
import { Heap, type Comparator } from "../local/heap.ts"
import { type Cursor, cursorOver } from "../local/iteration.ts"

/**
 * What PriorityBlockingQueue and DelayQueue work by: the least element is the head, equal elements keep the order
 * of insertion, and there is no limit, so inserting never waits and never notices an interrupt.
 */
export abstract class HeapCore<E> extends QueueCore<E> {
  readonly #heap: Heap<E>
  /** Whether a pool takes its tasks from the queue: then an error of user code must not keep a task inside. */
  protected isForgiving = false

  constructor(compare: Comparator<E>) {
    super()
    this.#heap = new Heap(compare)
  }

  override holdTasks(): void {
    super.holdTasks()
    this.isForgiving = true
    this.#heap.forgive(uncaught)
  }

  protected get heap(): Heap<E> {
    return this.#heap
  }

  override get size(): number {
    return this.shared === undefined ? this.#heap.size : this.shared.size
  }

  override get remainingCapacity(): number {
    return this.isClosed ? 0 : MAX_VALUE
  }

  override peek(): E | undefined {
    return this.shared === undefined ? this.#heap.first : this.shared.peek("first")
  }

  override enter(flow: Flow, what: "put" | "take", _timed: boolean): void {
    if (what === "take") flow.throwIfInterrupted()
  }

  override behead(): void {
    this.heap.pop()
  }

  /** Walks over a snapshot of the elements: removing one moves others about in the heap. */
  protected override cursor(): Cursor<E> {
    const ranks = this.heap.ranks()
    return cursorOver(this.heap.toArray(), (_e, index) => {
      const place = this.heap.indexOfRank(ranks[index] ?? -1)
      if (place === -1) return false
      this.heap.removeAt(place)
      return true
    })
  }

  override removeOne(test: (e: E) => boolean): boolean {
    if (this.shared !== undefined) return super.removeOne(test)
    const place = this.heap.indexOf(test)
    if (place === -1) return false
    this.heap.removeAt(place)
    this.vacated(1)
    return true
  }

  override removeWhere(test: (e: E) => boolean): number {
    return this.heap.removeWhere(test)
  }

  override wipe(): void {
    this.heap.clear()
  }

  /** The elements in the order of insertion, so that equal elements keep it. */
  protected elementsAsTheyCame(): Cursor<E> {
    const ranks = this.heap.ranks()
    const elements = this.heap.toArray()
    const order = elements.map((_, i) => i).sort((a, b) => (ranks[a] as number) - (ranks[b] as number))
    let next = 0
    return { next: () => elements[order[next++] ?? -1], remove: () => false }
  }
}
