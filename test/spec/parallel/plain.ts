/** A module that knows nothing of corepool. */
export function product(a: number, b: number): number {
  return a * b
}
