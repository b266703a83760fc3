/** One task at a time: submit, wait, and only then the next. */
import { requireEqual, sumBelow } from "./contest.ts"
import { isJavaPresent, jdk } from "./jdk.ts"
import { clocked, inTime, onMain, type PlatformContest, timed, WALL } from "./platform-contest.ts"
import { against, ours, theirs } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"

const ONE_BY_ONE = "round trips, one at a time"

function awaiting(n: number, next: (i: number) => PromiseLike<number>): Promise<{ [metric: string]: number }> {
  return clocked(async () => {
    let total = 0
    for (let i = 0; i < n; i++) total += await next(i)
    return total
  }).then(({ result, sample }) => {
    requireEqual("the sum of the results", result, sumBelow(n) + n)
    return sample
  })
}

const awaited = ours("submit(add, a, b), await", ({ pool, work }, n) => awaiting(n, (i) => pool.submit(work.add, i, 1)))

const awaitedObject = ours("submit(add, { a, b }), await", ({ pool, work }, n) =>
  awaiting(n, (i) => pool.submit(work.addPair, { a: i, b: 1 })),
)

const rivals = theirs(allRivals, 0.4, (pool, n) => awaiting(n, (i) => pool.run("addPair", { a: i, b: 1 })))

const blocking = ours("submit(add, a, b).getSync()", async ({ pool, work }, n) => {
  const { result, sample } = await clocked(async () => {
    let total = 0
    for (let i = 0; i < n; i++) total += pool.submit(work.add, i, 1).getSync()
    return total
  })
  requireEqual("the sum of the results", result, sumBelow(n) + n)
  return sample
})

const java = isJavaPresent() ? [timed(jdk("submit().get()", "Pool", "round-trip"))] : []

export const roundTrips: PlatformContest = {
  name: "platform-round-trip",
  bouts: [
    {
      n: 5_000,
      metrics: [inTime(`${ONE_BY_ONE}, await`), onMain(`${ONE_BY_ONE}, await`)],
      pairs: [awaited, awaitedObject].flatMap((our) => against(our, rivals, { [WALL]: 3 })),
    },
    ...(java.length === 0
      ? []
      : [
          {
            n: 10_000,
            metrics: [inTime(`${ONE_BY_ONE}, the main thread blocks`)],
            pairs: against(blocking, java, { [WALL]: 0.5 }),
          },
        ]),
  ],
}
