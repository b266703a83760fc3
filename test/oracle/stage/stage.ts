/**
 * Where the tasks of a scenario run, as the driver sees it: it makes their threads and their gates, knows who has started
 * and who has ended, and when all is quiet. There is one kind for virtual threads, whose tasks are closures, and one for
 * worker threads, whose tasks are told everything through shared memory.
 */
import type { Callable, Runnable, Thread, ThreadFactory, ThreadPoolExecutor } from "corepool"
import type { JsonObject } from "../json.ts"
import type { Part, Word } from "./part.ts"

/** The pool under test. */
export interface Company {
  readonly pool: ThreadPoolExecutor
  /** Gives a task to the pool, from inside of another task. */
  execute(part: Part): void
}

export interface Stage {
  /** Makes the threads of a pool; `uncaught` hears of each error that ended one. */
  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory
  /** How many threads its factories have made. */
  readonly threadsMade: number
  /** What is given to `submit`. Its name is that of the task. */
  callable(part: Part): Callable<unknown>
  /** What is given to `execute`. A lower priority comes first, and then a lower number. */
  runnable(part: Part, priority: number): Runnable
  /** How long a short time-out of the scenario's has to be here. */
  shortTime(ms: number): number
  /** @throws {VoidReplay} if a thread took so long to begin that a short time-out may have been over before its task could start. */
  checkStarts(shortMs: number): void
  tell(part: Part, word: Word): void
  hasStarted(part: Part): boolean
  /** The `newStarts` and `newEnds` since the last call. */
  page(): JsonObject
  /**
   * Returns when nothing more will happen by itself. `signature` must show everything of the pool that can move. `settleMs`
   * is how long the JDK was given, before, to let idle threads time out.
   */
  quiet(signature: () => string, settleMs?: number): Promise<void>
  /** Opens all gates, and waits for the threads; the pool has been shut down. */
  close(): void | Promise<void>
}
