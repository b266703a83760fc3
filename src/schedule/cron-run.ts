import { ABANDON, TIMING } from "../future/internals.ts"
import type { Timing } from "../future/task-observers.ts"
import { OF_A_SERIES } from "../core/series.ts"
import type { Clock } from "../time/clock.ts"
import type { CronOrder } from "./cron-series.ts"
import { type ScheduleHost, ScheduledTask } from "./scheduled-task.ts"

/** One run of a series by the calendar. The queue of the executor holds it. */
export class CronRun extends ScheduledTask<unknown> {
  readonly #order: CronOrder
  readonly #clock: Clock
  /** A thread has taken the run when it was due, but by the wall clock it was too early. */
  #early = false
  #cancelling = false

  /**
   * `age` is the number of the series' first run: of two tasks that are due at the same time the older one is first.
   * `margin` is by how many milliseconds the clock of the thread that runs it may be ahead.
   */
  constructor(order: CronOrder, host: ScheduleHost, age: number | undefined, margin: number) {
    super(order.callable, host.clock.time() + order.delay + margin, OF_A_SERIES, host)
    this.#order = order
    this.#clock = host.clock
    if (age !== undefined) this.number = age
  }

  protected override mayBegin(): boolean {
    this.#early = this.#clock.wallTime() < this.#order.notBefore
    return !this.#early && super.mayBegin()
  }

  /** @internal A call without a cause comes from a worker thread that has taken the run too early by the wall clock. */
  override [ABANDON](cause: unknown, mayInterruptIfRunning?: boolean): boolean {
    if (!this.#cancelling && cause === undefined) this.#early = true
    return super[ABANDON](cause, mayInterruptIfRunning)
  }

  override cancel(mayInterruptIfRunning?: boolean): boolean {
    this.#cancelling = true
    return super.cancel(mayInterruptIfRunning)
  }

  /** @internal */
  override get [TIMING](): Timing {
    return { ...super[TIMING], notBefore: this.#order.notBefore }
  }

  protected override done(): void {
    super.done()
    this.#order.ended(this, this.#early)
  }
}
