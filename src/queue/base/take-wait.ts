import { type Flow, interrupted } from "../../memory/flow/flow.ts"
import { Parked } from "../../memory/flow/wait-list.ts"
import { drive } from "../../memory/flow/waiting.ts"
import { noteBlocked, noteUnblocked } from "../../observing.ts"
import { Demand, type End, type QueueCore } from "./queue-core.ts"

/**
 * A `take()` without a limit that waits in the heap of its thread, which is by far the most frequent wait for an
 * element. It does the same as `drive` with the steps of `QueueCore.taking`, but saves a generator, its driver and two
 * closures for each wait. A queue that becomes a shared one meanwhile has the rest of the wait driven by its backend.
 */
export class TakeWait<E> extends Parked {
  readonly #core: QueueCore<E>
  readonly #end: End
  readonly #resolve: (e: E) => void
  readonly #reject: (reason: unknown) => void
  #isNoted = false

  constructor(core: QueueCore<E>, end: End, flow: Flow, resolve: (e: E) => void, reject: (reason: unknown) => void) {
    super(flow)
    this.#core = core
    this.#end = end
    this.#resolve = resolve
    this.#reject = reject
  }

  override get subject(): unknown {
    return this.#core
  }

  /** Waits, after an attempt without waiting has failed. */
  start(): void {
    const { shared } = this.#core
    if (shared !== undefined) {
      const settle = new Demand(this.#core, { resolve: this.#resolve, reject: this.#reject })
      drive(shared.taking(this.#end, this.flow), settle, this.flow, Infinity, undefined, "BlockingQueue", this.#core)
    } else if (this.#core.isClosed) this.#reject(this.#core.whyNothing())
    else if (this.flow.consumeInterrupt()) this.#reject(interrupted(" before it could wait"))
    else {
      this.enter(this.#core.takers)
      this.#isNoted = noteBlocked(this.flow.owner, "BlockingQueue")
    }
  }

  protected override leave(): void {
    super.leave()
    if (this.#isNoted) noteUnblocked(this.flow.owner, "BlockingQueue")
    this.#isNoted = false
  }

  wake(): void {
    this.leave()
    let e: E | undefined
    try {
      if (this.#core.shared === undefined) e = this.#core.extract(this.#end)
    } catch (error) {
      this.#reject(error) // of a comparator
      return
    }
    if (e === undefined) this.start()
    else this.#resolve(e)
  }

  interrupt(): void {
    this.flow.consumeInterrupt()
    if (this.place === undefined) return // already woken, by another wait that the same interrupt has broken off
    this.leave()
    this.#reject(interrupted(" while waiting"))
  }
}
