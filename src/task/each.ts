/** One function for many elements: `map` gives a thread a chunk of elements at once. */

/**
 * A function that calls `fn` for each element of an array, one after the other, and returns the array of the results.
 */
export function eachOf<I, O>(fn: (item: I) => O | PromiseLike<O>): (items: readonly I[]) => Promise<Awaited<O>[]> {
  const made = async (items: readonly I[]): Promise<Awaited<O>[]> => {
    const results: Awaited<O>[] = []
    for (const item of items) results.push(await fn(item))
    return results
  }
  originals.set(made, fn)
  return made
}

const originals = new WeakMap<object, (...args: never[]) => unknown>()

/**
 * The function that {@link eachOf} was called with; undefined for any other function. Other threads get the original.
 */
export function originalOf(fn: object): ((...args: never[]) => unknown) | undefined {
  return originals.get(fn)
}
