/**
 * The kind of threads that pools are replayed on. A suite asks for everything that depends on it here, so that the
 * same suites can be replayed on another kind.
 */
import { type Thread, type ThreadFactory, virtualThreads } from "corepool"

export interface Threads {
  readonly kind: string
  /** Makes the threads of a pool; `uncaught` hears of each error that ended one. */
  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory
}

export const onVirtualThreads: Threads = {
  kind: "virtual",
  factory: (uncaught) => virtualThreads(uncaught === undefined ? {} : { uncaughtException: uncaught }),
}
