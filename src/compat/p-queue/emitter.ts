import { guarded } from "../../memory/flow/guard.ts"
import { apply } from "../../primordials.ts"

/** A listener of an event. */
export type Listener = (...args: never[]) => unknown

interface Entry {
  readonly listener: Listener
  readonly isOnce: boolean
}

/** Events with names, as libraries for Node and browsers have them. An `error` without a listener is no exception. */
export class Emitter<Name extends string> {
  readonly #entries = new Map<Name, readonly Entry[]>()

  /** Calls the listener at every such event. */
  on(name: Name, listener: Listener): this {
    return this.#add(name, { listener, isOnce: false })
  }

  /** Calls the listener at the next such event. */
  once(name: Name, listener: Listener): this {
    return this.#add(name, { listener, isOnce: true })
  }

  /** Does not call the listener any more; without a listener: none of them. */
  off(name: Name, listener?: Listener): this {
    const left = (this.#entries.get(name) ?? []).filter(
      (entry) => listener !== undefined && entry.listener !== listener,
    )
    if (left.length > 0) this.#entries.set(name, left)
    else this.#entries.delete(name)
    return this
  }

  /** The same as `on`. */
  addListener(name: Name, listener: Listener): this {
    return this.on(name, listener)
  }

  /** The same as `off`. */
  removeListener(name: Name, listener?: Listener): this {
    return this.off(name, listener)
  }

  /** Forgets the listeners of an event, or of all. */
  removeAllListeners(name?: Name): this {
    if (name === undefined) this.#entries.clear()
    else this.#entries.delete(name)
    return this
  }

  /** The names of the events that have listeners. */
  eventNames(): Name[] {
    return [...this.#entries.keys()]
  }

  /** The listeners of an event. */
  listeners(name: Name): Listener[] {
    return (this.#entries.get(name) ?? []).map((entry) => entry.listener)
  }

  /** How many listeners an event has. */
  listenerCount(name: Name): number {
    return this.#entries.get(name)?.length ?? 0
  }

  /** Tells the listeners of an event; false if there are none. */
  emit(name: Name, ...args: unknown[]): boolean {
    const entries = this.#entries.get(name)
    if (entries === undefined) return false
    for (const { listener, isOnce } of entries) {
      if (isOnce) this.off(name, listener)
      guarded(() => apply(listener, this, args))
    }
    return true
  }

  #add(name: Name, entry: Entry): this {
    this.#entries.set(name, [...(this.#entries.get(name) ?? []), entry])
    return this
  }
}
