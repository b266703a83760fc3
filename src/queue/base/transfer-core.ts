import { MAX_VALUE } from "../../checks.ts"
import { currentFlow, type Flow } from "../../memory/flow/flow.ts"
import {
  abortOf,
  blocking,
  drive,
  TIMEOUT,
  timeoutOf,
  WaitList,
  type Settle,
  type Steps,
  type WaitOptions,
} from "../../memory/flow/waiting.ts"
import { ChunkedList } from "../local/chunked-list.ts"
import type { Cursor } from "../local/iteration.ts"
import { QueueCore } from "./queue-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"

/** How a LinkedTransferQueue works: an element whose producer waits is in the list together with the wait. */
export class TransferCore<E> extends QueueCore<E> {
  /** Elements that were put, and waiting transfers with their elements. */
  readonly #items = new ChunkedList<E | WaitingTransfer<E>>()
  readonly #type: string

  /** `type` is the name of the queue's class in handles. */
  constructor(type: string) {
    super()
    this.#type = type
  }

  override get size(): number {
    return this.shared === undefined ? this.#items.size : this.shared.size
  }

  override get remainingCapacity(): number {
    return this.isClosed ? 0 : MAX_VALUE
  }

  get waitingConsumerCount(): number {
    return this.shared === undefined ? this.takers.length : this.shared.takers
  }

  override peek(): E | undefined {
    return this.shared === undefined ? this.ready() : this.shared.peek("first")
  }

  /** Gives the element to a waiting consumer; false if there is none. */
  handOver(e: E): boolean {
    if (this.shared !== undefined) return this.shared.hand(e)
    return this.waitingConsumerCount > 0 && this.insert(e)
  }

  hand(e: E, settle: Settle<boolean>, wait: WaitOptions | undefined): void {
    this.check(e)
    const timeout = timeoutOf(wait)
    const abort = abortOf(wait)
    abort?.throwIfAborted()
    if (this.isClosed) settle.resolve(false)
    else if (this.handOver(e)) settle.resolve(true)
    else {
      const flow = currentFlow()
      drive(this.#transferring(e, flow), settle, flow, timeout, abort, "BlockingQueue", this)
    }
  }

  handSync(e: E, timeout: number): boolean {
    this.check(e)
    if (this.isClosed) return false
    return this.handOver(e) || blocking(this.#transferring(e, currentFlow()), timeout, "BlockingQueue")
  }

  #transferring(e: E, flow: Flow): Steps<boolean> {
    return this.shared === undefined ? this.#transferringHere(e, flow) : this.shared.transferring(e, flow)
  }

  *#transferringHere(e: E, flow: Flow): Steps<boolean> {
    const waitingTransfer = new WaitingTransfer(e)
    this.#items.push(waitingTransfer)
    const place = this.#items.walk(true)
    place.next()
    try {
      if ((yield waitingTransfer) === TIMEOUT) return false
    } finally {
      // Removes the transfer only if the wait was given up; else it is gone already.
      place.remove()
    }
    return waitingTransfer.moved && this.shared !== undefined ? yield* this.shared.transferring(e, flow) : true
  }

  override enter(): void {}

  protected override insert(e: E): boolean {
    if (this.isClosed) return false
    this.#items.push(e)
    this.takers.signal()
    return true
  }

  override ready(): E | undefined {
    return unpack(this.#items.first)
  }

  override behead(): void {
    acknowledge(this.#items.shift())
  }

  protected override cursor(): Cursor<E> {
    const walk = this.#items.walk()
    let item: E | WaitingTransfer<E> | undefined
    return {
      next: () => {
        const next = walk.next()
        if (next !== undefined) item = next
        return unpack(next)
      },
      remove: () => {
        if (!walk.remove()) return false
        acknowledge(item)
        return true
      },
    }
  }

  override removeWhere(test: (e: E) => boolean): number {
    const removed = this.#items.removeWhere((item) => test(unpack(item)))
    removed.forEach(acknowledge)
    return removed.length
  }

  override wipe(): void {
    while (!this.isEmpty) this.behead()
  }

  /** {@link moved} inserts the elements: the producers of waiting transfers insert theirs themselves. */
  protected override toShared(): QueueBackend<E> {
    // checks that all can be copied
    sharedBackends().create<E>(this.#type, { capacity: MAX_VALUE }).filledWith(this.cursor())
    return sharedBackends().create<E>(this.#type, { capacity: MAX_VALUE })
  }

  protected override moved(shared: QueueBackend<E>): void {
    for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) {
      if (item instanceof WaitingTransfer) {
        item.moved = true
        item.signal()
      } else shared.insert(item, "last")
    }
    this.takers.signalAll()
  }
}

/** The element of a transfer, at which its producer waits. */
class WaitingTransfer<E> extends WaitList {
  readonly element: E
  /** The element was not received: the queue is a shared one now, and the producer goes on waiting there. */
  moved = false

  constructor(element: E) {
    super()
    this.element = element
  }
}

function unpack<E>(item: E | WaitingTransfer<E>): E
function unpack<E>(item: E | WaitingTransfer<E> | undefined): E | undefined
function unpack<E>(item: E | WaitingTransfer<E> | undefined): E | undefined {
  return item instanceof WaitingTransfer ? item.element : item
}

/** An item has left the queue: ends the wait of its producer, if it has one. */
function acknowledge(item: unknown): void {
  if (item instanceof WaitingTransfer) item.signal()
}
