/** What a thread loads to run tasks whose output is captured: captured-run.ts. */

/** The URL by which threads find it. */
export const CAPTURE_MODULE = "corepool:capture"
