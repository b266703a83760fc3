/** A worker thread of a pool, where it cannot be told by a flag what to load first. */
// oxlint-disable import/no-unassigned-import -- what they do is to begin
import "./pool-thread.ts"
import "corepool/worker"
