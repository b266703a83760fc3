/** What the runtimes do differently, named by what it means to the rest of corepool. */
import { isBun, isDeno, isNode } from "./runtime.ts"

/**
 * Whether a worker has stopped when the runtime sends its exit event. Deno sends it when the worker was asked to end,
 * though the worker may run for ever.
 */
export const isExitTheEnd: boolean = !isDeno

/** Whether the garbage collector counts shared memory like any other. JavaScriptCore does, V8 does not. */
export const countsSharedMemory: boolean = isBun

/** Whether a thread can use code that another thread has compiled. Other runtimes have the methods too. */
export const keepsCode: boolean = isNode

/** Whether the thread may block. A browser's window may not. */
export const canBlock: boolean = true

/** Whether a thread that blocks can read its ports. */
export const readsWhileBlocked = true

/**
 * Whether a thread leaves its memory to other threads as soon as corepool is loaded: the runtime passes it on to every
 * worker that the program starts.
 */
export const leavesAtLoad = true

/** Whether a thread can be started before its orders are known, and get them by a port. */
export const startsAhead: boolean = isNode

/** Whether it is known which code writes, also after an `await`: see threads/intercept.ts. */
export const canIntercept = true

/**
 * Whether an error keeps the objects alive whose methods were on the stack, also after its stack was read. Deno keeps
 * the call sites with the error.
 */
export const areFramesKept: boolean = isDeno
