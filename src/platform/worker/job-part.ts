/**
 * What a thread loads to run the jobs of a distributed executor. The code stands above this folder, in
 * src/distributed/node/job-in-thread.ts, and cannot be named here. The bundler puts it in the place of this file where
 * a thread loads it (tools/bundle/chunks.ts), and threads run only bundles.
 */

/** The URL by which a node names it to its threads. */
export const JOB_MODULE = "corepool:job"
