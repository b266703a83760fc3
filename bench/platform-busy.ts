/** The main thread submits and then has something else to do: does the work go on meanwhile? */
import { requireEqual } from "./contest.ts"
import { type PlatformContest, type Sample, WALL } from "./platform-contest.ts"
import { against, ours, theirs, times } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"

/** For so many ms. */
const BUSY = 200

const FINISHED = "finished"

function compute(): void {
  const end = performance.now() + BUSY
  let value = 0
  while (performance.now() < end) value = Math.sqrt(value + 1)
}

/** Submits, computes, and then waits for the rest. The results say when each task ran. */
async function busy(n: number, submit: () => () => Promise<readonly number[]>): Promise<Sample> {
  const results = submit()
  compute()
  const back = Date.now()
  const start = performance.now()
  const stamps = await results()
  const left = performance.now() - start
  requireEqual("the number of results", stamps.filter((stamp) => Number.isInteger(stamp)).length, n)
  return { [FINISHED]: stamps.filter((stamp) => stamp <= back).length, [WALL]: left }
}

const corepool = ours("corepool", ({ pool, work }, n) =>
  busy(n, () => {
    const futures = times(n, (i) => pool.submit(work.stamp, { a: i, b: 1 }))
    return () => Promise.all(futures)
  }),
)

const rivals = theirs(allRivals, 1, (pool, n) =>
  busy(n, () => {
    const promises = times(n, (i) => pool.run("stamp", { a: i, b: 1 }))
    return () => Promise.all(promises)
  }),
)

export const busyMain: PlatformContest = {
  name: "platform-busy",
  bouts: [
    {
      n: 20_000,
      rounds: 3,
      metrics: [
        {
          key: FINISHED,
          title: `tiny tasks submitted, then the main thread computes for ${BUSY} ms: how many are finished when it is back`,
          measures: "count",
        },
        { key: WALL, title: "tiny tasks: from when it is back until all results are in", measures: "time" },
      ],
      pairs: against(corepool, rivals),
    },
  ],
}
