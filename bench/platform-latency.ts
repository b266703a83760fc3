/**
 * Latency under load: tasks arrive by themselves, whether the last ones are done or not, and keep half of two threads busy.
 *
 * The latency of a task counts from the time at which it was due, not from the time at which the main thread came round to
 * submit it. A pool that holds up the main thread, or that lets tasks pile up, thus pays for all tasks it has delayed (it is
 * the mistake called coordinated omission to wait for a result before the next task is sent).
 */
import { compute } from "./tasks/work.ts"
import type { Metric, PlatformContest, Sample } from "./platform-contest.ts"
import { against, ours, theirs, THREADS } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"

/** How long a task computes, in ms, on a thread that is not disturbed. */
const WORK = 1
const UTILISATION = 0.5
/** Tasks that arrive in a millisecond, on average. */
const RATE = (THREADS * UTILISATION) / WORK

/** The share of tasks that were as fast or faster, and the name of that figure. */
const PERCENTILES: readonly (readonly [share: number, key: string])[] = [
  [0.5, "p50"],
  [0.9, "p90"],
  [0.99, "p99"],
  [0.999, "p99.9"],
]

/** How many rounds of `compute` take {@link WORK}. The fastest of many trials is the one without disturbance. */
function roundsOfWork(): number {
  const TRIAL = 50_000
  let fastest = Infinity
  for (let trial = 0; trial < 200; trial++) {
    const start = performance.now()
    compute(TRIAL)
    fastest = Math.min(fastest, performance.now() - start)
  }
  return Math.round((WORK / fastest) * TRIAL)
}

/** When each of `n` tasks is due, in whole ms from the start: independent of each other, and the same for all contenders. */
function arrivals(n: number): number[] {
  let seed = 0x9e3779b9
  let time = 0
  const due: number[] = []
  while (due.length < n) {
    // A generator of Marsaglia's: any will do that gives everyone the same numbers.
    seed ^= seed << 13
    seed ^= seed >>> 17
    seed ^= seed << 5
    time -= Math.log(((seed >>> 0) + 1) / 2 ** 32) / RATE
    due.push(Math.floor(time))
  }
  return due
}

async function latencies(n: number, submit: (rounds: number) => PromiseLike<unknown>): Promise<Sample> {
  const rounds = roundsOfWork()
  const due = arrivals(n)
  const taken: Promise<number>[] = []
  const begin = performance.now() + 10
  const timed = async (dueAt: number): Promise<number> => {
    await submit(rounds)
    return performance.now() - begin - dueAt
  }
  let next = 0
  await new Promise<void>((resolve) => {
    const turn = (): void => {
      const now = performance.now() - begin
      for (; next < n && (due[next] ?? 0) <= now; next++) taken.push(timed(due[next] ?? 0))
      if (next === n) resolve()
      else setTimeout(turn, (due[next] ?? 0) - now)
    }
    turn()
  })
  const sorted = new Float64Array(await Promise.all(taken)).sort()
  return Object.fromEntries(
    PERCENTILES.map(([share, key]) => [key, sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN]),
  )
}

const corepool = ours("corepool", ({ pool, work }, n) => latencies(n, (rounds) => pool.submit(work.compute, rounds)))

const rivals = theirs(allRivals, 1, (pool, n) => latencies(n, (rounds) => pool.run("compute", rounds)))

export const LATENCY = "platform-latency"

export const latency: PlatformContest = {
  name: LATENCY,
  bouts: [
    {
      n: 3_000,
      metrics: PERCENTILES.map(([, key]): Metric => ({
        key,
        title: `tasks of ${WORK} ms that keep half of ${THREADS} threads busy: ${key} of the time from due to done`,
        measures: "time",
      })),
      pairs: against(corepool, rivals),
    },
  ],
}
