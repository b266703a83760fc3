/** A worker thread of a pool, where it cannot be told by a flag what to load first. */
import "./pool-thread.ts"
import "corepool/worker"
