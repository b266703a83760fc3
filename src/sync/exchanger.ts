import { isPromiseLike, requireTimeout, typeError } from "../checks.ts"
import { decodeFromBytes, encodeToBytes } from "../codec/codec.ts"
import { IllegalStateError, InterruptedError, TimeoutError } from "../errors.ts"
import { identityOf } from "../identity.ts"
import { currentFlow, type Flow } from "../memory/flow/flow.ts"
import { GrowableMemory } from "../memory/shared/growable-memory.ts"
import { WAITING } from "../memory/thread/node-pool.ts"
import { perThread } from "../per-thread.ts"
import { Shareable, type Shared } from "../memory/shared/shared-memory.ts"
import { WaitNode } from "../memory/wait/wait-node.ts"
import { EXCLUSIVE } from "../memory/wait/wait-queue.ts"
import {
  awaiting,
  blocking,
  type Steps,
  TIMEOUT,
  timeoutUnlessAborted,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import { ExchangeHall, INITIAL_WORDS, MOST_WORDS } from "./exchange-hall.ts"
import { Visitor } from "./visitor.ts"

/*
 * How it works
 *
 * A flow that comes first looks for a waiting flow of the same thread: that needs no bytes. Then, if other threads know
 * the exchanger, it goes to the hall (exchange-hall.ts), where a flow of another thread may wait, or else offers its
 * own value there. An offer is known in both places, and the STATE of its block decides which partner gets it. While no
 * other thread knows the exchanger there is nothing in the hall; a flow that waits when it becomes known goes there
 * then.
 */
const TYPE = "Exchanger"

interface Received {
  readonly value: unknown
}

/** A flow that waits, or is about to. */
class Offer extends Visitor {
  readonly value: unknown
  /** What it got from a flow of this thread. */
  received: Received | undefined

  constructor(value: unknown, node: WaitNode) {
    super(node)
    this.value = value
  }
}

/** The flows that wait in this thread, by the identity of the exchanger, of which there may be several objects. */
const waiting = perThread("exchanges", () => new Map<number, Offer>())

/**
 * A place where two tasks meet and swap what they have brought.
 *
 * The task that comes first waits for a partner. If there are more than two, which of them meet is not defined, only
 * that all are paired.
 *
 * Two flows of one thread swap the very values. Between threads they are copied, as by `structuredClone`, and errors
 * keep their class; what cannot be copied (functions, sockets, shared objects) is refused with `NotSerializableError`.
 * An exchanger that was never posted to another thread takes everything, except promises: an `await` would unwrap them.
 *
 * A time limit is for finding a partner, and so is an interrupt or a signal: an exchange that has begun is completed.
 *
 * **Death.** A task that waits in a thread that dies is forgotten. A task that has been given a partner gets its value,
 * even if the partner's thread dies then.
 *
 * **Memory effects.** What each of the two wrote to shared memory before `exchange` is visible to the other one after
 * it.
 *
 * @example
 * ```ts
 * import { Exchanger } from "corepool"
 *
 * const exchanger = new Exchanger<string>()
 * const [first, second] = await Promise.all([exchanger.exchange("full"), exchanger.exchange("empty")])
 * console.log(first, second) // => empty full
 * ```
 */
export class Exchanger<V> extends Shareable {
  readonly #memory: GrowableMemory
  readonly #hall: ExchangeHall
  readonly #identity: number

  /** A new one. To open one that another thread has posted, use `from`. */
  constructor()
  /** @internal */
  constructor(shared?: GrowableMemory)
  constructor(shared?: GrowableMemory) {
    const memory = shared ?? GrowableMemory.create(INITIAL_WORDS, MOST_WORDS)
    super(TYPE, memory)
    this.#memory = memory
    this.#hall = new ExchangeHall(memory)
    if (shared === undefined) this.#hall.begin()
    this.#identity = this.#hall.identity
    memory.onShared = () => waiting.get(this.#identity)?.node.unpark()
  }

  /** The same exchanger that another thread has posted. */
  static from<V>(shared: Shared): Exchanger<V> {
    return new Exchanger(GrowableMemory.openGrown(TYPE, shared))
  }

  /**
   * Waits for a partner, gives it the value and returns the partner's. If the time is up before one has come:
   * `TimeoutError`. An interrupt ends the wait with `InterruptedError`.
   */
  async exchange(value: V, wait?: WaitOptions): Promise<V> {
    const timeout = timeoutUnlessAborted(wait)
    const received =
      this.#begin(value) ?? (await awaiting(this.#exchanging(value, currentFlow()), wait, "Exchanger", this))
    return received === undefined ? this.#runOutOfTime(timeout) : (received.value as V)
  }

  /** Blocks the thread until a partner has come. */
  exchangeSync(value: V, ms: number = Infinity): V {
    requireTimeout("ms", ms)
    const received = this.#begin(value) ?? this.#block(value, ms)
    return received === undefined ? this.#runOutOfTime(ms) : (received.value as V)
  }

  /** Its class and its number. */
  override toString(): string {
    return identityOf(this)
  }

  // ------------------------------------------------------------------ inside

  /** Exchanges with a waiting flow of this thread, if there is one. */
  #begin(value: V): Received | undefined {
    if (isPromiseLike(value)) {
      throw typeError("value", "no promise, which an await would unwrap: put it into an object", value)
    }
    currentFlow().throwIfInterrupted()
    const partner = this.#takePartnerHere(value)
    partner?.node.unpark()
    return partner
  }

  #block(value: V, ms: number): Received | undefined {
    if (ms === Infinity && !this.#memory.isShared) {
      throw new IllegalStateError(
        "This thread would block for ever: only its own flows know the exchanger, and they stand still meanwhile. Await it instead, or share it with another thread",
      )
    }
    return blocking(this.#exchanging(value, currentFlow()), ms, "Exchanger")
  }

  #runOutOfTime(ms: number): never {
    throw new TimeoutError(`No other task came to ${identityOf(this)} within ${ms} ms`)
  }

  /** Undefined if the time is up. An end of the wait counts only if there is no partner by then. */
  *#exchanging(value: V, flow: Flow): Steps<Received | undefined> {
    const { threadContext } = this.#memory
    const offer = new Offer(value, new WaitNode(threadContext, flow, this.#memory, true, WAITING, EXCLUSIVE))
    let broken: { readonly reason: unknown } | undefined
    try {
      yield* this.#waiting(offer, flow)
    } catch (reason) {
      broken = { reason }
    }
    if (waiting.get(this.#identity) === offer) waiting.delete(this.#identity)
    this.#hall.depart(offer)
    const { received, bytes } = offer
    if (received === undefined && bytes === undefined) {
      if (broken !== undefined) throw broken.reason
      return undefined
    }
    if (broken?.reason instanceof InterruptedError) flow.interrupt() // the interrupt came too late for this wait
    return bytes === undefined ? received : { value: decodeFromBytes(bytes) }
  }

  *#waiting(offer: Offer, flow: Flow): Steps<void> {
    if (!this.#memory.isShared) {
      waiting.set(this.#identity, offer)
      while (offer.received === undefined && !this.#memory.isShared) if ((yield offer.node) === TIMEOUT) return
      if (offer.received !== undefined) return
      waiting.delete(this.#identity)
    }
    yield* this.#hall.visiting(offer, encodeToBytes(offer.value), flow, {
      meet: () => this.#meetHere(offer), // a flow may have come during the wait for the guard
      offered: () => void waiting.set(this.#identity, offer),
    })
  }

  #meetHere(offer: Offer): (() => void) | undefined {
    const partner = this.#takePartnerHere(offer.value)
    offer.received = partner
    return partner && (() => partner.node.unpark())
  }

  /** Takes the waiting flow of this thread, and gives it the value. The caller has to unpark it. */
  #takePartnerHere(value: unknown): Offer | undefined {
    const partner = waiting.get(this.#identity)
    if (partner === undefined) return undefined
    waiting.delete(this.#identity)
    if (partner.block !== 0 && !this.#hall.withdraw(partner.block)) return undefined // another thread was faster
    partner.block = 0
    partner.received = { value }
    return partner
  }
}
