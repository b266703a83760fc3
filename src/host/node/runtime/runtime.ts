/**
 * Which runtime this is. Node, Bun and Deno share one implementation of the host; where they differ, a file of this
 * folder asks here, and exports a value that says what the difference means. No file outside of this folder asks.
 */

export const isBun: boolean = "bun" in process.versions

export const isDeno: boolean = "deno" in process.versions

export const isNode: boolean = !isBun && !isDeno
