/** A module that a thread loads before its first task. */
export type PreloadLog = typeof globalThis & { preloaded?: string[] }

const scope = globalThis as PreloadLog
;(scope.preloaded ??= []).push("a")
