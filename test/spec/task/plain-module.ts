/** A module that knows nothing of corepool. */
export function add(a: number, b: number): number {
  return a + b
}

export const answer = 42
