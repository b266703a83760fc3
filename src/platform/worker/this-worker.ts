/**
 * The worker of this thread, for tasks that wait for other tasks of the same pool. If all workers of a pool wait for
 * tasks that are still queued, none is left to run these. So a worker that is about to wait for a task that has not
 * begun runs it itself.
 */
import { IllegalStateError } from "../../errors.ts"
import { perThread } from "../../per-thread.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import type { SlotRunner } from "./slot-runner.ts"

interface ThisWorker {
  /** The identity of the pool. */
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
 * The same, as long as the worker has its line in the worker table. After that it takes no task, as the owner would not
 * find the task there.
 */
export function helperOf(identity: number): SlotRunner | undefined {
  return here.worker?.self.hasLeft === false ? runnerOf(identity) : undefined
}

/**
 * Runs code of a pool in the midst of a task, be it of that pool or of another. A task that does not stop is terminated
 * with its thread: but not within `body`.
 */
export function shielded<T>(body: () => T): T {
  const runner = here.worker?.runner
  if (runner?.isInTask !== true) return body() // a timer of an earlier task may call this
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
