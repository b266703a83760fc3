/**
 * What `fork` and `join` know of the thread that calls them: whether it is a worker of a ForkJoinPool. All copies of
 * corepool that the thread has loaded share it.
 */
import type { Runnable } from "../../future/runnable.ts"
import type { RemoteTasks } from "../../future/task-observers.ts"
import { perThread } from "../../per-thread.ts"
import type { TaskQueue } from "../../platform/queue/task-queue.ts"
import type { ForkJoinTask } from "./fork-join-task.ts"

export type AnyFunction = (...args: never[]) => unknown

/** What a task asks of the worker of a ForkJoinPool that runs it (worker/forks.ts). */
export interface ForkingWorker extends RemoteTasks {
  /** Puts the task where other workers can take it; runs it at once if there is no room. */
  fork(task: ForkJoinTask<unknown>, fn: AnyFunction, args: readonly unknown[]): void
  /** Takes the task in this slot back, if it was forked last and no other worker has stolen it. */
  unpush(slot: number): boolean
  /** Waits for a task, and runs others meanwhile. */
  join(task: ForkJoinTask<unknown>): void
  /** Blocks until a task is over, at most so many ms. */
  await(task: ForkJoinTask<unknown>, limit: number): void
  /** Throws if the task that this worker runs was cancelled. */
  throwIfStopped(): void
  /** Adds a thread while this worker is blocked by anything but a task that it has forked. */
  readonly compensation: { compensate(): void; during<T>(body: () => T): T }
}

/** Is notified of the runs of tasks that the thread has forked itself. */
export interface ForkWatch {
  now(): number
  /** The task has run since `start`. */
  ran(start: number, task: ForkJoinTask<unknown>, failed: boolean): void
}

interface ThisThread {
  /** The forks of this worker, if the thread is a worker of a ForkJoinPool. */
  forks: ForkingWorker | undefined
  /** The queue from which it takes tasks, in that case. */
  queue: TaskQueue | undefined
  /** Only while code listens to events. */
  watch: ForkWatch | undefined
  /** Submits a task to the common pool, in any other thread; set by fork-join-pool.ts. */
  submitElsewhere: (task: Runnable) => void
}

export const thisThread: ThisThread = perThread("fork join", () => ({
  forks: undefined,
  queue: undefined,
  watch: undefined,
  submitElsewhere: (): never => {
    throw new Error("corepool: there is no common pool")
  },
}))

/** Calls the function. Spreading the arguments would be several times slower. */
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
