/**
 * The module that a thread loads to run functions for Piscina and workerpool of `corepool/compat`. Its code is above
 * this folder, in src/compat/in-thread/in-thread.ts: see job-part.ts.
 */

/** The URL by which a pool names it to its threads. */
export const HANDLER_MODULE = "corepool:handlers"
