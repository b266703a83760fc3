/** parallelSort: sorts by all threads. */
import { availableParallelism } from "#host/runtime/machine"
import { type Known, requireFunction, requireInteger } from "../checks.ts"
import { fork } from "../forkjoin/task/fork.ts"
import type { ForkJoinTask } from "../forkjoin/task/fork-join-task.ts"
import { thisThread } from "../forkjoin/task/this-thread.ts"
import { give, type Given } from "../task/reference.ts"
import { firstIn, mergeRuns, type Order } from "./merging.ts"
import { builtIn } from "./built-in.ts"
import { areHere, PARALLEL_OPTIONS, type ParallelOptions, type Plan, run, runSync } from "./running.ts"
import {
  type ElementOf,
  type Elements,
  kindOf,
  newShared,
  requireTypedArray,
  shared,
  type TypedArray,
} from "./typed-arrays.ts"

const KNOWN: Known<ParallelSortOptions> = { ...PARALLEL_OPTIONS, compare: true, grain: true }

/** Settings of {@link parallelSort}. */
export interface ParallelSortOptions<E = number | bigint> extends ParallelOptions {
  /** Less than 0 if `a` comes before `b`, more than 0 if after. It must be portable, see `task`, and synchronous. */
  readonly compare?: (a: E, b: E) => number
  /**
   * How many elements make a part, which one thread does. By default it depends on the length, and is at least 8192.
   */
  readonly grain?: number
}

/**
 * Sorts a typed array in place, as `array.sort()` does: numbers ascending, −0 before 0, NaN last; or by `compare`, and
 * then stably: equal elements keep their order. Returns the array.
 *
 *     await parallelSort(prices)
 *     await parallelSort(prices, { compare: (a, b) => b - a })
 *
 * It takes as much memory again as the array. If the call fails, by `compare` or by the signal, an array in shared
 * memory is left in disorder, perhaps with elements twice; an array over ordinary memory is left as it was.
 */
export async function parallelSort<A extends TypedArray>(
  array: A,
  options: ParallelSortOptions<ElementOf<A>> = {},
): Promise<A> {
  return await run(options, KNOWN, (given) => plan(array, given))
}

/** The same for code that cannot await: blocks this thread. */
export function parallelSortSync<A extends TypedArray>(array: A, options: ParallelSortOptions<ElementOf<A>> = {}): A {
  return runSync(options, KNOWN, (given) => plan(array, given))
}

/*
 * How it works. The array is cut into a few parts for each thread. Each part is sorted by the engine, which is faster
 * than any code here could be. Then the parts are merged by twos, each time from the array to a scratch array of the
 * same size, or back.
 */

/** Sorting so many elements takes ten times as long as starting with another thread. */
const LEAST = 8192
/** The most elements of a part: a thread that sorts cannot be stopped, and this many take a third of a second. */
const MOST = 4_000_000
/**
 * Parts for each thread: two, so that threads that come later have something to do, too. Each doubling costs one more
 * round of merging.
 */
const PARTS = 2
/** Merging so many elements takes ten times as long as giving them to another thread. */
const MERGED = 65_536
const MOST_OTHERS = 64
/** How many elements of the scratch are filled in one step, which takes a tenth of a millisecond. */
const STEP = 32_768

function plan<A extends TypedArray>(array: A, options: ParallelSortOptions<ElementOf<A>>): Plan<A, void, Whole> {
  const elements = requireTypedArray("array", array) as Elements
  const { compare } = options
  const functions = compare === undefined ? [] : [requireFunction("compare", compare)]
  const grain = grainOf(options.grain, elements.length, options.pool?.parallelism ?? availableParallelism())
  const isTiny = elements.length <= grain && areHere(functions)
  const target = isTiny ? elements : shared(elements)
  const scratch = isTiny ? undefined : newShared(kindOf(elements), elements.length)
  return {
    call: sortWhole,
    functions,
    isTiny,
    args: [target, scratch, grain, options.grain ?? MERGED],
    finish: () => {
      if (target !== elements) elements.set(target)
      return array
    },
  }
}

function grainOf(grain: number | undefined, length: number, threads: number): number {
  if (grain !== undefined) return requireInteger("grain", grain, 1)
  const parts = Math.max(PARTS * threads, length / MOST)
  return Math.max(LEAST, Math.ceil(length / 2 ** Math.ceil(Math.log2(parts))))
}

type Whole = [array: Elements, scratch: Elements | undefined, grain: number, mergeGrain: number]

/** @internal */
export const sortWhole: (given: Given<Order>, ...whole: Whole) => void = builtIn(
  "sortWhole",
  function sortWhole({ functions }, array, scratch, grain, mergeGrain) {
    const { length } = array
    if (scratch === undefined || length <= grain) {
      array.sort(functions[0])
      return
    }
    introduce(array, scratch, Math.min(Math.ceil(length / grain), MOST_OTHERS))
    give(sortPart, functions)(array, scratch, 0, length, grain, mergeGrain, false)
    if (functions.length === 0 && kindOf(array).startsWith("Float")) orderZeros(array)
  },
)

type SortPart = [
  array: Elements,
  scratch: Elements,
  from: number,
  to: number,
  grain: number,
  mergeGrain: number,
  intoScratch: boolean,
]

/** @internal Sorts a part of the array, in its place or into the same place of the scratch. */
export const sortPart: (given: Given<Order, (...part: SortPart) => void>, ...part: SortPart) => void = builtIn(
  "sortPart",
  function sortPart({ functions, self }, array, scratch, from, to, grain, mergeGrain, intoScratch) {
    if (to - from <= grain) {
      answer()
      const part = array.subarray(from, to).sort(functions[0])
      if (intoScratch) scratch.set(part, from)
      return
    }
    const middle = Math.floor((from + to) / 2)
    const right = fork(self, array, scratch, middle, to, grain, mergeGrain, !intoScratch)
    try {
      self(array, scratch, from, middle, grain, mergeGrain, !intoScratch)
    } catch (error) {
      right.cancel()
      throw error
    }
    right.join()
    const [source, target] = intoScratch ? [array, scratch] : [scratch, array]
    mergeRuns(functions, mergeGrain, source, target, from, middle, to)
  },
)

/**
 * Sends both arrays to other threads before this one sorts. A thread that steals a part has to ask this thread for
 * arrays it does not know yet, and this thread answers when it forks something; but while it sorts, it does not answer
 * for long. So it forks tasks that do nothing, and sorts when thieves have run them, or have not come in time.
 * Meanwhile it fills the scratch, whose memory the system has reserved but not yet provided, so this time is not lost.
 */
function introduce(array: Elements, scratch: Elements, others: number): void {
  if (thisThread.forks === undefined) return
  const meetings: ForkJoinTask<void>[] = []
  for (let i = 0; i < others; i++) meetings.push(fork(meet, array, scratch))
  const zero = scratch[0]
  for (let from = 0; from < scratch.length && meetings.some(({ isDone }) => !isDone); from += STEP) {
    scratch.fill(zero, from, from + STEP)
    answer()
  }
  // Takes back the tasks that were not stolen, the newest first, as they are in the deque.
  for (const meeting of meetings.reverse()) if (!meeting.tryUnfork()) meeting.cancel()
}

/** Forks something: with that a thread answers requests of thieves. */
function answer(): void {
  fork(nothing).tryUnfork()
}

/** @internal */
export const meet: (array: Elements, scratch: Elements) => void = builtIn("meet", function meet() {})

/** @internal */
export const nothing: () => void = builtIn("nothing", function nothing() {})

/** Puts −0 before 0: for the merge, all zeros are equal. */
function orderZeros(array: Elements): void {
  const from = firstIn(0, array.length, (i) => !((array[i] as number) < 0))
  const to = firstIn(from, array.length, (i) => array[i] !== 0)
  let negative = 0
  for (let i = from; i < to; i++) negative += Number(Object.is(array[i], -0))
  array.fill(-0, from, from + negative).fill(0, from + negative, to)
}
