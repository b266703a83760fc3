/**
 * The items in the order of their keys; those with equal keys stay in their order. Each key is read once, before
 * anything is compared: a runtime may compare the same items more often in one call than in another, and a model
 * (test/model) cannot replay reads of shared memory whose number varies. For a caller inside a lock they would also be
 * reads that take longer than one for each item.
 */
export function sortedBy<T, K>(items: readonly T[], keyOf: (item: T) => K, compare: (a: K, b: K) => number): T[] {
  return items
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((a, b) => compare(a.key, b.key))
    .map(({ item }) => item)
}
