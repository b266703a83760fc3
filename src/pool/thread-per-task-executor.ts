import { WATCH } from "../future/internals.ts"
import { DEFAULT_WINDOW, RETRIES } from "../executor/internals.ts"
import { isPromiseLike, rangeError, requireFunction } from "../checks.ts"
import {
  CancellationError,
  IllegalStateError,
  InterruptedError,
  RejectedExecutionError,
  TimeoutError,
} from "../errors.ts"
import { AbstractExecutorService } from "../executor/service/abstract-executor-service.ts"
import { cancelAll, requireTasks } from "../executor/completion/invoke.ts"
import { cannotBeSent } from "../executor/sending.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, commandOf, type Runnable, start } from "../future/runnable.ts"
import { FLOW, REPORT_UNCAUGHT } from "../memory/flow/internals.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow, frameForTask } from "../memory/flow/flow.ts"
import { SHAREABLE } from "../memory/shared/shareables.ts"
import {
  awaiting,
  type Steps,
  TIMEOUT,
  timeoutUnlessAborted,
  WaitList,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import type { Frame } from "#host/runtime/context"
import { perThread } from "../per-thread.ts"
import type { Thread } from "../thread/thread.ts"
import { infoOf, observing, type PoolInfo, threadInfoOf } from "../observing.ts"
import { noteInfo } from "./live-pools.ts"
import { THREADS } from "./internals.ts"
import type { PoolThread } from "./engine/pool-engine.ts"
import type { Place } from "./virtual/overstay.ts"
import { drop } from "./engine/unrun-tasks.ts"
import { newThreadOf, requireThreadFactory, type ThreadFactory, warnsUnobserved } from "../thread/thread-factory.ts"

/** RUNNING -> SHUTDOWN by shutdown(), -> TERMINATED when the last thread has ended. */
type RunState = "running" | "shutdown" | "terminated"

/** The executors of this thread that have threads, for thread dumps. */
export const busyExecutors: Set<ThreadPerTaskExecutor> = /* @__PURE__ */ perThread(
  "busy executors",
  () => new Set<ThreadPerTaskExecutor>(),
)

/**
 * A new thread for every task: no queue, no pool, no limit. With virtual threads this is the natural home of many
 * tasks that mostly wait, each with a name, a `signal` and a future of its own.
 */
export class ThreadPerTaskExecutor extends AbstractExecutorService {
  readonly #factory: ThreadFactory
  readonly #info: PoolInfo
  readonly #threads = new Map<Thread, Runnable>()
  readonly #termination = new WaitList()
  /** The threads that wait for `resume()`. */
  readonly #resumption = new WaitList()
  readonly #quiescence = new WaitList()
  #isPaused = false
  #state: RunState = "running"
  /** Whether all tasks have to end. */
  #isStopped = false

  /** `name` is how events name it; with one it is part of something else, and no pool that was made. */
  constructor(factory: ThreadFactory, name?: string) {
    super()
    this.#factory = requireThreadFactory("factory", factory)
    this.#info = infoOf(name ?? identityOf(this), true)
    noteInfo(this, this.#info)
    if (name === undefined) observing.newPool?.(this.#info, warnsUnobserved(factory))
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  get handle(): never {
    throw cannotBeSent(this)
  }

  /** How many threads there are now. */
  get threadCount(): number {
    return this.#threads.size
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], threadCount: this.threadCount }
  }

  /** @internal */
  [THREADS](): PoolThread[] {
    return Array.from(this.#threads, ([thread, task]) => ({ thread, task, runs: (future) => future === task }))
  }

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    const task = commandOf(command, args)
    if (observing.by === undefined) this.#give(task)
    else observing.by.submit(this.#info, task, () => this.#give(task))
  }

  #give(task: Runnable): void {
    if (this.#refuses) throw new RejectedExecutionError(`${identityOf(this)} is shut down`, task)
    const frame = frameForTask()
    const thread = newThreadOf(this.#factory, () => this.#run(thread as Thread, task, frame))
    if (thread === undefined) {
      throw new RejectedExecutionError(`${identityOf(this)}: the thread factory refused to make a thread`, task)
    }
    // The factory ran user code: look again.
    if (this.#refuses) throw new RejectedExecutionError(`${identityOf(this)} is shut down`, task)
    const { stopping } = thread[FLOW]
    if (stopping !== undefined) stopping.watch = stopping.watchOver(this.#placeOf(thread, task))
    thread.start()
    if (this.#threads.size === 0) busyExecutors.add(this)
    this.#threads.set(thread, task)
    observing.by?.started(this.#info, threadInfoOf(thread))
  }

  /** Shut down; but attempts of retried tasks are taken until the last such task has ended. */
  get #refuses(): boolean {
    return this.#state !== "running" || this[RETRIES]?.refuses === true
  }

  async #run(thread: Thread, task: Runnable, frame: Frame): Promise<void> {
    let failure: { readonly error: unknown } | undefined
    try {
      if (this.#isPaused && !(await this.#resumed(task))) return
      observing.by?.began(this.#info, threadInfoOf(thread), task)
      const pending = currentFlow().runTask(frame, start, task)
      if (isPromiseLike(pending)) await pending
    } catch (error) {
      failure = { error }
      if (thread[FLOW].stopping?.watch?.ended() !== false) throw error // else it was abandoned
    } finally {
      thread[FLOW].stopping?.watch?.ended()
      this.#leave(thread, task, failure)
    }
  }

  #leave(thread: Thread, task: Runnable, failure?: { readonly error: unknown }): void {
    if (!this.#threads.delete(thread)) return
    if (observing.by !== undefined) {
      const info = threadInfoOf(thread)
      observing.by.ended(this.#info, info, task, failure?.error)
      observing.by.exited(this.#info, info, failure !== undefined)
    }
    this.#tryTerminate()
    if (this.#threads.size > 0) return
    busyExecutors.delete(this)
    this.#quiescence.signalAll()
  }

  #placeOf(thread: Thread, task: Runnable): Place {
    const isStopped = (): boolean => this.#isStopped
    return {
      thread,
      task,
      get isStopped() {
        return isStopped()
      },
      giveFree: (_task, error) => {
        if (!(task instanceof FutureTask)) thread[REPORT_UNCAUGHT](error)
        this.#leave(thread, task, { error })
      },
      strayEnded() {},
    }
  }

  // ------------------------------------------------------------------ pause

  /**
   * New threads wait until `resume()` before they begin their task. `shutdown()` does not end that, `shutdownNow()` and
   * `close()` do.
   */
  override pause(): void {
    this.#isPaused = !this.#isStopped
  }

  /** Lets all threads begin. */
  override resume(): void {
    this.#isPaused = false
    this.#resumption.signalAll()
  }

  /** Whether new threads wait before they begin. */
  override get isPaused(): boolean {
    return this.#isPaused
  }

  /** Waits until there is no thread; false if the time is up. */
  override async awaitQuiescence(wait?: WaitOptions): Promise<boolean> {
    if (this.#threads.has(currentFlow().owner as Thread)) {
      throw new IllegalStateError(
        "awaitQuiescence() was called by a task of this very executor, and would wait for itself",
      )
    }
    return await awaiting(this.#quieting(), wait, undefined, this)
  }

  *#quieting(): Steps<boolean> {
    while (this.#threads.size > 0) if ((yield this.#quiescence) === TIMEOUT) return false
    return true
  }

  /** Waits for `resume()`. False if the thread is interrupted meanwhile: the task does not run. */
  async #resumed(task: Runnable): Promise<boolean> {
    try {
      await awaiting(this.#resuming())
      return true
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      drop(task, new RejectedExecutionError("The thread was interrupted before the task ran", task))
      return false
    }
  }

  *#resuming(): Steps<void> {
    while (this.#isPaused) yield this.#resumption
  }

  // ------------------------------------------------------------------

  /** Unlike a pool's invokeAny, this starts all tasks at once, and reports the first failure rather than the last. */
  override invokeAny<C extends Callable<unknown>>(
    tasks: Iterable<C>,
    wait?: WaitOptions,
  ): Promise<Awaited<ReturnType<C>>>
  override invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T>
  override async invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T> {
    timeoutUnlessAborted(wait)
    const race = new Race<T>()
    const futures: FutureTask<T>[] = []
    try {
      for (const task of requireTasks(tasks)) futures.push(this.newTaskFor(requireFunction("task", task)))
      if (futures.length === 0) throw rangeError("tasks", "a non-empty collection", tasks)
      for (const future of futures) {
        future[WATCH]({ started() {}, ended: () => race.note(future, futures.length) })
        this.execute(future)
      }
      return await awaiting(race.deciding(), wait, "Future", "invokeAny")
    } finally {
      cancelAll(futures)
    }
  }

  shutdown(): void {
    if (this[RETRIES]?.putOff(() => this.#shutDown()) !== true) this.#shutDown()
  }

  #shutDown(): void {
    if (this.#state === "running") this.#state = "shutdown"
    this.#tryTerminate()
  }

  /** Interrupts every thread. Nothing is ever queued, so nothing is returned. */
  shutdownNow(): Runnable[] {
    this.#shutDown()
    this[RETRIES]?.stop()
    this.#isStopped = true
    this.#isPaused = false
    for (const thread of [...this.#threads.keys()]) {
      thread.interrupt()
      thread[FLOW].stopping?.watch?.begin()
    }
    return []
  }

  get isShutdown(): boolean {
    return this[RETRIES]?.isClosing === true || this.#state !== "running"
  }

  get isTerminated(): boolean {
    return this.#state === "terminated"
  }

  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return awaiting(this.#terminating(), wait, "termination", this)
  }

  *#terminating(): Steps<boolean> {
    while (!this.isTerminated) if ((yield this.#termination) === TIMEOUT) return false
    return true
  }

  override async close(wait: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#threads.has(currentFlow().owner as Thread)) {
      throw new IllegalStateError(
        "close() was called by a task of this very executor and would wait for itself: use shutdown()",
      )
    }
    this.resume()
    await super.close(wait)
  }

  /** @internal */
  override get [DEFAULT_WINDOW](): number {
    return 256
  }

  #tryTerminate(): void {
    if (this.#state !== "shutdown" || this.#threads.size > 0) return
    this.#state = "terminated"
    observing.by?.poolTerminated(this.#info)
    this.#termination.signalAll()
  }
}

/** The outcome of invokeAny: the first success, or the first failure once all have failed. */
class Race<T> {
  readonly #decided = new WaitList()
  #winner: FutureTask<T> | undefined
  #firstFailure: FutureTask<T> | undefined
  #failures = 0
  #over = false

  note(future: FutureTask<T>, runners: number): void {
    if (this.#over) return
    if (future.state === "success") this.#winner = future
    else {
      this.#firstFailure ??= future
      if (++this.#failures < runners) return
    }
    this.#over = true
    this.#decided.signal()
  }

  *deciding(): Steps<T> {
    while (!this.#over) if ((yield this.#decided) === TIMEOUT) throw new TimeoutError("No task succeeded in time")
    if (this.#winner !== undefined) return this.#winner.resultNow()
    if (this.#firstFailure?.state === "failed") throw this.#firstFailure.exceptionNow()
    throw new CancellationError("Task was cancelled")
  }
}
