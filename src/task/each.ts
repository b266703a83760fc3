/** One function for many items: `map` gives a thread a chunk of items at once. */
import { named } from "../future/call.ts"
import { propertyOf } from "../user-values.ts"

export type ItemFunction<I, O> = (item: I) => O | PromiseLike<O>

/**
 * A function over a chunk of items. `first` is the number of the first item among all of `map`; `bound` are arguments
 * that come before the item in each call.
 */
export type ChunkFunction<I, R> = (items: readonly I[], first?: number, bound?: readonly unknown[]) => R

/**
 * A function that calls `fn` for each element of an array, one after the other, and returns the array of the results.
 * Worker threads have a faster one: see some.ts.
 */
export function eachOf<I, O>(fn: ItemFunction<I, O>): ChunkFunction<I, Promise<Awaited<O>[]>> {
  const made = async (items: readonly I[], _first?: number, bound?: readonly unknown[]): Promise<Awaited<O>[]> => {
    const call = withBound(fn, bound)
    const results: Awaited<O>[] = []
    for (const item of items) results.push(await call(item))
    return results
  }
  noteWrapped(made, fn, "each")
  return made
}

/** The function with these arguments before the item. */
export function withBound<I, O>(fn: ItemFunction<I, O>, bound: readonly unknown[] | undefined): ItemFunction<I, O> {
  if (bound === undefined) return fn
  return (item) => (fn as (...args: unknown[]) => O | PromiseLike<O>)(...bound, item)
}

interface Wrapped {
  readonly fn: (...args: never[]) => unknown
  /** All items of a chunk, or as many as there is time for: see some.ts. */
  readonly kind: "each" | "some"
}

const wrapped = new WeakMap<object, Wrapped>()

/** Notes that `made` calls `fn` for many items. It is shown by the name of `fn`. */
export function noteWrapped(made: (...args: never[]) => unknown, fn: Wrapped["fn"], kind: Wrapped["kind"]): void {
  wrapped.set(made, { fn, kind })
  const name = propertyOf(fn, "name")
  named(made, typeof name === "string" ? name : "")
}

/** The function that `made` calls for many items; undefined for any other function. Other threads get the original. */
export function wrappedBy(made: object): Wrapped | undefined {
  return wrapped.get(made)
}
