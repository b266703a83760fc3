/** The work of the contest "parallel" by a pool that cannot divide tasks: the main thread divides, and hands out the parts. */
import { installed } from "./tasks/packages.ts"
import { type Board, type Merge, type Part, withQueen } from "./tasks/parts.ts"

type Parts = typeof import("./tasks/parts.ts")

/** Parts for each thread, as many as corepool makes. */
const SORTED = 4
const SUMMED = 128

interface Piscina {
  run(data: unknown, options: { name: string }): Promise<never>
}

let pool: Piscina | undefined

async function run<K extends keyof Parts>(name: K, data: Parameters<Parts[K]>[0]): Promise<ReturnType<Parts[K]>> {
  if (pool === undefined) {
    const { default: Piscina } = await installed<{ default: new (options: object) => Piscina }>("piscina")
    const filename = new URL("tasks/parts.js", import.meta.url).href
    pool = new Piscina({ filename, minThreads: 2, maxThreads: 2, concurrentTasksPerWorker: 64, recordTiming: false })
  }
  return await pool.run(data, { name })
}

export async function queensByPiscina(board: Board): Promise<number> {
  const counts = await Promise.all(
    withQueen(board)
      .flatMap(withQueen)
      .map((part) => run("countQueens", part)),
  )
  return counts.reduce((a, b) => a + b)
}

export async function sumByPiscina(array: Int32Array): Promise<number> {
  const grain = Math.ceil(array.length / SUMMED)
  const parts: Part[] = []
  for (let from = 0; from < array.length; from += grain) {
    parts.push({ array, from, to: Math.min(from + grain, array.length) })
  }
  const sums = await Promise.all(parts.map((part) => run("sumPart", part)))
  return sums.reduce((a, b) => a + b)
}

/** Four parts are sorted, merged by twos, and the two that are left are merged by both threads, each half of the result. */
export async function sortByPiscina(array: Float64Array): Promise<void> {
  const spare = new Float64Array(new SharedArrayBuffer(array.byteLength))
  const at = (part: number): number => Math.floor((part * array.length) / SORTED)
  const numbers = Array.from({ length: SORTED }, (_, i) => i)
  await Promise.all(numbers.map((i) => run("sortArray", array.subarray(at(i), at(i + 1)))))
  await Promise.all(
    [0, 2].map((i) =>
      run("mergeRuns", {
        source: array,
        target: spare,
        left: at(i),
        leftEnd: at(i + 1),
        right: at(i + 1),
        rightEnd: at(i + 2),
        out: at(i),
      }),
    ),
  )
  const { length } = array
  await Promise.all(halvesOf(spare, array, at(2), length).map((half) => run("mergeRuns", half)))
}

function halvesOf(source: Float64Array, target: Float64Array, middle: number, end: number): Merge[] {
  const half = Math.floor(end / 2)
  let low = Math.max(0, half - (end - middle))
  let high = Math.min(half, middle)
  while (low < high) {
    const taken = Math.floor((low + high) / 2)
    if ((source[middle + half - taken - 1] as number) < (source[taken] as number)) high = taken
    else low = taken + 1
  }
  const right = middle + half - low
  return [
    { source, target, left: 0, leftEnd: low, right: middle, rightEnd: right, out: 0 },
    { source, target, left: low, leftEnd: middle, right, rightEnd: end, out: half },
  ]
}
