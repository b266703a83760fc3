import { encode } from "../../codec/codec.ts"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { IllegalStateError } from "../../errors.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { LockSync } from "../../lock/lock-sync.ts"
import { CELL } from "../../memory/structures/byte-store.ts"
import { GrowingWords } from "../../memory/growing-words.ts"
import { HEAP } from "../../memory/structures/indexed-heap.ts"
import { type StoreHandle, storeHandleIn } from "../../memory/shared/shareables.ts"
import { kindOf } from "../../memory/shared/kinds.ts"
import { type Handle, type Shared, SharedMemory } from "../../memory/shared/shared-memory.ts"
import { noteShared } from "../../memory/shared/shared-objects.ts"
import { MemoryRecord } from "../../memory/record.ts"
import type { Steps } from "../../memory/flow/waiting.ts"
import { sharedNow } from "../../time/shared-clock.ts"
import type { Cursor } from "../local/iteration.ts"
import type { End } from "../base/queue-core.ts"
import type { EmptyBackend, Ordering, SharedSettings } from "../base/queue-backend.ts"
import { type EncodedElement, SharedCore } from "./shared-core.ts"
import { ListedItems, type SharedItems, type SharedWords } from "./shared-items.ts"
import { OrderedItems } from "./shared-ordered-items.ts"
import { CONTROL, CONTROL_BASE, FREE, LIST, MORE_WORDS } from "./shared-layout.ts"
import { cursor, drain, opened, removeThose, snapshot } from "./shared-bulk.ts"
import { alike, alikeAny } from "./shared-equality.ts"
import { SPINS } from "./shared-section.ts"
import { SharedWaits } from "./shared-waits.ts"

/** Memory for four million elements, or 256 MB of data. This is address space: memory is committed as it is used. */
const FIRST_WORDS = 2 ** 12
const MOST_WORDS = 2 ** 26

/** The parts of a shared queue. */
interface Form {
  /** The name of the queue's class. */
  readonly type: string
  readonly memory: SharedMemory
  /** For the elements and the waiting flows. */
  readonly cells: GrowingWords
  /** For the order of the elements, if there is one. */
  readonly entries?: GrowingWords | undefined
  readonly ordering?: Ordering | undefined
  readonly spins?: number
}

/**
 * The backend of a queue that other threads know: its elements lie in shared memory, encoded, and so do its waiting
 * flows. It has the methods that the kinds of queues are made of (see QueueCore). Interrupts, checks of arguments and
 * messages are left to the queue in front of it.
 */
export class SharedQueue<E> implements EmptyBackend<E> {
  readonly #type: string
  readonly #core: SharedCore
  readonly #waits: SharedWaits
  readonly #handle: Omit<StoreHandle, keyof Handle>

  /** Over memory that is prepared: by {@link create}, or by a model test. */
  constructor({ type, memory, cells, entries, ordering, spins = SPINS }: Form) {
    const isOrdered = entries !== undefined && ordering !== undefined
    const items = (words: SharedWords): SharedItems =>
      isOrdered ? new OrderedItems(words, entries, ordering) : new ListedItems(words)
    this.#type = type
    memory.kind = kindOf(type)
    this.#core = new SharedCore(memory, cells, items, spins)
    this.#waits = new SharedWaits(this.#core)
    this.#handle = { store: cells.buffer, ...(isOrdered ? { order: entries.buffer } : {}) }
  }

  static create<E>(type: string, settings: SharedSettings): SharedQueue<E> {
    const { ordering, words = MOST_WORDS } = settings
    const memory = LockSync.allocate(false, MORE_WORDS)
    SharedQueue.prepare(memory, settings)
    const first = Math.min(FIRST_WORDS, words)
    const cells = GrowingWords.reserve(first, words)
    // A word for each cell is more than enough.
    const entries =
      ordering === undefined ? undefined : GrowingWords.reserve(first / CELL.SIZE, words / CELL.SIZE + HEAP.ENTRIES)
    return new SharedQueue<E>({ type, memory, cells, entries, ordering })
  }

  static prepare(memory: SharedMemory, { capacity, latestFirst = false }: SharedSettings): void {
    const control = new MemoryRecord(memory.words, CONTROL_BASE)
    control.write(CONTROL.CAPACITY, capacity)
    control.write(CONTROL.LATEST_FIRST, latestFirst ? 1 : 0)
    control.write(CONTROL.DEATHS_SEEN, memory.threadContext.registry.deaths)
  }

  static open<E>(type: string, shared: Shared, ordering?: Ordering): SharedQueue<E> {
    const memory = SharedMemory.open(type, shared)
    const { store, order } = storeHandleIn(shared)
    const entries = order === undefined ? undefined : GrowingWords.over(order)
    return new SharedQueue<E>({ type, memory, cells: GrowingWords.over(store), entries, ordering })
  }

  /** Inserts these elements. To be called while no other thread knows the queue. */
  filledWith(elements: Cursor<E>): this {
    for (let e = elements.next(); e !== undefined; e = elements.next()) {
      if (!this.insert(e, "last")) throw new IllegalStateError("The queue holds more than can be shared")
    }
    return this
  }

  noteFace(queue: object): void {
    noteShared(this.handle.number ?? 0, queue)
  }

  get handle(): StoreHandle {
    return { ...this.#core.memory.handleAs(this.#type), ...this.#handle }
  }

  get size(): number {
    return this.#core.control.load(CONTROL.ITEMS + LIST.COUNT)
  }

  get capacity(): number {
    return this.#core.capacity
  }

  /** How many flows wait to take. */
  get takers(): number {
    return this.#core.control.load(CONTROL.TAKERS + LIST.COUNT)
  }

  get isClosed(): boolean {
    return this.#core.isClosed
  }

  close(): void {
    this.#core.inside(() => this.#core.close())
  }

  // ------------------------------------------------------------------ one at a time

  insert(e: E, end: End): boolean {
    return this.#put(e, end, false)
  }

  /** Gives the element to a waiting taker; false if there is none. */
  hand(e: E): boolean {
    return this.#put(e, "last", true)
  }

  extract(end: End): E | undefined {
    const core = this.#core
    core.section.enter()
    let done = false
    let encoded: EncodedValue | undefined
    try {
      const cell = core.available(end)
      if (cell !== 0) {
        encoded = core.read(cell)
        core.takeOut(cell, FREE)
        core.serve()
      }
      done = true
    } finally {
      core.section.leave(done)
    }
    return opened(encoded) as E | undefined
  }

  peek(end: End): E | undefined {
    const encoded = this.#core.inside(() => {
      const cell = this.#core.items.at(end)
      return cell === 0 ? undefined : this.#core.read(cell)
    })
    return opened(encoded) as E | undefined
  }

  #put(e: E, end: End, onlyToTakers: boolean): boolean {
    const core = this.#core
    const element = this.#element(e, end)
    core.section.enter()
    let done = false
    try {
      const isIn = onlyToTakers && core.takers.count === 0 ? false : core.put(element)
      done = true
      return isIn
    } finally {
      core.section.leave(done)
      element.encoded.release()
    }
  }

  // ------------------------------------------------------------------ waiting

  inserting(e: E, end: End, flow: Flow): Steps<boolean> {
    return this.#waits.putting(this.#element(e, end), flow)
  }

  /** Waits until the element has been received. */
  transferring(e: E, flow: Flow): Steps<boolean> {
    return this.#waits.putting(this.#element(e, "last", true), flow)
  }

  *taking(end: End, flow: Flow): Steps<E | undefined> {
    return opened(yield* this.#waits.taking(end, flow)) as E | undefined
  }

  // ------------------------------------------------------------------ all of them

  equalTo(sought: unknown): (e: unknown) => boolean {
    return alike(sought)
  }

  equalToAny(sought: Iterable<unknown>): (e: unknown) => boolean {
    return alikeAny(sought)
  }

  clear(): void {
    this.#core.inside(() => {
      for (const cell of this.#core.items.cells()) this.#core.takeOut(cell, FREE)
      this.#core.serve()
    })
  }

  toArray(): E[] {
    return snapshot(this.#core).map(({ open }) => open() as E)
  }

  cursor(backwards = false): Cursor<E> {
    return cursor<E>(this.#core, backwards)
  }

  /** Removes the elements that pass the test, and returns how many. Tests all of them before it removes the first. */
  removeWhere(test: (e: E) => boolean): number {
    return removeThose(
      this.#core,
      snapshot(this.#core).filter(({ open }) => test(open() as E)),
    )
  }

  /**
   * Takes one element after the other, up to `max` of those that are there, and lets no putter in before the end. If
   * `accept` throws, its element goes back.
   */
  drain(accept: (e: E) => void, max: number): number {
    return drain(this.#core, accept as (e: unknown) => void, max)
  }

  #element(e: E, end: End, isTransfer = false): EncodedElement {
    const encoded = encode(e)
    this.#core.requireRoomFor(encoded)
    return {
      encoded,
      end,
      isTransfer,
      due: this.#core.items.isTimed ? sharedNow() + (e as { delay: number }).delay : 0,
    }
  }
}
