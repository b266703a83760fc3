import { ABANDON, EXPIRE } from "../future/internals.ts"
import { WITHDRAW } from "./internals.ts"
import { TimeoutError } from "../errors.ts"
import type { FutureTask } from "../future/future-task.ts"
import type { TaskWatcher } from "../future/task-observers.ts"
import { listen, unlisten } from "../memory/flow/abort.ts"
import { guarded, uncaught } from "../memory/flow/guard.ts"
import { now, Timer, type TimerKeeper } from "../time/timer.ts"
import type { TaskHost, TaskOptions } from "./executor.ts"

/** The time limits and the signal of one task. Their timers and listeners are removed when the task is over. */
export class Limits implements TaskWatcher {
  readonly #task: FutureTask<unknown>
  readonly #options: TaskOptions
  readonly #executor: TaskHost
  readonly reportsErrors: boolean
  readonly #onAbort = (reason: unknown): void => this.#withdraw(() => this.#task[ABANDON](reason, true))
  /** What the executor was given: the task, or its carrier. */
  #queued: FutureTask<unknown>
  /** First for the limit of the wait in the queue, from the start on for that of the run. */
  #timer: Timer | undefined
  /** For the limit of the run, if it is in another thread. */
  #runTimer: Timer | undefined
  #keeper: TimerKeeper | undefined
  #startOf: () => number | undefined = () => undefined
  #report: (error: unknown) => void = uncaught

  constructor(task: FutureTask<unknown>, options: TaskOptions, executor: TaskHost, reportsErrors: boolean) {
    this.#task = this.#queued = task
    this.#options = options
    this.#executor = executor
    this.reportsErrors = reportsErrors
    const { signal, queueTimeout } = options
    if (signal !== undefined) listen(signal, this.#onAbort)
    if (queueTimeout !== undefined) {
      this.#timer = new Timer(queueTimeout, false, () => {
        if (this.#startOf() !== undefined) return // another thread has begun it, and this one does not know it yet
        this.#withdraw(() => task[EXPIRE](new TimeoutError(`The task did not start within ${queueTimeout} ms`)))
      })
    }
  }

  /**
   * A task in another thread does not tell when it begins. But it cannot time out before its whole time limit is over.
   */
  sentAway(startOf: () => number | undefined, report: (error: unknown) => void): void {
    this.#startOf = startOf
    this.#report = report
    const { timeout } = this.#options
    if (timeout !== undefined) this.#expireElsewhereIn(timeout, timeout)
  }

  #expireElsewhereIn(left: number, timeout: number): void {
    this.#runTimer = new Timer(left, false, () => this.#expireElsewhere(timeout))
    if (this.#keeper !== undefined) this.#runTimer.keepBy(this.#keeper)
  }

  runsHere(keeper: TimerKeeper): void {
    this.#keeper = keeper
    this.#runTimer?.keepBy(keeper)
  }

  #expireElsewhere(timeout: number): void {
    const start = this.#startOf()
    const left = start === undefined ? timeout : start + timeout - now()
    if (left > 0) this.#expireElsewhereIn(left, timeout)
    else this.#expire(timeout)
  }

  #expire(timeout: number): void {
    this.#withdraw(() => this.#task[EXPIRE](new TimeoutError(`The task did not end within ${timeout} ms`)))
  }

  standsInQueue(task: FutureTask<unknown>): void {
    this.#queued = task
  }

  started(): void {
    const { timeout } = this.#options
    this.#timer?.cancel()
    if (timeout === undefined) return
    this.#timer = new Timer(timeout, false, () => this.#expire(timeout))
  }

  ended(): void {
    this.#timer?.cancel()
    this.#runTimer?.cancel()
    if (this.#options.signal !== undefined) unlisten(this.#options.signal, this.#onAbort)
    if (this.reportsErrors && this.#task.state === "failed") this.#report(this.#task.exceptionNow())
  }

  /**
   * Ends the task and takes it out of the queue, unlike `cancel()`, which leaves it there as in Java. A timer or a
   * signal calls this, and cannot handle errors of the task's `done()`: they go to uncaughtException.
   */
  #withdraw(complete: () => boolean): void {
    let isOver = true // also if done() throws
    guarded(
      () => (isOver = complete()),
      (error) => this.#report(error),
    )
    if (!isOver) return
    guarded(() => this.#executor[WITHDRAW](this.#queued))
    // The carrier has no task any more: flows that wait for it must end now.
    if (this.#queued !== this.#task) guarded(() => this.#queued.cancel())
  }
}
