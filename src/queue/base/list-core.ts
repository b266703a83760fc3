import { requireInteger } from "../../checks.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { TIMEOUT, WaitList, type Steps } from "../../memory/flow/waiting.ts"
import { ChunkedList } from "../local/chunked-list.ts"
import type { Cursor } from "../local/iteration.ts"
import { type End, QueueCore } from "./queue-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"

/**
 * What ArrayBlockingQueue, LinkedBlockingQueue and LinkedBlockingDeque work by: a list, a capacity, and two lines
 * of waiting flows, takers and putters. Only one of the lines is occupied at a time.
 *
 * In Java the three differ in memory and locking. Here one storage serves all: nothing beats it for any of them.
 *
 * `offer` and `poll` are written out instead of inherited, because a pool calls them for each task. They check whether
 * the queue is shared only when there is no room or no element: once it is shared, the local list has neither.
 */
export class ListCore<E> extends QueueCore<E> {
  readonly #type: string
  readonly #items = new ChunkedList<E>()
  readonly #notFull = new WaitList()
  /** The capacity, or 0 once closed or shared: one comparison answers both questions. */
  #limit: number

  /** `type` is the name of the queue's class in handles. */
  constructor(type: string, capacity: number) {
    super()
    this.#type = type
    this.#limit = requireInteger("capacity", capacity, 1)
  }

  override get size(): number {
    return this.shared === undefined ? this.#items.size : this.shared.size
  }

  override get remainingCapacity(): number {
    if (this.shared === undefined) return Math.max(this.#limit - this.#items.size, 0)
    return this.shared.isClosed ? 0 : Math.max(this.shared.capacity - this.shared.size, 0)
  }

  override offer(e: E): boolean {
    this.check(e)
    if (this.#items.size >= this.#limit) return this.shared !== undefined && this.shared.insert(e, "last")
    this.#items.push(e)
    this.takers.signal()
    return true
  }

  override poll(): E | undefined {
    const e = this.#items.shift()
    if (e === undefined) return this.shared?.extract("first")
    this.vacated(1)
    return e
  }

  override peek(): E | undefined {
    return this.peekAt("first")
  }

  peekAt(end: End): E | undefined {
    return this.shared === undefined ? this.ready(end) : this.shared.peek(end)
  }

  protected override insert(e: E, end: End): boolean {
    if (this.#items.size >= this.#limit) return false
    if (end === "last") this.#items.push(e)
    else this.#items.unshift(e)
    this.takers.signal()
    return true
  }

  protected override *inserting(e: E, end: End, flow: Flow): Steps<boolean> {
    while (!this.isClosed) {
      if ((yield this.#notFull) === TIMEOUT) return false
      if (this.shared !== undefined) return yield* this.shared.inserting(e, end, flow)
      if (this.insert(e, end)) return true
    }
    return false
  }

  override ready(end: End): E | undefined {
    return end === "first" ? this.#items.first : this.#items.last
  }

  override behead(end: End): void {
    if (end === "first") this.#items.shift()
    else this.#items.pop()
  }

  /** Wakes as many putters as elements have left. */
  override vacated(count: number): void {
    for (let left = count; left > 0 && this.#notFull.signal(); left--);
  }

  protected override closing(): void {
    this.#limit = 0
    super.closing()
    this.#notFull.signalAll()
  }

  protected override cursor(backwards = false): Cursor<E> {
    return this.#items.walk(backwards)
  }

  override removeWhere(test: (e: E) => boolean): number {
    return this.#items.removeWhere(test).length
  }

  override wipe(): void {
    this.#items.clear()
  }

  override adopt(shared: QueueBackend<E>): void {
    this.#limit = 0
    super.adopt(shared)
  }

  protected override toShared(): QueueBackend<E> {
    // A closed queue has no capacity any more, and needs none.
    const capacity = Math.max(this.#limit, this.#items.size, 1)
    return sharedBackends().create<E>(this.#type, { capacity }).filledWith(this.cursor())
  }

  protected override moved(shared: QueueBackend<E>): void {
    super.moved(shared)
    this.#notFull.signalAll()
  }
}
