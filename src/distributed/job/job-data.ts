/**
 * What a job has besides its name: plain JSON, so that every engine can keep it and every dashboard can show it. Fields
 * have short names because there may be millions of jobs. Releases of corepool that run side by side read each other's
 * jobs: a field never changes its meaning, and a reader ignores fields that it does not know.
 */

export interface JobData {
  /** The version of this form. A node that knows only older forms gives the job back. */
  readonly v: 1
  /** The arguments, as payload.ts writes them. */
  readonly args: string
  /**
   * The task is called for each element of its only argument, an array, one after the other (`eachOf` of
   * src/task/each.ts); the result is the array of the results. `map` makes such jobs.
   */
  readonly each?: true
  /** The id of the executor that submitted it, for lists and dashboards. */
  readonly from: string
  /** The name of the task, if it was given one by `with`. */
  readonly title?: string
  /** The stores that `propagate` carries, as payload.ts writes them. */
  readonly stores?: string
  /** Milliseconds that each attempt may run. */
  readonly timeout?: number
  /** By the engine's clock: a node that takes the job later fails it with TimeoutError. */
  readonly startBy?: number
  /** How long to wait between attempts. */
  readonly retry?: RetryData
  /** How many nodes may die with the job; default 1. */
  readonly maxDeaths?: number
  /** The last run that `maxDeaths` allows has begun, in the attempt after so many failures (last-runs.ts). */
  readonly lastRun?: number
  /** It was given to `execute`: a node reports its error, because no process will ask for it. */
  readonly command?: true
  /** It was cancelled while a node had it. A node that takes it later ends it at once. */
  readonly cancelled?: true
  readonly series?: SeriesData
}

export interface RetryData {
  readonly delay: number
  readonly factor: number
  readonly maxDelay?: number
  readonly jitter?: boolean
}

/** A task that runs again and again, as one job. */
export interface SeriesData {
  readonly kind: "rate" | "delay" | "cron"
  /** Milliseconds: of a rate from due time to due time, of a delay from end to beginning. */
  readonly period?: number
  readonly cron?: string
  readonly timezone?: string
  /** When the coming run is due, by the engine's clock. */
  readonly due: number
  /** How many runs have ended. */
  readonly runs: number
  /** How many nodes had died with this job before the coming run. */
  readonly deathsBefore: number
}
