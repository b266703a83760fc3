/**
 * How a thread can be known to have stopped. What it held passes on then, and not before: a thread that was told to end
 * runs on for milliseconds, on some runtimes for ever, and would share a lock with its next holder.
 *
 * Node and Bun tell a thread's parent of its end by an event when the thread has stopped. But a parent that blocks
 * hears no events, and Deno sends them when the thread has been told to end. So each thread listens to a word of its
 * own entry in the thread table as long as it exists. A runtime forgets the listeners of a thread when it takes the
 * thread's heap apart, when no code of it can run any more; and `notify` tells how many listeners it has found. If
 * there was none, the thread has stopped.
 *
 * To ask takes a listener away, and only the event loop of the thread puts it back. Hence the thread begins with many,
 * others ask more and more rarely, and a thread whose listeners are all taken counts as running.
 */
import { add, listen, load, notify, notifyOne } from "#atomics"
import { now } from "../../time/timer.ts"
import { type ThreadRegistry, THREAD } from "./thread-registry.ts"

/** With a pause that grows by half each time, enough for a day. */
const LISTENERS = 40
const GROWTH = 1.5

/** By the thread itself, once: others can know from now on whether it has stopped. */
export function attest(registry: ThreadRegistry, token: number): void {
  const { words } = registry
  const entry = registry.entryOf(token)
  const begin = (): void => {
    if (!registry.isAlive(token)) return // the entry is another's
    listen(words, entry + THREAD.LIFE, 0, begin)
    add(words, entry + THREAD.LISTENERS, 1)
  }
  notify(words, entry + THREAD.LIFE) // whatever a thread that had the entry before, and rests for ever, has left there
  for (let i = 0; i < LISTENERS; i++) begin()
}

/** Asks whether a thread has stopped, more and more rarely. */
export class LifeProbe {
  readonly token: number
  readonly #registry: ThreadRegistry
  #interval: number
  #next: number

  /** Asked for the first time after `interval` ms. */
  constructor(registry: ThreadRegistry, token: number, interval: number) {
    this.#registry = registry
    this.token = token
    this.#interval = interval
    this.#next = now() + interval
  }

  /** When it will know more, in ms from now. */
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
