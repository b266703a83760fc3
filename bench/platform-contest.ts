/**
 * What is measured of platform pools. As in contest.ts, but here a run gives several numbers (the time until all results are in,
 * the time that the main thread worked for them), a contender may do a part of the work, and one that fails is
 * named in the report and left out of the tables instead of ending the run.
 */
import { readFileSync } from "node:fs"
import type { Contender } from "./contest.ts"

/** By metric: milliseconds, bytes per task, or how many. */
export type Sample = Readonly<Record<string, number>>

export interface PlatformContender {
  readonly name: string
  /** The part of the work it is given. Times are told as if it had done all, in proportion. */
  readonly share: number
  /** Fails if what comes out is wrong. */
  sample(n: number): Promise<Sample>
}

export interface Metric {
  readonly key: string
  readonly title: string
  /** A count has no ratio; it is printed as it is. */
  readonly measures: "time" | "memory" | "count"
}

export interface PlatformPair {
  readonly ours: PlatformContender
  readonly rival: PlatformContender
  /** What we have promised, by metric. */
  readonly targets: Sample
}

export interface PlatformBout {
  readonly n: number
  readonly metrics: readonly Metric[]
  readonly pairs: readonly PlatformPair[]
  /** At most so many rounds: for what takes long and varies little. */
  readonly rounds?: number
  /** A process for each sample: what waits there waits for ever. */
  readonly fresh?: boolean
}

export interface PlatformContest {
  /** `npm run bench -- platform-burst`; all of them: `npm run bench -- platform`. */
  readonly name: string
  readonly bouts: readonly PlatformBout[]
}

export const WALL: Metric["key"] = "wall"
export const MAIN: Metric["key"] = "main"

export function inTime(title: string): Metric {
  return { key: WALL, title, measures: "time" }
}

/** How much of the main thread it took. */
export function onMain(title: string): Metric {
  return { key: MAIN, title: `${title}: what the main thread worked for them`, measures: "time" }
}

/** A contender that is timed from outside: the whole of its run. */
export function timed(contender: Contender): PlatformContender {
  return {
    name: contender.name,
    share: 1,
    async sample(n) {
      const start = performance.now()
      await contender.run(n)
      return { [WALL]: performance.now() - start }
    },
  }
}

/** The name of a contender, with its part of the work if that is not all. */
export function named(name: string, share: number): string {
  return share === 1 ? name : `${name} (${100 * share} % of n)`
}

/** Times a piece of work, and how much of it was the main thread's. */
export async function clocked<T>(work: () => Promise<T>): Promise<{ result: T; sample: Sample }> {
  const cpu = mainThreadTime()
  const start = performance.now()
  const result = await work()
  return { result, sample: { [WALL]: performance.now() - start, [MAIN]: mainThreadTime() - cpu } }
}

/**
 * For how many ms this thread has worked since it began. Linux counts the time on a processor of each thread, and of the
 * main thread in this file; `process.cpuUsage()` would add that of the workers. Elsewhere it is the time that the event loop
 * was not waiting, which also counts the time in which the thread had to wait for a processor.
 */
function mainThreadTime(): number {
  return process.platform === "linux"
    ? Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[0]) / 1e6
    : performance.eventLoopUtilization().active
}
