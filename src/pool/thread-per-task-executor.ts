import { WATCH } from "../future/internals.ts"
import { DEFAULT_WINDOW, RETRIES } from "../executor/internals.ts"
import { isPromiseLike, rangeError, requireFunction } from "../checks.ts"
import { CancellationError, IllegalStateError, RejectedExecutionError, TimeoutError } from "../errors.ts"
import { AbstractExecutorService } from "../executor/abstract-executor-service.ts"
import { cancelAll, requireTasks } from "../executor/invoke.ts"
import { cannotBeSent } from "../executor/sending.ts"
import type { FutureTask } from "../future/future-task.ts"
import { type Callable, commandOf, type Runnable, start } from "../future/runnable.ts"
import { identityOf } from "../identity.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFlow, frameForTask } from "../memory/flow/flow.ts"
import { SHAREABLE } from "../memory/shared/shareables.ts"
import {
  abortOf,
  awaiting,
  type Steps,
  TIMEOUT,
  timeoutOf,
  WaitList,
  type WaitOptions,
} from "../memory/flow/waiting.ts"
import type { Frame } from "#host/context"
import type { Thread } from "../thread/thread.ts"
import { newThreadOf, requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"

/** RUNNING -> SHUTDOWN by shutdown(), -> TERMINATED when the last thread has ended. */
type RunState = "running" | "shutdown" | "terminated"

/**
 * A new thread for every task: no queue, no pool, no limit. With virtual threads this is the natural home of many
 * tasks that mostly wait, each with a name, a `signal` and a future of its own.
 */
export class ThreadPerTaskExecutor extends AbstractExecutorService {
  readonly #factory: ThreadFactory
  readonly #threads = new Set<Thread>()
  readonly #termination = new WaitList()
  #state: RunState = "running"

  constructor(factory: ThreadFactory) {
    super()
    this.#factory = requireThreadFactory("factory", factory)
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

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    const task = commandOf(command, args)
    if (this.#refuses) throw new RejectedExecutionError(`${identityOf(this)} is shut down`, task)
    const frame = frameForTask()
    const thread = newThreadOf(this.#factory, () => this.#run(thread as Thread, task, frame))
    if (thread === undefined) {
      throw new RejectedExecutionError(`${identityOf(this)}: the thread factory refused to make a thread`, task)
    }
    // The factory ran user code: look again.
    if (this.#refuses) throw new RejectedExecutionError(`${identityOf(this)} is shut down`, task)
    thread.start()
    this.#threads.add(thread)
  }

  /** Shut down; but attempts of retried tasks are taken until the last such task has ended. */
  get #refuses(): boolean {
    return this.#state !== "running" || this[RETRIES]?.refuses === true
  }

  async #run(thread: Thread, task: Runnable, frame: Frame): Promise<void> {
    try {
      const pending = currentFlow().runTask(frame, start, task)
      if (isPromiseLike(pending)) await pending
    } finally {
      this.#threads.delete(thread)
      this.#tryTerminate()
    }
  }

  /** Unlike a pool's invokeAny, this starts all tasks at once, and reports the first failure rather than the last. */
  override invokeAny<C extends Callable<unknown>>(
    tasks: Iterable<C>,
    wait?: WaitOptions,
  ): Promise<Awaited<ReturnType<C>>>
  override invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T>
  override async invokeAny<T>(tasks: Iterable<Callable<T>>, wait?: WaitOptions): Promise<T> {
    timeoutOf(wait)
    abortOf(wait)?.throwIfAborted()
    const race = new Race<T>()
    const futures: FutureTask<T>[] = []
    try {
      for (const task of requireTasks(tasks)) futures.push(this.newTaskFor(requireFunction("task", task)))
      if (futures.length === 0) throw rangeError("tasks", "a non-empty collection", tasks)
      for (const future of futures) {
        future[WATCH]({ started() {}, ended: () => race.note(future, futures.length) })
        this.execute(future)
      }
      return await awaiting(race.deciding(), wait)
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
    for (const thread of [...this.#threads]) thread.interrupt()
    return []
  }

  get isShutdown(): boolean {
    return this[RETRIES]?.isClosing === true || this.#state !== "running"
  }

  get isTerminated(): boolean {
    return this.#state === "terminated"
  }

  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return awaiting(this.#terminating(), wait)
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
    await super.close(wait)
  }

  /** @internal */
  override get [DEFAULT_WINDOW](): number {
    return 256
  }

  #tryTerminate(): void {
    if (this.#state !== "shutdown" || this.#threads.size > 0) return
    this.#state = "terminated"
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
