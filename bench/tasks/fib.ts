/** A number that takes as long to find as it is large. */

/** Below it nothing is divided. */
export const CUT_OFF = 12

export function sequentialFib(n: number): number {
  return n < 2 ? n : sequentialFib(n - 1) + sequentialFib(n - 2)
}
