import { load } from "#atomics"
import type { EncodedValue } from "../../codec/bytes/encoded-value.ts"
import { InterruptedError } from "../../errors.ts"
import type { Flow } from "../../memory/flow/flow.ts"
import { FREE as UNUSED } from "../../memory/thread/node-pool.ts"
import { WaitNode } from "../../memory/wait/wait-node.ts"
import { EXCLUSIVE } from "../../memory/wait/wait-queue.ts"
import { type Park, type Steps, TIMEOUT } from "../../memory/flow/waiting.ts"
import type { End } from "../base/queue-core.ts"
import type { EncodedElement, SharedCore } from "./shared-core.ts"
import { ENTRY, FREE, IN, PENDING, PUTTER, REFUSED, SERVED, TAKER } from "./shared-layout.ts"

/** Why a wait has ended early. */
interface Broken {
  readonly reason: unknown
}

/**
 * Waiting in a shared queue, as steps (see memory/flow/waiting.ts). A waiting flow has a cell in the queue's memory,
 * and other threads decide the outcome there. A flow that gives up first looks, inside the critical section, whether
 * the outcome was decided already. In that case it has got what it waited for, and an interrupt that came meanwhile is
 * kept for later.
 */
export class SharedWaits {
  readonly #core: SharedCore

  constructor(core: SharedCore) {
    this.#core = core
  }

  /**
   * Inserts as soon as there is room. A transfer inserts at once, and waits until the element has been received. False
   * if the time is up before, or the queue is closed.
   */
  *putting(element: EncodedElement, flow: Flow): Steps<boolean> {
    const core = this.#core
    yield* core.section.entering(flow)
    const begun = core.section.within(() => this.#beginToPut(element, flow))
    if (typeof begun === "boolean") {
      element.encoded.release()
      return begun
    }
    const broken = yield* this.#standing(begun, flow, () => this.#retry(begun, element))
    const isIn = core.section.within(() => this.#endToPut(begun))
    begun.node.end()
    element.encoded.release()
    return this.#outcome(isIn, isIn, flow, broken)
  }

  #beginToPut(element: EncodedElement, flow: Flow): Stand | boolean {
    const core = this.#core
    if (core.isClosed) return false
    if ((!element.isTransfer || core.takers.count > 0) && core.put(element)) return true
    const stand = new Stand(core, flow)
    const cell = core.isMemoryAwaited ? 0 : core.pack(element)
    if (cell !== 0 && element.isTransfer) {
      core.standAsTransfer(cell, stand.node.index)
      stand.set(cell, IN)
    } else {
      const putter = cell === 0 ? core.placeWithout(element.encoded, element.end) : cell
      core.standAsPutter(putter, stand.node.index)
      stand.set(putter, PUTTER)
    }
    return stand
  }

  /** For a putter that waits for memory: inserts, or waits on with its element, if there is memory now. */
  #retry(stand: Stand, element: EncodedElement): void {
    const core = this.#core
    if (!stand.is(PUTTER) || !core.has(stand.cell, PENDING) || !core.isNext(stand.cell)) return
    const cell = core.pack(element)
    if (cell === 0) return
    if (!element.isTransfer && core.takers.count === 0 && core.items.size >= core.capacity) {
      core.replacePutter(stand.cell, cell, stand.node.index)
      stand.set(cell, PUTTER)
      return
    }
    core.putters.remove(stand.cell)
    core.discard(stand.cell)
    if (element.isTransfer) {
      core.standAsTransfer(cell, stand.node.index)
      stand.set(cell, IN)
    } else {
      stand.set(0, PUTTER)
      core.admit(cell)
    }
  }

  /** Whether the element is in, or was received. */
  #endToPut(stand: Stand): boolean {
    const core = this.#core
    const gaveUp = stand.is(stand.state)
    if (!gaveUp && !stand.is(REFUSED)) return true
    if (!gaveUp) core.leaving.remove(stand.cell)
    else if (stand.state === PUTTER) core.putters.remove(stand.cell)
    else core.removeItem(stand.cell)
    core.discard(stand.cell)
    core.serve() // the next putter may need less memory
    return false
  }

  /** Takes as soon as there is an element; undefined if the time is up before, or the queue is closed and empty. */
  *taking(end: End, flow: Flow): Steps<EncodedValue | undefined> {
    const core = this.#core
    yield* core.section.entering(flow)
    const begun = core.section.within(() => this.#beginToTake(end, flow))
    if (!(begun instanceof Stand)) return begun
    const broken = yield* this.#standing(begun, flow)
    const encoded = core.section.within(() => this.#endToTake(begun))
    begun.node.end()
    return this.#outcome(encoded !== undefined, encoded, flow, broken)
  }

  #beginToTake(end: End, flow: Flow): Stand | EncodedValue | undefined {
    const core = this.#core
    const cell = core.available(end)
    if (cell !== 0) {
      const encoded = core.read(cell)
      core.takeOut(cell, FREE)
      core.serve()
      return encoded
    }
    if (core.isClosed && core.items.size === 0) return undefined
    const stand = new Stand(core, flow)
    const taker = core.place(end)
    core.standAsTaker(taker, stand.node.index)
    stand.set(taker, TAKER)
    core.serve() // a putter may have waited for memory; and there may be a new leader
    return stand
  }

  #endToTake(stand: Stand): EncodedValue | undefined {
    const core = this.#core
    let encoded: EncodedValue | undefined
    if (stand.is(SERVED)) {
      const item = core.itemOf(stand.cell)
      encoded = core.read(item)
      core.discard(item)
    }
    const line = stand.is(TAKER) ? core.takers : core.leaving
    line.remove(stand.cell)
    core.discard(stand.cell)
    core.serve()
    return encoded
  }

  /** Waits until the outcome is decided, or the wait is given up. Returns inside the critical section. */
  *#standing(stand: Stand, flow: Flow, retry?: () => void): Steps<Broken | undefined> {
    const core = this.#core
    let broken: Broken | undefined
    try {
      while (!stand.isDecided) {
        const park = stand.park()
        if ((yield park) === TIMEOUT || stand.isDecided) break
        // A thread died, or there may be memory or an element for this flow, or this flow has become the leader.
        yield* core.section.entering(flow)
        core.section.within(() => {
          retry?.()
          core.serve()
          stand.look()
        })
      }
    } catch (reason) {
      broken = { reason }
    }
    yield* core.section.entering(flow)
    return broken
  }

  /** The outcome of a wait. If the flow got what it waited for, an interrupt or abort came too late. */
  #outcome<T>(isDone: boolean, result: T, flow: Flow, broken: Broken | undefined): T {
    if (broken === undefined) return result
    if (!isDone) throw broken.reason
    if (broken.reason instanceof InterruptedError) flow.interrupt()
    return result
  }
}

/** A waiting flow: its cell in the queue's memory, and the node at which the flow is parked. */
class Stand {
  readonly node: WaitNode
  readonly #core: SharedCore
  #cell = 0
  #state = FREE
  #ticket = 0
  #limit = Infinity

  constructor(core: SharedCore, flow: Flow) {
    this.#core = core
    this.node = new WaitNode(core.memory.threadContext, flow, core.memory, true, UNUSED, EXCLUSIVE)
  }

  get cell(): number {
    return this.#cell
  }

  /** The state of the cell until the outcome is decided. */
  get state(): number {
    return this.#state
  }

  /** To be called inside the section. Cell 0 means that the outcome is decided. */
  set(cell: number, state: number): void {
    this.#cell = cell
    this.#state = state
    this.#ticket = cell === 0 ? 0 : this.#core.ticketOf(cell)
    this.look()
  }

  /** To be called inside the section: whether the cell is still in this use, and has this state. */
  is(state: number): boolean {
    return this.#cell !== 0 && this.#core.is(this.#cell, state, this.#ticket)
  }

  /** To be called inside the section: notes how long the leader may sleep before it has to look again. */
  look(): void {
    const { items } = this.#core
    this.#limit = items.isTimed && this.is(TAKER) && this.#core.isNext(this.#cell) ? items.delay : Infinity
  }

  /** May be read outside of the section. */
  get isDecided(): boolean {
    if (this.#cell === 0) return true
    const { words } = this.#core.store
    return (
      load(words, this.#cell + ENTRY.STATE) !== this.#state || load(words, this.#cell + ENTRY.TICKET) !== this.#ticket
    )
  }

  park(): Park {
    return this.#limit === Infinity ? this.node : { list: this.node, atMost: this.#limit }
  }
}
