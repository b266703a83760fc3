/** What a task with a time, and its pool, may be: known in every thread, which a timetable is not. */

/** Policies, one bit each. At first none of them is set. */
export const GO_ON_WITH_PERIODIC = 1
export const DROP_DELAYED = 2
export const REMOVE_CANCELLED = 4

/**
 * The period of a task that runs once, but is one run of a series: its submitter keeps the series, and submits the next
 * run itself. No period given by a user has this value.
 */
export const OF_A_SERIES: number = NaN

/** Whether a task with this period goes back into the queue after a run. */
export function repeats(period: number): boolean {
  return period !== 0 && !Number.isNaN(period)
}
