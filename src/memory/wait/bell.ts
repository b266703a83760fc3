import type { Flow } from "../flow/flow.ts"
import type { Addressee, ThreadContext } from "../thread/thread-context.ts"
import { FREE } from "../thread/node-pool.ts"
import type { BlockedWake, ParkPlace } from "../flow/wait-list.ts"
import { EXCLUSIVE } from "./wait-queue.ts"

/**
 * A bell that other threads can ring. It then calls a function of this thread, from the event loop, or from inside of
 * the call in which the thread blocks. If it is rung several times before it is answered, it calls once. Every death
 * rings it too, as the thread that wanted to ring may have died before it could.
 *
 *     const bell = new Bell(context, () => lookForNews())
 *     …                                                      context.wake(bell.token, bell.index)   // another thread
 *
 * A bell is in the thread's list of waits for as long as it exists, and so keeps the doorbell armed, but it keeps the
 * process alive only while it is held.
 */
export class Bell implements Addressee, ParkPlace {
  readonly threadContext: ThreadContext
  readonly index: number
  readonly interruptible: boolean
  readonly limited = true
  readonly #answer: () => void
  /** Called whenever the bell is held, and whenever it is let go. */
  onHold: (() => void) | undefined
  onRest: (() => void) | undefined
  /** Whether the bell is held. */
  isVital = false
  #rung = false

  /** `interruptible`: whether an interrupt ends the wait of a thread that blocks for the bell. */
  constructor(threadContext: ThreadContext, answer: () => void, interruptible = true) {
    this.threadContext = threadContext
    this.interruptible = interruptible
    this.#answer = answer
    this.index = threadContext.nodes.take(0, FREE, EXCLUSIVE)
    // Before `register`: `expect` may notice a death, and the maker of this bell cannot answer it yet.
    threadContext.expect(this, false)
    threadContext.register(this)
  }

  get token(): number {
    return this.threadContext.token
  }

  /** The process stays alive until the bell is let go. */
  hold(): void {
    if (this.isVital) return
    this.isVital = true
    this.threadContext.expect(this, true)
    this.onHold?.()
  }

  letGo(): void {
    if (!this.isVital) return
    this.isVital = false
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

  /** A bell is never awaited; see {@link block}. */
  append(): boolean {
    return false
  }

  unlink(): void {}

  /** Blocks the thread until the bell rings. */
  block(flow: Flow, ms: number): BlockedWake {
    return this.threadContext.block(this, this.interruptible ? flow : undefined, ms)
  }

  /** Ends the bell: it must not be rung any more. */
  end(): void {
    this.threadContext.unregister(this)
    this.threadContext.nodes.give(this.index)
  }
}
