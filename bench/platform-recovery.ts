/**
 * A task that ends its thread, the only one, and once that is known another task: how long until that has run.
 *
 * Two are not here, because it would never end (`npm run bench -- defects`): tinypool does not notice, and poolifier does not
 * tell. Nor is piscina with several tasks per thread, which is the same as with one here. A task that already waited
 * behind would be the better question, but workerpool leaves it there until somebody submits another.
 */
import { requireEqual } from "./contest.ts"
import { clocked, inTime, type PlatformContest, type Sample } from "./platform-contest.ts"
import { against, ours, theirs } from "./platform-contenders.ts"
import { piscina1, workerpool } from "./platform-rivals.ts"

const ONE_THREAD = 1

async function recover(
  n: number,
  leave: () => PromiseLike<unknown>,
  next: (i: number) => PromiseLike<number>,
): Promise<Sample> {
  const { sample } = await clocked(async () => {
    for (let i = 0; i < n; i++) {
      const survived = await leave().then(
        () => true,
        () => false,
      )
      requireEqual("whether the thread survived", Number(survived), 0)
      requireEqual("the result of the next task", await next(i), i + 1)
    }
  })
  return sample
}

const corepool = ours(
  "corepool",
  ({ pool, work }, n) =>
    recover(
      n,
      () => pool.submit(work.leave),
      (i) => pool.submit(work.add, i, 1),
    ),
  ONE_THREAD,
)

const rivals = theirs(
  [piscina1, workerpool],
  1,
  (pool, n) =>
    recover(
      n,
      () => pool.run("leave", undefined),
      (i) => pool.run("addPair", { a: i, b: 1 }),
    ),
  ONE_THREAD,
)

export const recovery: PlatformContest = {
  name: "platform-recovery",
  bouts: [
    {
      n: 5,
      metrics: [inTime("times the only thread is ended by its task: until the next task has run")],
      pairs: against(corepool, rivals),
    },
  ],
}
