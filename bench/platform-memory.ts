/** What a task costs while it waits: both threads are held, so all others wait behind them, wherever that may be. */
import { setImmediate } from "node:timers/promises"
import { requireEqual } from "./contest.ts"
import type { PlatformContest, Sample } from "./platform-contest.ts"
import { against, ours, theirs, THREADS, times } from "./platform-contenders.ts"
import { allRivals } from "./platform-rivals.ts"

export const RESIDENT = "rss"
export const HEAP = "heap"

/** How many tasks run before the first measurement, so that code which is loaded or compiled on first use does not count. */
const REHEARSAL = 1_000

/** Nothing may be collected before it is measured. */
const kept: unknown[] = []

interface Side {
  readonly add: (i: number) => PromiseLike<number>
  readonly hold: (words: Int32Array) => PromiseLike<void>
}

async function weigh(n: number, { add, hold }: Side): Promise<Sample> {
  const results = await Promise.all(times(REHEARSAL, add))
  requireEqual("the last result", results[REHEARSAL - 1] ?? NaN, REHEARSAL)
  const words = new Int32Array(new SharedArrayBuffer(8))
  kept.push(times(THREADS, () => hold(words)))
  while (Atomics.load(words, 1) < THREADS) await setImmediate()

  const before = await memory()
  // The caller keeps what it is given, as whoever wants the results does.
  kept.push(times(n, add))
  const after = await memory()
  return { [RESIDENT]: (after.rss - before.rss) / n, [HEAP]: (after.heap - before.heap) / n }
}

export async function memory(): Promise<{ rss: number; heap: number }> {
  // Promise jobs that are still to be done may hold something.
  await setImmediate()
  // Twice: a finalizer frees in the second pass what the first one found.
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}

const pair = (i: number): { a: number; b: number } => ({ a: i, b: 1 })

const twoNumbers = ours("submit(add, a, b)", ({ pool, work }, n) =>
  weigh(n, { add: (i) => pool.submit(work.add, i, 1), hold: (words) => pool.submit(work.hold, words) }),
)

const anObject = ours("submit(add, { a, b })", ({ pool, work }, n) =>
  weigh(n, { add: (i) => pool.submit(work.addPair, pair(i)), hold: (words) => pool.submit(work.hold, words) }),
)

const rivals = theirs(allRivals, 1, (pool, n) =>
  weigh(n, { add: (i) => pool.run("addPair", pair(i)), hold: (words) => pool.run("hold", words) }),
)

const WAITING = "tiny tasks waiting for 2 threads that are held, with their futures or promises"

export const queuedMemory: PlatformContest = {
  name: "platform-memory",
  bouts: [
    {
      n: 100_000,
      rounds: 3,
      fresh: true,
      metrics: [
        { key: RESIDENT, title: `${WAITING}: resident memory of the process`, measures: "memory" },
        { key: HEAP, title: `${WAITING}: heap of the main thread and what it holds outside`, measures: "memory" },
      ],
      pairs: [twoNumbers, anObject].flatMap((our) => against(our, rivals, { [RESIDENT]: 2 })),
    },
  ],
}
