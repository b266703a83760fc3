/** One function for many elements: what `map` gives to a thread at once. */

/**
 * A function that calls another one for each element of an array, one after the other, for the array of the results.
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
 * The function that such a one calls; undefined if it is another kind of function. Other threads are told of the
 * original.
 */
export function originalOf(fn: object): ((...args: never[]) => unknown) | undefined {
  return originals.get(fn)
}
