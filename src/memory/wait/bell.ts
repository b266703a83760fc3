import type { Flow } from "../flow/flow.ts"
import type { Addressee, ThreadContext } from "../thread/thread-context.ts"
import { FREE } from "../thread/node-pool.ts"
import type { BlockedWake, ParkPlace } from "../flow/wait-list.ts"
import { EXCLUSIVE } from "./wait-queue.ts"

/**
 * A bell that other threads can ring: it calls a function of this thread, from the event loop, or from inside of
 * whatever the thread blocks in. Rung several times before it is answered, it calls once. It is also rung by every
 * death, as whoever wanted to ring may have died on the way.
 *
 *     const bell = new Bell(here, () => lookAtTheMail())
 *     …                                                      here.wake(bell.token, bell.index)   // another thread
 *
 * A bell stands in the thread's list of waits for as long as it exists, and so keeps the doorbell armed, but it keeps
 * the process alive only while it is held.
 */
export class Bell implements Addressee, ParkPlace {
  readonly threadContext: ThreadContext
  readonly index: number
  readonly interruptible: boolean
  readonly limited = true
  readonly #answer: () => void
  /** Called whenever the bell is let go. */
  onRest: (() => void) | undefined
  #rung = false
  #held = false

  /** Whether an interrupt ends the wait of who blocks for it is decided here. */
  constructor(threadContext: ThreadContext, answer: () => void, interruptible = true) {
    this.threadContext = threadContext
    this.interruptible = interruptible
    this.#answer = answer
    this.index = threadContext.nodes.take(0, FREE, EXCLUSIVE)
    threadContext.expect(this, false) // which may find that somebody has died: too early to answer, whoever makes the bell has yet to get it
    threadContext.register(this)
  }

  get token(): number {
    return this.threadContext.token
  }

  get isVital(): boolean {
    return this.#held
  }

  /** The process stays alive until the bell is let go. */
  hold(): void {
    if (this.#held) return
    this.#held = true
    this.threadContext.expect(this, true)
  }

  letGo(): void {
    if (!this.#held) return
    this.#held = false
    this.threadContext.relax(this)
    this.onRest?.()
  }

  unpark(): void {
    this.#rung = true
    this.#answer()
  }

  takePermit(): boolean {
    const rung = this.#rung
    this.#rung = false
    return rung
  }

  /** Nobody awaits a bell; see {@link block}. */
  append(): boolean {
    return false
  }

  unlink(): void {}

  /** Blocks the thread until the bell rings. */
  block(flow: Flow, ms: number): BlockedWake {
    return this.threadContext.block(this, this.interruptible ? flow : undefined, ms)
  }

  /** It will not be rung any more. */
  end(): void {
    this.threadContext.unregister(this)
    this.threadContext.nodes.give(this.index)
  }
}
