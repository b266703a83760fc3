/** Many tiny tasks at once: how long until all results are in, how much of that the main thread works, and what if it is busy. */
import { requireEqual, sum, sumBelow } from "./contest.ts"
import { isJavaPresent, jdk } from "./jdk.ts"
import { clocked, inTime, onMain, type PlatformContest, type Sample, timed, WALL } from "./platform-contest.ts"
import { against, ours, theirs, times } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"

/** What the sums of 0 + 1, 1 + 1, 2 + 1, … add up to. */
function requireSums(results: readonly number[], n: number): void {
  requireEqual("the sum of the results", sum(results), sumBelow(n) + n)
}

export async function burst(n: number, results: () => Promise<readonly number[]>): Promise<Sample> {
  const { result, sample } = await clocked(results)
  requireSums(result, n)
  return sample
}

export const twoNumbers = ours("submit(add, a, b), await each", ({ pool, work }, n) =>
  burst(n, async () => {
    const results: number[] = []
    for (const future of times(n, (i) => pool.submit(work.add, i, 1))) results.push(await future)
    return results
  }),
)

export const twoNumbersAll = ours("submit(add, a, b), Promise.all", ({ pool, work }, n) =>
  burst(n, () => Promise.all(times(n, (i) => pool.submit(work.add, i, 1)))),
)

export const anObject = ours("submit(add, { a, b }), await each", ({ pool, work }, n) =>
  burst(n, async () => {
    const results: number[] = []
    for (const future of times(n, (i) => pool.submit(work.addPair, { a: i, b: 1 }))) results.push(await future)
    return results
  }),
)

export const anObjectAll = ours("submit(add, { a, b }), Promise.all", ({ pool, work }, n) =>
  burst(n, () => Promise.all(times(n, (i) => pool.submit(work.addPair, { a: i, b: 1 })))),
)

const rivals = theirs(allRivals, 0.1, (pool, n) =>
  burst(n, () => Promise.all(times(n, (i) => pool.run("addPair", { a: i, b: 1 })))),
)

const java = isJavaPresent() ? [timed(jdk("fixed pool of 2", "Pool", "burst"))] : []

const TINY = "tiny tasks at once on 2 threads, all results in"

export const bursts: PlatformContest = {
  name: "platform-burst",
  bouts: [
    {
      n: 100_000,
      metrics: [inTime(TINY), onMain(TINY)],
      pairs: [
        ...against(twoNumbers, rivals, { [WALL]: 20 }),
        ...against(anObject, rivals, { [WALL]: 10 }),
        ...against(anObjectAll, rivals, { [WALL]: 10 }),
        ...[twoNumbers, anObject].flatMap((our) => against(our, java, { [WALL]: 0.33 })),
      ],
    },
  ],
}
