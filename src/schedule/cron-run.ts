/** One run of a series by the calendar, as it lies in the queue of the executor. */
import { OF_A_SERIES } from "../pool/timetable.ts"
import type { Clock } from "../time/clock.ts"
import type { CronOrder } from "./cron-series.ts"
import { type ScheduleHost, ScheduledTask } from "./scheduled-task.ts"

export class CronRun extends ScheduledTask<unknown> {
  readonly #order: CronOrder
  readonly #clock: Clock
  #early = false

  /** `age` is the number of the series' first run: of tasks that are due at the same time the older one is first. */
  constructor(order: CronOrder, host: ScheduleHost, age: number | undefined) {
    super(order.callable, host.clock.time() + order.delay, OF_A_SERIES, host)
    this.#order = order
    this.#clock = host.clock
    if (age !== undefined) this.number = age
  }

  protected override mayBegin(): boolean {
    this.#early = this.#clock.wallTime() < this.#order.notBefore
    return !this.#early && super.mayBegin()
  }

  protected override done(): void {
    super.done()
    this.#order.ended(this, this.#early)
  }
}
