import { ABANDON, CAUSE_OF_CANCELLATION, EXPIRE, WATCH, WATCHER, WILL_BE_AWAITED } from "../../future/internals.ts"
import { RETRIES } from "../internals.ts"
import { typeError } from "../../checks.ts"
import { CancellationError, RejectedExecutionError, TimeoutError } from "../../errors.ts"
import { FutureTask } from "../../future/future-task.ts"
import type { Callable } from "../../future/runnable.ts"
import type { RemoteReport, TaskWatcher } from "../../future/task-observers.ts"
import { FACTS, type Facts } from "../../inspection.ts"
import { snapshot } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { timeoutOf } from "../../memory/flow/waiting.ts"
import { Thread } from "../../thread/thread.ts"
import { type ClockTimer, systemClock } from "../../time/clock.ts"
import { now, type TimerKeeper } from "../../time/timer.ts"
import type { ExecutorService, TaskHost } from "../executor.ts"
import { Limits } from "../limits.ts"
import { Retries, type Retried } from "../retries.ts"
import { delayAfter, type RetrySettings } from "./retry-options.ts"

/**
 * The future of a task that is tried again when it fails. Each attempt is a task of its own for the executor: it waits
 * in the queue and runs as any other. Between two attempts there is only a timer, and no thread is occupied.
 *
 * Limits and signals watch this future, and so hold for all attempts together.
 */
export class RetriedTask<T> extends FutureTask<T> implements Retried {
  readonly #executor: ExecutorService & TaskHost
  readonly #settings: RetrySettings
  readonly #newAttempt: () => FutureTask<T>
  readonly #retries: Retries
  /** Every attempt runs in the asynchronous context of the submission. */
  readonly #here = snapshot()
  #attempts = 0
  /** The attempt that the executor has. */
  #attempt: FutureTask<T> | undefined
  /** Whether a flow waits for the outcome without a time limit. */
  #isAwaited = false
  /** Between two attempts: the timer, the time of the next one, and the error of the last one. */
  #timer: ClockTimer | undefined
  #due = 0
  #error: unknown
  /** What was given to the executor in place of this future: see Carrier. */
  #carrier: FutureTask<unknown> | undefined

  constructor(
    callable: Callable<T>,
    settings: RetrySettings,
    executor: ExecutorService & TaskHost,
    newAttempt: () => FutureTask<T>,
  ) {
    super(callable)
    this.#executor = executor
    this.#settings = settings
    this.#newAttempt = newAttempt
    this.#retries = executor[RETRIES] ??= new Retries()
  }

  /** How many attempts the executor was given so far. */
  get attempts(): number {
    return this.#attempts
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], attempts: this.#attempts }
  }

  /** Gives the executor the first attempt. Throws what `execute` of the executor throws. */
  begin(given: FutureTask<unknown>): void {
    if (given !== this) this.#carrier = given
    this.#retries.add(this)
    try {
      if (this.#retries.refuses)
        this.#executor.execute(this.#newAttempt()) // for its rejection handler
      else this.#submit()
    } catch (error) {
      this.#retries.remove(this)
      throw error
    }
  }

  #submit(): void {
    const attempt = this.#newAttempt()
    this.#attempts++
    this.#attempt = attempt
    attempt[WATCH](new AttemptWatch(this, attempt, this.#limitsOf(attempt), (ended) => this.#ended(ended)))
    const watcher = this[WATCHER]
    if (watcher instanceof Limits) watcher.standsInQueue(attempt)
    try {
      this.#retries.submit(() => this.#executor.execute(attempt))
    } catch (error) {
      this.#attempts-- // it was none
      this.#attempt = undefined
      guarded(() => attempt.cancel())
      throw error
    }
    if (this.#isAwaited) attempt[WILL_BE_AWAITED](false)
  }

  /** @internal The waiting thread may be the only one that could run the attempts. */
  override [WILL_BE_AWAITED](isLimitedInTime: boolean): void {
    this.#isAwaited ||= !isLimitedInTime
    this.#attempt?.[WILL_BE_AWAITED](isLimitedInTime)
  }

  #limitsOf(attempt: FutureTask<T>): Limits | undefined {
    const { attemptTimeout: timeout } = this.#settings
    return timeout === undefined ? undefined : new Limits(attempt, { timeout }, this.#executor, false)
  }

  #ended(attempt: FutureTask<T>): void {
    if (attempt !== this.#attempt) return
    this.#attempt = undefined
    if (attempt.state === "success") this.set(attempt.resultNow())
    else if (attempt.isCancelled) this[ABANDON](attempt[CAUSE_OF_CANCELLATION])
    else this.#failed(attempt.exceptionNow())
  }

  #failed(error: unknown): void {
    if (!this.#isWorthAnother(error)) this.setException(error)
    if (this.isDone) return // `when`, which is user code, may have cancelled it
    const { clock } = this.#settings
    this.#error = error
    const due = clock.time() + delayAfter(this.#attempts, this.#settings, Math.random)
    this.#due = due
    this.#timer = clock.timer(due, false, () => this.#again())
  }

  #isWorthAnother(error: unknown): boolean {
    if (this.#attempts >= this.#settings.attempts) return false
    if (error instanceof CancellationError || error instanceof RejectedExecutionError) return false
    if (this.#settings.when !== undefined && !this.#asked(this.#settings.when, error)) return false
    return !this.#executor.isShutdown || this.#retries.isClosing // after `when`, which is user code
  }

  /** If `when` fails, there is no further attempt. The future keeps the error of the task: it says what went wrong. */
  #asked(when: (error: unknown) => unknown, error: unknown): boolean {
    let isWorthIt: unknown = false
    guarded(() => {
      isWorthIt = when(error)
      if (typeof isWorthIt !== "boolean") throw typeError("when(error)", "a boolean", isWorthIt)
    })
    return isWorthIt === true
  }

  #again(): void {
    this.#timer = undefined
    try {
      this.#here(() => this.#submit())
    } catch {
      this.setException(this.#error) // refused: the error of the last attempt says more [RY9]
    }
  }

  dropWaiting(): void {
    if (this.#timer !== undefined) this[ABANDON](new CancellationError("The executor was stopped between two attempts"))
  }

  /** @internal Cancels the attempt, too. */
  override [ABANDON](cause: unknown, mayInterruptIfRunning = false): boolean {
    const attempt = this.#attempt
    const isMine = super[ABANDON](cause, mayInterruptIfRunning)
    if (isMine && attempt !== undefined) guarded(() => attempt[ABANDON](cause, mayInterruptIfRunning))
    return isMine
  }

  /** @internal The time of all attempts is over. */
  override [EXPIRE](error: unknown): boolean {
    const attempt = this.#attempt
    const isMine = super[EXPIRE](error)
    if (isMine && attempt !== undefined) guarded(() => attempt.cancel(true))
    return isMine
  }

  protected override done(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#attempt = undefined
    this.#retries.remove(this)
    const carrier = this.#carrier
    if (carrier !== undefined) guarded(() => carrier.run()) // it finds this future done, and calls futureEnded
  }

  /** Does what the event loop, which stands still meanwhile, would do: waits for attempts and between them. */
  override getSync(timeout?: number): T {
    const end = now() + timeoutOf(timeout)
    while (!this.isDone) {
      const attempt = this.#attempt
      if (attempt === undefined && (this.#timer === undefined || this.#settings.clock !== systemClock)) break
      if (now() >= end) throw new TimeoutError("The task did not complete in time")
      if (attempt === undefined) this.#sleepUntil(Math.min(this.#due, end))
      else outcomeOf(attempt, end - now())
    }
    return super.getSync(timeout)
  }

  #sleepUntil(moment: number): void {
    Thread.sleepSync(Math.max(0, moment - now()))
    if (this.#timer === undefined || now() < this.#due) return
    this.#timer.cancel()
    this.#again()
  }
}

/**
 * Waits for the end of the attempt, of which its watcher gets the outcome. If the wait itself fails, its error is
 * thrown.
 */
function outcomeOf(attempt: FutureTask<unknown>, timeout: number): void {
  try {
    attempt.getSync(timeout)
  } catch (error) {
    if (!attempt.isDone) throw error
  }
}

/** Starts the limits of all attempts when the first one begins, and calls the task when this one has ended. */
class AttemptWatch<T> implements TaskWatcher {
  readonly #all: TaskWatcher | undefined
  readonly #own: Limits | undefined
  readonly #attempt: FutureTask<T>
  readonly #onEnd: (attempt: FutureTask<T>) => void
  #startOf: () => number | undefined = () => undefined
  #start: number | undefined

  constructor(
    task: RetriedTask<T>,
    attempt: FutureTask<T>,
    own: Limits | undefined,
    onEnd: (attempt: FutureTask<T>) => void,
  ) {
    this.#all = task.attempts === 1 ? task[WATCHER] : undefined
    this.#own = own
    this.#attempt = attempt
    this.#onEnd = onEnd
  }

  started(): void {
    this.#all?.started()
    this.#own?.started()
  }

  sentAway(startOf: () => number | undefined, report: RemoteReport): void {
    this.#startOf = startOf
    // Asked also after the attempt: then its record in shared memory may be that of another task.
    const startOfFirst = (): number | undefined => (this.#start ??= this.#startOf())
    // The threads that run attempts report nothing, even if it is a command that is tried again. [RY12]
    this.#all?.sentAway?.(startOfFirst, (error) => report(error, true))
    this.#own?.sentAway(startOf, report)
  }

  runsHere(keeper: TimerKeeper): void {
    this.#all?.runsHere?.(keeper)
    this.#own?.runsHere(keeper)
  }

  #keepStart(): void {
    this.#start ??= this.#startOf() ?? now()
    this.#startOf = () => undefined
  }

  ended(): void {
    this.#keepStart()
    this.#own?.ended()
    this.#onEnd(this.#attempt)
  }
}
