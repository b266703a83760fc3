/**
 * If a thread blocks for an error that comes from another thread, the stack of the error names the blocked code: see
 * merge-stacks.ts, which is provided together with platform threads. Without these no error comes from another thread.
 */
let way: ((error: unknown, inner: number) => void) | undefined

export function addCallersBy(add: (error: unknown, inner: number) => void): void {
  way = add
}

/** Appends the frames of the callers, without the first `inner` of them, which belong to corepool. */
export function addCallers(error: unknown, inner: number): void {
  way?.(error, inner + 1)
}
