/**
 * What a thread loads to run functions that modules export by name, for the shapes of other worker pools. The code
 * stands above this folder, in src/compat/in-thread.ts: see job-part.ts.
 */

/** The URL by which a pool names it to its threads. */
export const HANDLER_MODULE = "corepool:handlers"
