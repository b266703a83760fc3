/** One function for many items: `map` gives a thread a chunk of items at once. */
export type ItemFunction<I, O> = (item: I) => O | PromiseLike<O>

/**
 * A function that calls `fn` for each element of an array, one after the other, and returns the array of the results.
 * Worker threads have a faster one: see some.ts.
 */
export function eachOf<I, O>(fn: ItemFunction<I, O>): (items: readonly I[]) => Promise<Awaited<O>[]> {
  const made = async (items: readonly I[]): Promise<Awaited<O>[]> => {
    const results: Awaited<O>[] = []
    for (const item of items) results.push(await fn(item))
    return results
  }
  noteWrapped(made, fn, "each")
  return made
}

/**
 * What has become of a chunk: the milliseconds it took, the results of its first items, and, if the next item has
 * failed, its error. Without an error, the items that have no result were not begun.
 */
export type ChunkOutcome<O> = readonly [time: number, results: O[], error?: unknown]

/** Whether the value may change later. */
export function isObject(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function"
}

interface Wrapped {
  readonly fn: (...args: never[]) => unknown
  /** All items of a chunk, or as many as there is time for: see some.ts. */
  readonly kind: "each" | "some"
}

const wrapped = new WeakMap<object, Wrapped>()

/** Notes that `made` calls `fn` for many items. */
export function noteWrapped(made: object, fn: Wrapped["fn"], kind: Wrapped["kind"]): void {
  wrapped.set(made, { fn, kind })
}

/** The function that `made` calls for many items; undefined for any other function. Other threads get the original. */
export function wrappedBy(made: object): Wrapped | undefined {
  return wrapped.get(made)
}
