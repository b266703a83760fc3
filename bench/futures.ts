/** A future by itself, against the promise that one would use instead. */
import type { Bout, Contender } from "./contest.ts"
import { requireEqual, sumBelow } from "./contest.ts"
import { corepool, type FutureTask } from "./corepool.ts"

type NewFuture = (i: number) => FutureTask<number>

/** On a virtual thread, as in a program that uses corepool, with what its asynchronous context costs. */
function onThread(name: string, body: (n: number, newFuture: NewFuture) => number | Promise<number>): Contender {
  return {
    name,
    async run(n) {
      const library = await corepool()
      const newFuture: NewFuture = (i) => new library.FutureTask(() => i)
      await using executor = library.Executors.newFixedThreadPool(1, library.virtualThreads())
      requireEqual("the sum of the results", await executor.submit(body, n, newFuture), sumBelow(n))
    },
  }
}

const read = onThread("FutureTask: make, run, resultNow", (n, newFuture) => {
  let total = 0
  for (let i = 0; i < n; i++) {
    const future = newFuture(i)
    void future.run()
    total += future.resultNow()
  }
  return total
})

const awaited = onThread("FutureTask: make, run, await", async (n, newFuture) => {
  let total = 0
  for (let i = 0; i < n; i++) {
    const future = newFuture(i)
    void future.run()
    total += await future
  }
  return total
})

const promise: Contender = {
  name: "promise: make, resolve, await",
  async run(n) {
    let total = 0
    for (let i = 0; i < n; i++) total += await new Promise<number>((resolve) => resolve(i))
    requireEqual("the sum of the results", total, sumBelow(n))
  },
}

export const futureBouts: readonly Bout[] = [
  {
    title: "futures, one after the other",
    n: 500_000,
    pairs: [
      { ours: read, rival: promise },
      { ours: awaited, rival: promise },
    ],
  },
]
