import { guarded } from "../memory/flow/guard.ts"
import type { ScheduledFuture } from "./scheduled-future.ts"

/** What a list needs of a schedule. */
export type Listed = ScheduledFuture<unknown> & {
  name: string | undefined
  /** Whether it is going to run or runs. */
  readonly isPlanned: boolean
}

/** So many entries of schedules that are over may be kept, besides as many as there are schedules. */
const SLACK = 16

/**
 * The schedules of one executor that this thread has made and that have a name or are series: those that a program may
 * want to find again. Tasks that run once and have no name are not listed, so they cost nothing.
 *
 * How it works
 *
 * The executor holds what waits and what runs; the list holds weak references. So a task that was taken out of the
 * queue, and will never be done, is not kept in memory. Whenever the list has doubled, entries that are over are
 * dropped.
 */
export class NamedSchedules {
  #entries: WeakRef<Listed>[] = []
  #limit = SLACK

  add(schedule: Listed): void {
    if (this.#entries.length >= this.#limit) this.#sweep()
    this.#entries.push(new WeakRef(schedule))
  }

  /** In the order in which they were made; those of one name, if there is one. */
  list(name?: string): Listed[] {
    const planned = this.#planned()
    return name === undefined ? planned : planned.filter((schedule) => schedule.name === name)
  }

  /** Cancels all schedules with the name, and says how many. */
  cancel(name: string, mayInterruptIfRunning: boolean): number {
    let cancelled = 0
    for (const schedule of this.list(name)) {
      guarded(() => {
        if (schedule.cancel(mayInterruptIfRunning)) cancelled++
      })
    }
    return cancelled
  }

  #planned(): Listed[] {
    return this.#entries.map((entry) => entry.deref()).filter((schedule) => schedule?.isPlanned === true) as Listed[]
  }

  #sweep(): void {
    this.#entries = this.#entries.filter((entry) => entry.deref()?.isDone === false)
    this.#limit = 2 * this.#entries.length + SLACK
  }
}
