import type { Flow } from "../../memory/flow/flow.ts"
import { WaitList, type Steps } from "../../memory/flow/waiting.ts"
import type { Cursor } from "../local/iteration.ts"
import { type End, QueueCore } from "./queue-core.ts"
import { type QueueBackend, sharedBackends } from "./queue-backend.ts"

/** How a SynchronousQueue works: putters and takers stand in two lines. */
export class SynchronousCore<E> extends QueueCore<E> {
  readonly #type: string
  readonly #fair: boolean
  readonly #takers: Line<E>
  readonly #putters: Line<E>

  /** `type` is the name of the queue's class in handles. */
  constructor(type: string, fair: boolean) {
    super()
    this.#type = type
    this.#fair = fair
    this.#takers = new Line(fair)
    this.#putters = new Line(fair)
  }

  override get size(): number {
    return 0
  }

  override get remainingCapacity(): number {
    return 0
  }

  override peek(): E | undefined {
    return undefined
  }

  override enter(): void {}

  protected override insert(e: E): boolean {
    const taker = this.isClosed ? undefined : this.#takers.next
    if (taker === undefined) return false
    this.#takers.delete(taker)
    taker.element = e
    taker.signal()
    return true
  }

  protected override *inserting(e: E, _end: End, flow: Flow): Steps<boolean> {
    const putter = new Party<E>()
    putter.element = e
    yield* this.#standing(putter, this.#putters)
    if (putter.moved && this.shared !== undefined) return yield* this.shared.inserting(e, "last", flow)
    return putter.element === undefined
  }

  override ready(): E | undefined {
    return this.#putters.next?.element
  }

  override behead(): void {
    const putter = this.#putters.next
    if (putter === undefined) return
    this.#putters.delete(putter)
    putter.element = undefined
    putter.signal()
  }

  protected override *taking(_end: End, _timeout: number, flow: Flow): Steps<E | undefined> {
    if (this.isClosed) return undefined
    const taker = new Party<E>()
    yield* this.#standing(taker, this.#takers)
    if (taker.moved && this.shared !== undefined) return yield* this.shared.taking("first", flow)
    return taker.element
  }

  /** Stands in line until the other side meets the party, or the wait is given up. */
  *#standing(party: Party<E>, line: Line<E>): Steps<void> {
    line.add(party)
    try {
      yield party
    } finally {
      line.delete(party)
    }
  }

  protected override closing(): void {
    this.#takers.dismiss()
    this.#putters.dismiss()
  }

  protected override cursor(): Cursor<E> {
    return { next: () => undefined, remove: () => false }
  }

  override removeWhere(): number {
    return 0
  }

  override wipe(): void {}

  protected override toShared(): QueueBackend<E> {
    return sharedBackends().create<E>(this.#type, { capacity: 0, latestFirst: !this.#fair })
  }

  protected override moved(): void {
    this.#takers.dismiss(true)
    this.#putters.dismiss(true)
  }
}

/**
 * A waiting putter or taker, in a wait list of its own: a WaitList serves the longest waiter, a Line also the latest.
 * `element` changes when the other side meets it: a taker gets an element, a putter loses its own.
 */
class Party<E> extends WaitList {
  element: E | undefined
  /** The party was dismissed because the queue is a shared one now: its flow goes on waiting there. */
  moved = false
  line: Line<E> | undefined
  before: Party<E> | undefined
  after: Party<E> | undefined
}

/** The waiting parties, in the order in which they came. */
class Line<E> {
  readonly #fair: boolean
  #first: Party<E> | undefined
  #last: Party<E> | undefined

  constructor(fair: boolean) {
    this.#fair = fair
  }

  /** The party whose turn it is. */
  get next(): Party<E> | undefined {
    return this.#fair ? this.#first : this.#last
  }

  add(party: Party<E>): void {
    party.line = this
    party.before = this.#last
    if (this.#last === undefined) this.#first = party
    else this.#last.after = party
    this.#last = party
  }

  /** Does nothing if the party has left the line. */
  delete(party: Party<E>): void {
    if (party.line !== this) return
    if (party.before === undefined) this.#first = party.after
    else party.before.after = party.after
    if (party.after === undefined) this.#last = party.before
    else party.after.before = party.before
    party.line = party.before = party.after = undefined
  }

  /** Ends the waits of all parties, unmet. */
  dismiss(moved = false): void {
    for (let party = this.#first; party !== undefined; party = this.#first) {
      this.delete(party)
      party.moved = moved
      party.signal()
    }
  }
}
