/** Stands in for `node:crypto` in browsers. */
export const randomUUID = (): string => globalThis.crypto.randomUUID()
