/**
 * What `fork` and `join` find of the thread they are called in: whether it is a worker of a ForkJoinPool. One for all copies of
 * corepool that the thread has loaded.
 */
import type { Runnable } from "../future/runnable.ts"
import { perThread } from "../per-thread.ts"
import type { TaskQueue } from "../platform/task-queue.ts"
import type { Forks } from "./forks.ts"

export type AnyFunction = (...args: never[]) => unknown

interface ThisThread {
  /** What it has forked, if it is a worker of a ForkJoinPool. */
  forks: Forks | undefined
  /** Where it takes its tasks from, in that case. */
  queue: TaskQueue | undefined
  /** How a task gets to the common pool, for any other thread; set by fork-join-pool.ts. */
  submitElsewhere: (task: Runnable) => void
}

export const thisThread: ThisThread = perThread("fork join", () => ({
  forks: undefined,
  queue: undefined,
  submitElsewhere: (): never => {
    throw new Error("corepool: there is no common pool")
  },
}))

/** To spread them is several times slower. */
export function call(fn: AnyFunction, args: never[]): unknown {
  switch (args.length) {
    case 0:
      return fn()
    case 1:
      return fn(args[0] as never)
    case 2:
      return fn(args[0] as never, args[1] as never)
    case 3:
      return fn(args[0] as never, args[1] as never, args[2] as never)
    default:
      return fn(...args)
  }
}
