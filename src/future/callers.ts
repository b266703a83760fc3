/**
 * Who blocks for an error that comes from another thread is told in its stack: see merge-stacks.ts, which is provided
 * together with platform threads. Without these no error comes from another thread.
 */
let way: ((error: unknown, inner: number) => void) | undefined

export function addCallersBy(add: (error: unknown, inner: number) => void): void {
  way = add
}

/** Adds those who have called, but for the first `inner` of them, which are ours. */
export function addCallers(error: unknown, inner: number): void {
  way?.(error, inner + 1)
}
