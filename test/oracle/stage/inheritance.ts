/** What a worker thread of a pool gets from the driver of its scenario when it is started. */
import type { Semaphore, ThreadPoolExecutor } from "corepool"

export interface Inheritance<T = unknown> {
  /** About the one thread that inherits this: see activity.ts. */
  readonly activity: Int32Array
  /** In ms: what waits longer than this waits for ever, as far as the present step of the scenario is concerned. */
  readonly short: number
  /** What its tasks have to know. */
  readonly legacy: T
}

/** For the tasks of suites "threadpool" and "invoke". */
export interface StageLegacy {
  /** About the tasks: see stage-memory.ts. */
  readonly words: Int32Array
  /** A permit of a task's semaphore says that there is a word for it. */
  readonly gates: readonly Parameters<typeof Semaphore.from>[0][]
  /** The pool, for tasks that have something to execute. */
  readonly pool: Parameters<typeof ThreadPoolExecutor.from>[0]
  /** Whether tasks block their thread at their gates, or await. */
  readonly blocks: boolean
}

/** For those of suite "scheduled". */
export interface TimedLegacy {
  /** See timed-memory.ts. */
  readonly memory: SharedArrayBuffer
  /** Whether tasks block their thread while they sleep, or await. */
  readonly blocks: boolean
}

/** Its name in the environment data of the runtime. */
export const INHERITANCE = "corepool.oracle.stage"
