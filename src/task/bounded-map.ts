/** How many texts a map remembers: a program may make functions from texts, each a little different. */
import { OwnMap } from "../primordials.ts"
const MOST = 1000

export class BoundedMap<V> {
  readonly #values = new OwnMap<string, V>()

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  /** Returns the value. Values that were set before may be gone after that. */
  set(key: string, value: V): V {
    if (this.#values.size >= MOST) this.#values.clear()
    this.#values.set(key, value)
    return value
  }
}
