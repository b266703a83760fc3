/**
 * Records in shared memory. A layout names the words of a record and gives each its offset, so that code says
 * `words[node + NODE.STATE]` and the tables in README.md can be read beside it:
 *
 *     const NODE = { STATE: 0, THREAD: 1, NEXT: 2, SIZE: 3 } as const
 *
 * Layouts are plain objects of constants, and not enums: they can be erased to plain JavaScript, and optimized code
 * folds them either way. A test makes sure that no two words overlap and SIZE covers them.
 */

/** The size of a cache line in words. Records that different threads write at the same time should not share one. */
export const LINE = 16

/** The number of words, rounded up to whole cache lines. */
export function wholeLines(words: number): number {
  return Math.ceil(words / LINE) * LINE
}
