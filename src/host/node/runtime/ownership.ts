/**
 * Ownership of locks where the current flow is always known, by the asynchronous context: there is nothing to do. In a
 * browser it may be unknown: see src/host/browser/runtime/ownership.ts.
 */

/** Makes locks with this prototype belong to their guards, if the current flow may be unknown. */
export function leaveToGuards(_prototype: object, _flows: object): void {}

/** Makes what asks for the current thread throw where it is not known; given the class Thread. */
export function requireCertainty(_threads: object, _flows: object): void {}
