/** Parallel algorithms: what two threads gain by them. */
import { type Bout, type Contender, type Contest, requireEqual } from "./contest.ts"
import { corepool } from "./corepool.ts"
import { queensByPiscina, sortByPiscina, sumByPiscina } from "./parallel-piscina.ts"
import { type Board, sumPart } from "./tasks/parts.ts"
import { TwoWorkers } from "./two-workers.ts"

/** Two threads have to do nearly as well as two that are independent, though to sort means to merge as well, which those need not. */
const AGAINST_TWO_WORKERS = 0.9

type Pool = InstanceType<Awaited<ReturnType<typeof corepool>>["ForkJoinPool"]>

let opened: Pool | undefined

/** The pool of two threads; it stays. */
async function pool(): Promise<Pool> {
  const { ForkJoinPool } = await corepool()
  return (opened ??= new ForkJoinPool({ parallelism: 2 }))
}

let team: TwoWorkers | undefined

/** Both do their half. */
async function byTwoWorkers(work: string, things: Record<string, unknown>, turns: number): Promise<void> {
  team ??= new TwoWorkers(new URL("parallel-worker.js", import.meta.url))
  await team.run({ work, shared: things, turns })
}

function bout(
  title: string,
  n: number,
  ours: Contender,
  independent: Contender,
  target: number,
  rivals: Contender[],
): Bout {
  return {
    title,
    n,
    pairs: [{ ours, rival: independent, target }, ...rivals.map((rival) => ({ ours, rival }))],
  }
}

// ------------------------------------------------------------------ queens

const BOARD: Board = { size: 12, columns: 0, left: 0, right: 0 }
const SOLUTIONS = 14_200
const DIVIDED_ROWS = 2

/** Once is over too soon. */
const TIMES = 30

const ourQueens: Contender = {
  name: "ForkJoinPool of 2",
  async run(n) {
    const { queens } = await import("./tasks/parallel.ts")
    for (let i = 0; i < n; i++) {
      requireEqual("the solutions", await (await pool()).invoke(queens, BOARD, DIVIDED_ROWS), SOLUTIONS)
    }
  },
}

const independentQueens: Contender = {
  name: "two independent workers",
  async run(n) {
    for (let i = 0; i < n; i++) await byTwoWorkers("queens", { board: BOARD }, 1)
  },
}

const piscinasQueens: Contender = {
  name: "piscina, two threads",
  async run(n) {
    for (let i = 0; i < n; i++) requireEqual("the solutions", await queensByPiscina(BOARD), SOLUTIONS)
  },
}

// ------------------------------------------------------------------ sorting

interface Arrays {
  readonly unsorted: Float64Array
  readonly arrays: readonly Float64Array[]
}

let sortable: Arrays | undefined

function shared(n: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(n * 8))
}

/** Two arrays without order, always the same; to fill them is a part of what is measured, the same for all. */
function unsortedArrays(n: number): Arrays {
  if (sortable?.unsorted.length !== n) {
    let seed = 1
    const unsorted = Float64Array.from({ length: n }, () => (seed = (seed * 48271) % 2147483647) / 65_537)
    sortable = { unsorted, arrays: [shared(n), shared(n)] }
  }
  for (const array of sortable.arrays) array.set(sortable.unsorted)
  return sortable
}

function requireSorted({ arrays }: Arrays): void {
  for (const array of arrays) {
    for (let i = 1; i < array.length; i += 997) {
      if ((array[i - 1] as number) > (array[i] as number)) throw new Error(`Not sorted at ${i}`)
    }
  }
}

/** Both arrays are sorted, the one and then the other. */
function sorter(name: string, sort: (array: Float64Array) => Promise<unknown>): Contender {
  return {
    name,
    async run(n) {
      const work = unsortedArrays(n)
      for (const array of work.arrays) await sort(array)
      requireSorted(work)
    },
  }
}

const ourSort = sorter("parallelSort, two threads", async (array) => {
  const { parallelSort } = await corepool()
  await parallelSort(array, { pool: await pool() })
})
const piscinasSort = sorter("piscina, two threads", sortByPiscina)
const enginesSort = sorter("Float64Array.prototype.sort", async (array) => array.sort())

const independentSort: Contender = {
  name: "two independent workers",
  async run(n) {
    const work = unsortedArrays(n)
    await byTwoWorkers("sort", { arrays: work.arrays }, 1)
    requireSorted(work)
  },
}

// ------------------------------------------------------------------ summing

let summands: Int32Array | undefined

function numbers(n: number): Int32Array {
  if (summands?.length !== n) {
    summands = new Int32Array(new SharedArrayBuffer(n * 4))
    for (let i = 0; i < n; i++) summands[i] = i & 1023
  }
  return summands
}

function expectedSum(n: number): number {
  const rest = n & 1023
  return (n >> 10) * ((1023 * 1024) / 2) + (rest * (rest - 1)) / 2
}

function summing(name: string, sum: (array: Int32Array) => Promise<number>): Contender {
  return {
    name,
    async run(n) {
      requireEqual("the sum", await sum(numbers(n)), expectedSum(n))
    },
  }
}

const ourSum = summing("parallelReduce, two threads", async (array) => {
  const { parallelReduce } = await corepool()
  const { add } = await import("./tasks/parallel.ts")
  return await parallelReduce(array, add, { pool: await pool() })
})
const piscinasSum = summing("piscina, two threads", sumByPiscina)
const loop = summing("a loop in one thread", async (array) => sumPart({ array, from: 0, to: array.length }))

const independentSum: Contender = {
  name: "two independent workers",
  run: (n) => byTwoWorkers("sum", { array: numbers(n) }, 1),
}

export const parallel: Contest = {
  name: "parallel",
  measures: "time",
  bouts: [
    bout("queens on a board of 12, 30 times", TIMES, ourQueens, independentQueens, AGAINST_TWO_WORKERS, [
      piscinasQueens,
    ]),
    bout("sort of 4,000,000 doubles, twice", 4_000_000, ourSort, independentSort, AGAINST_TWO_WORKERS, [
      piscinasSort,
      enginesSort,
    ]),
    bout("sum of 50,000,000 numbers", 50_000_000, ourSum, independentSum, AGAINST_TWO_WORKERS, [piscinasSum, loop]),
  ],
}
