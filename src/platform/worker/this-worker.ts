/**
 * The worker that this thread is, for those of its tasks that wait for other tasks of the same pool. If all workers of
 * a pool wait for tasks that are still queued, nobody is left to run them; so one that is about to wait for a task that
 * nobody has begun runs it itself.
 */
import { IllegalStateError } from "../../errors.ts"
import { perThread } from "../../per-thread.ts"
import type { SharedWorker } from "../memory/shared-worker.ts"
import type { SlotRunner } from "./slot-runner.ts"

interface ThisWorker {
  /** Of the pool. */
  readonly identity: number
  readonly runner: SlotRunner
  readonly self: SharedWorker
}

/** One for all copies of corepool that the thread has loaded. */
const here = perThread("worker", () => ({ worker: undefined as ThisWorker | undefined }))

export function becomeWorker(worker: ThisWorker): void {
  here.worker = worker
}

/** The runner of this thread, if it is a worker of the pool. */
export function runnerOf(identity: number): SlotRunner | undefined {
  return here.worker?.identity === identity ? here.worker.runner : undefined
}

/**
 * The same, as long as the worker has its place: after that it takes no task into its hand, as the owner would not find
 * it there.
 */
export function helperOf(identity: number): SlotRunner | undefined {
  return here.worker?.self.hasLeft === false ? runnerOf(identity) : undefined
}

/**
 * Does something for a pool in the midst of a task, whichever pool that is a task of: if this thread is to be killed,
 * which is done to tasks that do not stop, then not there.
 */
export function shielded<T>(body: () => T): T {
  const runner = here.worker?.runner
  if (runner?.isInTask !== true) return body() // a timer that a task has left behind may do so in between
  runner.leaveTask()
  try {
    return body()
  } finally {
    runner.returnToTask()
  }
}

export function wouldWaitForItself(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the task is asynchronous and runs in this very thread, which would stand still. Await it instead",
  )
}

export function wouldNeverBegin(): IllegalStateError {
  return new IllegalStateError(
    "This wait would never end: the pool has no other thread that could run the task, and this one cannot while it stands still, because the task is asynchronous or its module has yet to be loaded. Await it instead",
  )
}
