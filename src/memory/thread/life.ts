/**
 * How other threads find out that a thread has stopped. They may take over what it held then, and not before: a thread
 * that was asked to end runs on for milliseconds, on some runtimes for ever, and would share a lock with its next
 * holder.
 *
 * Node and Bun send an event to a thread's parent when the thread has stopped. But a parent that blocks receives no
 * events, and Deno sends them already when the thread has been asked to end. So each thread listens to a word of its
 * own entry in the thread table as long as it exists. A runtime drops the listeners of a thread when it takes the
 * thread's heap apart, when no code of the thread can run any more; and `notify` returns how many listeners it has
 * found. If there was none, the thread has stopped.
 *
 * A probe takes one listener away, and only the event loop of the thread adds it again. Hence the thread begins with
 * many listeners, other threads probe more and more rarely, and a thread whose listeners are all taken counts as
 * running.
 */
import { add, listen, load, notify, notifyOne } from "#atomics"
import { now } from "../../time/timer.ts"
import { type ThreadRegistry, THREAD } from "./thread-registry.ts"

/** With a pause that grows by half each time, enough probes for a day. */
const LISTENERS = 40
const GROWTH = 1.5

/**
 * Begins to listen. Called by the thread itself, once; from then on other threads can find out whether it has stopped.
 */
export function attest(registry: ThreadRegistry, token: number): void {
  const { words } = registry
  const entry = registry.entryOf(token)
  const begin = (): void => {
    if (!registry.isAlive(token)) return // the entry belongs to another thread now
    listen(words, entry + THREAD.LIFE, 0, begin)
    add(words, entry + THREAD.LISTENERS, 1)
  }
  notify(words, entry + THREAD.LIFE) // removes the listeners of a thread that had the entry before and sleeps for ever
  for (let i = 0; i < LISTENERS; i++) begin()
}

/** Probes whether a thread has stopped, more and more rarely. */
export class LifeProbe {
  readonly token: number
  readonly #registry: ThreadRegistry
  #interval: number
  #next: number

  /** The first probe is due after `interval` ms. */
  constructor(registry: ThreadRegistry, token: number, interval: number) {
    this.#registry = registry
    this.token = token
    this.#interval = interval
    this.#next = now() + interval
  }

  /** When the next probe is due, in ms from now. */
  get dueIn(): number {
    return this.#next - now()
  }

  /** True if the thread is known to have stopped. */
  ask(): boolean {
    if (!this.#registry.isAlive(this.token)) return true
    if (this.dueIn > 0) return false
    this.#interval *= GROWTH
    this.#next = now() + this.#interval
    const { words } = this.#registry
    const entry = this.#registry.entryOf(this.token)
    if (add(words, entry + THREAD.PROBES, 1) < load(words, entry + THREAD.LISTENERS)) {
      return !notifyOne(words, entry + THREAD.LIFE)
    }
    add(words, entry + THREAD.PROBES, -1)
    return false
  }
}
