/**
 * The progress of a task, for the part of corepool that has given the task to this thread and can pass the progress on:
 * a node of a distributed executor.
 *
 * The listener travels in the asynchronous context, and so belongs to the task and not to the thread: code that a task
 * has left behind in a thread, such as a timer, never reports for the task that the thread runs next.
 */
import { AsyncVariable } from "#host/runtime/context"
import { perThread } from "../per-thread.ts"

/** Hears of the progress of one task. */
export interface ProgressListener {
  /** Throws if the value cannot be passed on. */
  progress(value: unknown): void
}

const listeners = perThread("progress", () => new AsyncVariable<ProgressListener>())

/** Runs the body, and all that it awaits, so that the listener gets its progress. */
export function withListener<T>(listener: ProgressListener, body: () => T): T {
  return listeners.run(listener, body)
}

/** The listener of the task that runs this code, if it has one. */
export function currentListener(): ProgressListener | undefined {
  return listeners.getStore()
}
