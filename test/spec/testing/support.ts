/** What the tests of clocks share, on top of test/support. */
import { ScheduledThreadPoolExecutor, type ScheduledThreadPoolOptions } from "corepool"
import { ManualClock, type ManualClockOptions } from "corepool/testing"
import { Pools } from "../../support/pools.ts"

/** A manual clock, and pools that follow it. */
export class Timed extends Pools {
  readonly clock: ManualClock
  /** What happened, as `name@now`. */
  readonly diary: string[] = []

  constructor(options: ManualClockOptions = {}) {
    super()
    this.clock = new ManualClock(options)
  }

  open(corePoolSize = 1, options: Partial<ScheduledThreadPoolOptions> = {}): ScheduledThreadPoolExecutor {
    const { factory: threadFactory, clock } = this
    return this.adopt(new ScheduledThreadPoolExecutor({ corePoolSize, threadFactory, clock, ...options }))
  }

  /** A task that writes down when it runs. */
  readonly note = (name: string): void => {
    this.diary.push(`${name}@${this.clock.now}`)
  }

  /** What was written down since the last call. */
  take(): string[] {
    return this.diary.splice(0)
  }
}
