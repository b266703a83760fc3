import { ABANDON, CAUSE_OF_CANCELLATION, EXPIRE } from "../future/internals.ts"
import { rangeError } from "../checks.ts"
import { FutureTask } from "../future/future-task.ts"
import type { Callable } from "../future/runnable.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { currentFrame, type Frame } from "#host/runtime/context"
import type { Clock, ClockTimer } from "../time/clock.ts"
import type { CronCalendar } from "./cron-calendar.ts"
import type { ScheduledFuture } from "./scheduled-future.ts"

/** One run of a series, as the executor keeps it. */
export type CronRunFuture = FutureTask<unknown> & ScheduledFuture<unknown> & { readonly isPlanned: boolean }

/** A run that a series orders from its executor. */
export interface CronOrder {
  readonly series: CronSeries
  readonly callable: Callable<unknown>
  /** In milliseconds from now. */
  readonly delay: number
  /**
   * The time of the calendar, in ms since 1970. If the wall clock is before that when the run is due, it must not
   * begin.
   */
  readonly notBefore: number
  /** An executor that is shut down rejects the first run. A later run is cancelled if series may not go on. */
  readonly isFirst: boolean
  /** To be called at once when the run is done, in any way; `early` if it was due but must not begin. */
  ended(run: CronRunFuture, early: boolean): void
}

/** What a series needs of its executor. */
export interface CronHost {
  readonly clock: Clock
  /** Schedules the run; it counts as part of a series in all policies of the executor. */
  startRun(order: CronOrder): CronRunFuture
  /** Removes a run from the queue that was planned anew, and cancels it. */
  takeBack(run: CronRunFuture): void
}

/** How long the series does not look at the wall clock, in ms. */
const LEG = 3_600_000

/**
 * By how much the two clocks may disagree, in ms: the wall clock has whole milliseconds, and a run may get one more.
 */
const TOLERANCE = 2

/** If the wall clock goes back by so much, in ms, it was wrong before. */
const CORRECTION = 3 * 3_600_000

/**
 * The future of a task that runs by the calendar.
 *
 * How it works
 *
 * A series is made of single runs. There is one at a time: it is scheduled for the next time of the calendar. When it
 * is over, including its promise, the next is scheduled for the first time after now. So runs never overlap, and missed
 * runs are not made up for.
 *
 *     planned -> running   a thread took the run when it was due, and it was also time by the wall clock
 *     planned -> planned   it was not, or the wall clock was set
 *     running -> planned   the run ended well
 *     running -> done      the run failed, or the calendar has no further time
 *     planned -> done      the run was cancelled: by the user, or with the end of the executor
 *
 * Executors wait by a clock that cannot be set; the calendar is about the wall clock, which can be. A series translates
 * from one to the other when it plans a run, and checks that again every hour of waiting and when the run is due. So a
 * change of the wall clock, or a sleep of the machine, during which the clocks of some runtimes stand still, is noticed
 * after an hour at most.
 *
 * Small steps back of the wall clock must not repeat runs, and large ones must not stop a series for years. The limit
 * is that of cron on Unix, three hours.
 */
export class CronSeries extends FutureTask<void> implements ScheduledFuture<void> {
  readonly #callable: Callable<unknown>
  readonly #calendar: CronCalendar
  readonly #host: CronHost
  #run: CronRunFuture | undefined
  /** When the current run is due by the calendar, in milliseconds since 1970. */
  #target: number
  /** When the run before was due. */
  #last = -Infinity
  /** Counts the planned runs: the ends of all but the latest are ignored. */
  #attempt = 0
  #isHeld = true
  /** The name that the schedule was given. */
  name: string | undefined
  #watch: ClockTimer | undefined
  /** The asynchronous context in which the series was made, for all of its runs. */
  #frame: Frame | undefined = currentFrame()

  /** Starts the series; `expression` is for messages. */
  constructor(callable: Callable<unknown>, calendar: CronCalendar, expression: string, host: CronHost) {
    super(callable as Callable<void>)
    this.#callable = callable
    this.#calendar = calendar
    this.#host = host
    const wallTime = host.clock.wallTime()
    const target = calendar.next(wallTime)
    if (target === undefined) {
      const demand = `a cron expression that comes true at some time after ${new Date(wallTime).toISOString()}`
      throw rangeError("expression", demand, expression)
    }
    this.#target = target
    this.#start(target, wallTime, true)
  }

  get delay(): number {
    return this.#run?.delay ?? Infinity
  }

  get isPeriodic(): boolean {
    return true
  }

  get nextRunAt(): Date | undefined {
    return this.#isWaiting ? new Date(this.#target) : undefined
  }

  /** Whether there is a run that waits or runs. */
  get isPlanned(): boolean {
    return !this.isDone && this.#run?.isPlanned === true
  }

  ref(): this {
    this.#isHeld = true
    this.#run?.ref()
    return this
  }

  unref(): this {
    this.#isHeld = false
    this.#run?.unref()
    return this
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { ...super[FACTS], isPeriodic: true, nextRunAt: this.nextRunAt }
  }

  /** Has no effect: the executor runs the runs. */
  override run(): void {}

  /** @internal */
  override [ABANDON](cause: unknown, mayInterruptIfRunning = false): boolean {
    if (!super[ABANDON](cause, mayInterruptIfRunning)) return false
    this.#run?.cancel(mayInterruptIfRunning)
    return true
  }

  /** @internal */
  override [EXPIRE](error: unknown): boolean {
    if (!super[EXPIRE](error)) return false
    this.#run?.cancel(true)
    return true
  }

  protected override done(): void {
    this.#frame = undefined
    this.#watch?.cancel()
  }

  get #isWaiting(): boolean {
    return !this.isDone && this.#run?.nextRunAt !== undefined
  }

  #start(target: number, wallTime: number, isFirst = false): void {
    const attempt = ++this.#attempt
    this.#target = target
    const order: CronOrder = {
      series: this,
      callable: this.#callable,
      delay: Math.max(0, target - wallTime),
      notBefore: target,
      isFirst,
      ended: (run, early) => {
        if (attempt === this.#attempt) this.#ended(run, early)
      },
    }
    this.#run = this.#frame?.runInAsyncScope(() => this.#host.startRun(order), undefined)
    if (!this.#isHeld) this.#run?.unref()
    this.#watchOver()
  }

  #ended(run: CronRunFuture, early: boolean): void {
    this.#watch?.cancel()
    if (early || run.state === "success") {
      if (!early) this.#last = this.#target
      if (!this.isDone) this.#goOn()
    } else if (run.state === "failed") {
      this.setException(run.exceptionNow())
    } else {
      this[ABANDON](run[CAUSE_OF_CANCELLATION])
    }
  }

  /** An error of the calendar must not reach the thread, which has just run the task. */
  #goOn(): void {
    try {
      const wallTime = this.#host.clock.wallTime()
      const target = this.#nextAfter(wallTime)
      if (target === undefined) this.set(undefined)
      else this.#start(target, wallTime)
    } catch (error) {
      this.setException(error)
    }
  }

  #nextAfter(wallTime: number): number | undefined {
    const isRepetition = this.#last > wallTime && this.#last - wallTime < CORRECTION
    return this.#calendar.next(isRepetition ? this.#last : wallTime)
  }

  // ------------------------------------------------------------------ the wall clock

  #watchOver(): void {
    this.#watch?.cancel()
    this.#watch = undefined
    if (this.delay <= LEG || !this.#isWaiting) return
    const { clock } = this.#host
    this.#watch = clock.timer(clock.time() + LEG, true, () => this.#look())
  }

  /** Plans the run anew if the wall clock was changed. */
  #look(): void {
    const run = this.#run
    if (run === undefined || !this.#isWaiting) return
    const wallTime = this.#host.clock.wallTime()
    const target = wallTime >= this.#target ? this.#target : (this.#nextAfter(wallTime) ?? this.#target)
    if (target === this.#target && Math.abs(run.delay - Math.max(0, target - wallTime)) <= TOLERANCE) {
      this.#watchOver()
      return
    }
    // First starts the new run: an executor that is shut down ends when its queue is empty.
    this.#start(target, wallTime)
    this.#host.takeBack(run)
  }
}
