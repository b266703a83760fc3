/** Forking and joining: what it costs, and what two threads gain by it. */
import type { Bout, Contender, Contest, Pair } from "./contest.ts"
import { requireEqual } from "./contest.ts"
import { corepool } from "./corepool.ts"
import { isJavaPresent, jdk } from "./jdk.ts"
import { sequentialFib } from "./tasks/fib.ts"
import { TwoWorkers } from "./two-workers.ts"

/** A fork may cost four times as much as in the JDK, and two threads have to do as well as two that are independent, nearly. */
const AGAINST_JDK = 0.25
const AGAINST_TWO_WORKERS = 0.9

type Pool = InstanceType<Awaited<ReturnType<typeof corepool>>["ForkJoinPool"]>

const pools: Pool[] = []

/** The pool of so many threads; it stays. */
async function poolOf(parallelism: number): Promise<Pool> {
  const { ForkJoinPool } = await corepool()
  return (pools[parallelism] ??= new ForkJoinPool({ parallelism }))
}

async function tasks(): Promise<typeof import("./tasks/forkjoin.ts")> {
  return await import("./tasks/forkjoin.ts")
}

function forking(parallelism: number): Contender {
  return {
    name: `ForkJoinPool of ${parallelism}`,
    async run(n) {
      const { forkEach } = await tasks()
      const pool = await poolOf(parallelism)
      requireEqual("the number of tasks", await pool.invoke(forkEach, n), n)
    },
  }
}

const wholeTree: Contender = {
  name: "ForkJoinPool of 1",
  async run(n) {
    const { wholeFib } = await tasks()
    const pool = await poolOf(1)
    requireEqual("the result", await pool.invoke(wholeFib, n), sequentialFib(n))
  },
}

const FIB_35 = 9_227_465

const dividing: Contender = {
  name: "ForkJoinPool of 2",
  async run(n) {
    const { fib } = await tasks()
    const pool = await poolOf(2)
    requireEqual("the result", await pool.invoke(fib, n), FIB_35)
  },
}

let team: TwoWorkers | undefined

const independent: Contender = {
  name: "two independent workers",
  async run(n) {
    team ??= new TwoWorkers(new URL("forkjoin-worker.js", import.meta.url))
    await team.run({ work: "fib", shared: {}, turns: n })
  },
}

function bout(title: string, n: number, ours: Contender, rivals: readonly Omit<Pair, "ours">[]): Bout {
  return { title, n, pairs: rivals.map((rival) => ({ ours, ...rival })) }
}

function againstJdk(work: string, threads: number): Omit<Pair, "ours">[] {
  return isJavaPresent() ? [{ rival: jdk(`ForkJoinPool of ${threads}`, "ForkJoin", work), target: AGAINST_JDK }] : []
}

export const forkjoin: Contest = {
  name: "forkjoin",
  measures: "time",
  bouts: [
    bout("fork + join of a task that does nothing, by one thread", 1_000_000, forking(1), againstJdk("fork-1", 1)),
    bout("the same beside another thread that is idle", 1_000_000, forking(2), againstJdk("fork-2", 2)),
    bout("fib(25), divided to the end, by one thread", 25, wholeTree, againstJdk("fib-1", 1)),
    bout("fib(35), divided down to 12, by two threads", 35, dividing, [
      { rival: independent, target: AGAINST_TWO_WORKERS },
      ...againstJdk("fib-2", 2).map(({ rival }) => ({ rival })),
    ]),
  ],
}
