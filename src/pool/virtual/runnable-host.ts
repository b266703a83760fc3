import { BEGIN, COMPLETE, EXPIRE, FAIL } from "../../future/internals.ts"
import { isPromiseLike } from "../../checks.ts"
import { RejectedExecutionError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import { type Runnable, start } from "../../future/runnable.ts"
import { guarded, heed, type Report } from "../../memory/flow/guard.ts"
import { observing, type ThreadInfo } from "../../observing.ts"
import type { Thread } from "../../thread/thread.ts"
import type { CommandFrames } from "./command-frames.ts"
import { LocalWorker } from "./local-worker.ts"
import type { PoolShell } from "../engine/pool-engine.ts"
import type { Admission, Execution } from "../../core/pool-host.ts"
import type { PoolState } from "../../core/pool-state.ts"
import type { Probe } from "./probe.ts"
import { drop } from "../engine/unrun-tasks.ts"
import type { Worker } from "../../core/worker.ts"

/** The host of a pool of virtual threads: its tasks are Runnables of this heap. */
export class RunnableHost implements Admission<Runnable>, Execution<Runnable> {
  readonly #state: PoolState
  readonly #shell: PoolShell
  readonly #probe: Probe
  readonly #frames: CommandFrames
  readonly #run: (worker: LocalWorker<Runnable>) => Promise<void>
  readonly #drain: () => Runnable[]

  constructor(
    state: PoolState,
    shell: PoolShell,
    probe: Probe,
    frames: CommandFrames,
    run: (worker: LocalWorker<Runnable>) => Promise<void>,
    drain: () => Runnable[],
  ) {
    this.#state = state
    this.#shell = shell
    this.#probe = probe
    this.#frames = frames
    this.#run = run
    this.#drain = drain
  }

  newWorker(firstTask: Runnable | undefined): LocalWorker<Runnable> | undefined {
    // Before the thread: the task counts as active while the factory, which is user code, makes the thread.
    const worker = new LocalWorker(this.#state, firstTask)
    let thread: Thread | undefined
    try {
      thread = this.#shell.newThread(() => this.#run(worker))
    } finally {
      if (thread === undefined) worker.release()
      else worker.thread = thread
    }
    return thread === undefined ? undefined : worker
  }

  beforeExecute(worker: Worker<Runnable>, task: Runnable): void {
    heed(this.#shell.beforeExecute((worker as LocalWorker<Runnable>).thread, task))
  }

  begin(worker: Worker<Runnable>, task: Runnable): PromiseLike<unknown> | undefined {
    this.#probe.began(task)
    if (observing.by !== undefined) observing.by.began(this.#shell.info, infoOf(worker), task)
    if (isPlainFuture(task)) return task[BEGIN](worker.flow)
    // A future has its frame itself.
    const pending =
      task instanceof FutureTask
        ? worker.flow.calls(start, task)
        : worker.flow.runTask(this.#frames.take(task), start, task)
    return isPromiseLike(pending) ? pending : undefined
  }

  complete(task: Runnable, value: unknown): void {
    if (isPlainFuture(task)) task[COMPLETE](value)
  }

  fail(task: Runnable, error: unknown): void {
    if (isPlainFuture(task)) task[FAIL](error)
    else throw error
  }

  afterExecute(worker: Worker<Runnable>, task: Runnable, error?: unknown): void {
    this.#probe.ended(task)
    if (observing.by !== undefined) observing.by.ended(this.#shell.info, infoOf(worker), task, error)
    heed(this.#shell.afterExecute(task, error))
  }

  /** The task counts as ended, although it has not stopped. */
  overstayed(worker: LocalWorker<Runnable>, task: Runnable, error: unknown): void {
    const isFuture = task instanceof FutureTask
    guarded(() => this.afterExecute(worker, task, isFuture ? undefined : error))
    if (!isFuture) worker.reportUncaught(error)
  }

  idle(worker: Worker<Runnable>): void {
    this.#probe.rests()
    observing.by?.idle(this.#shell.info, infoOf(worker))
  }

  abandon(task: Runnable, error: unknown): void {
    // The thread ends because of `error`; an error of done() must not take its place.
    if (task instanceof FutureTask) guarded(() => task[EXPIRE](error))
  }

  drop(task: Runnable): void {
    drop(task, new RejectedExecutionError("The pool was shut down before the task ran", task))
  }

  isOver(task: Runnable): boolean {
    return task instanceof FutureTask && task.isDone
  }

  failWaiting(error: unknown, report: Report): void {
    for (const task of this.#drain()) {
      this.#state.completed.increment()
      if (task instanceof FutureTask) this.abandon(task, error)
      else report(error)
    }
  }

  endPool(): void {
    try {
      heed(this.#shell.terminated())
    } finally {
      this.#state.control.terminate()
      this.#shell.announceTermination()
    }
  }
}

function infoOf(worker: Worker<Runnable>): ThreadInfo {
  return (worker as LocalWorker<Runnable>).info
}

/** False for a subclass that overrides run(): the host calls that run() instead of begin(). */
function isPlainFuture(task: Runnable): task is FutureTask<unknown> {
  return task instanceof FutureTask && task.run === FutureTask.prototype.run
}
