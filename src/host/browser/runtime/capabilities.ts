/** What browsers can do, named by what it means to the rest of corepool: see host/node/runtime/capabilities.ts. */
import { isWindow } from "./globals.ts"

/** A worker is reported as ended when its Web Lock is free. The browser frees the lock when the worker has stopped. */
export const isExitTheEnd = true

export const countsSharedMemory = false

export const keepsCode = false

/** Only workers that corepool starts get it, when they are started. A worker gets its own after corepool is loaded. */
export const leavesAtLoad = false

export const startsAhead = false

/** Messages come by events, and so only when the thread returns to its event loop. */
export const readsWhileBlocked = false

/** A window may not block. */
export const canBlock: boolean = !isWindow

/** Whether it is known which code writes, also after an `await`: see threads/intercept.ts. */
export const canIntercept = false

export const areFramesKept = false
