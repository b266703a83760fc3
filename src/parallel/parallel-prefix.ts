/** parallelPrefix: running totals, running maxima, and the like. */
import { type Known, requireFunction } from "../checks.ts"
import { fork } from "../forkjoin/task/fork.ts"
import { give, type Given } from "../task/reference.ts"
import { requireSynchronous } from "./each.ts"
import { grainOf, LEAST } from "./items.ts"
import { Loops } from "./loops.ts"
import { builtIn } from "./built-in.ts"
import type { Combine } from "./parallel-reduce.ts"
import { divide } from "./parts.ts"
import { areHere, PARALLEL_OPTIONS, type ParallelOptions, type Plan, run, runSync } from "./running.ts"
import {
  type ElementOf,
  type Elements,
  kindOf,
  newOrdinary,
  requireTypedArray,
  shared,
  type TypedArray,
} from "./typed-arrays.ts"

const KNOWN: Known<ParallelPrefixOptions> = { ...PARALLEL_OPTIONS, grain: true }

/** Settings of {@link parallelPrefix}. */
export interface ParallelPrefixOptions extends ParallelOptions {
  /**
   * How many elements make a part, which one thread does. By default it depends on the length, and is at least 4096.
   */
  readonly grain?: number
}

/**
 * Combines each element with all before it, in place: afterwards `array[i]` is what
 * `array.slice(0, i + 1).reduce(combine)` was. Returns the array.
 *
 *     await parallelPrefix(Int32Array.of(2, 1, 0, 3), (a, b) => a + b)      // 2, 3, 3, 6
 *
 * The function must be portable, see `task`, and synchronous, and associative: see `parallelReduce`, also for what that
 * means for fractions.
 *
 * It is called twice for most elements, first for the sum of each part and then for the elements themselves. So two
 * threads are hardly faster than one loop; four are twice as fast.
 */
export async function parallelPrefix<A extends TypedArray>(
  array: A,
  combine: Combine<ElementOf<A>>,
  options: ParallelPrefixOptions = {},
): Promise<A> {
  return await run(options, KNOWN, (given) => plan(array, combine, given))
}

/** The same for code that cannot await: blocks this thread. */
export function parallelPrefixSync<A extends TypedArray>(
  array: A,
  combine: Combine<ElementOf<A>>,
  options: ParallelPrefixOptions = {},
): A {
  return runSync(options, KNOWN, (given) => plan(array, combine, given))
}

function plan<A extends TypedArray>(
  array: A,
  combine: Combine<ElementOf<A>>,
  options: ParallelPrefixOptions,
): Plan<A, void, [Elements, number]> {
  const elements = requireTypedArray("array", array) as Elements
  const functions = [requireFunction("combine", combine)]
  const grain = grainOf(options.grain, elements.length, LEAST)
  const isTiny = areHere(functions) && elements.length <= grain
  const target = isTiny ? elements : shared(elements)
  return {
    call: prefixWhole,
    functions,
    isTiny,
    args: [target, grain],
    finish: () => {
      if (target !== elements) elements.set(target)
      return array
    },
  }
}

/*
 * How it works. First every part but the last is reduced to one value, its sum. Then these sums are cumulated, which
 * gives the value before each part. Then all parts are cumulated from there on. In Java the thread with the leftmost
 * part cumulates at once. But then the result of fractions would depend on which thread was faster.
 *
 * A sum is kept in a cell of an array of the same kind: a sequential loop rounds to what fits into the array with every
 * element, and so does this.
 */

type Operator = readonly [combine: Combine<unknown>]
type SumPart = [array: Elements, from: number, to: number, grain: number]
type ScanPart = [...SumPart, offsets: readonly unknown[]]

/** @internal */
export const prefixWhole: (given: Given<Operator>, array: Elements, grain: number) => void = builtIn(
  "prefixWhole",
  function prefixWhole({ functions }, array, grain) {
    const { length } = array
    const last = Math.max(Math.ceil(length / grain) - 1, 0) * grain
    const sums = last === 0 ? [] : give(sumParts, functions)(array, 0, last, grain)
    give(scanParts, functions)(array, 0, length, grain, [undefined, ...cumulated(functions[0], sums, kindOf(array))])
  },
)

function cumulated(combine: Combine<unknown>, sums: readonly unknown[], kind: string): unknown[] {
  const cells = newOrdinary(kind, sums.length)
  for (const [i, sum] of sums.entries()) cells[i] = i === 0 ? sum : combine(cells[i - 1], sum)
  return Array.from(cells as Iterable<unknown> & Elements)
}

/** @internal The sum of each part. */
export const sumParts: (given: Given<Operator, (...part: SumPart) => unknown[]>, ...part: SumPart) => unknown[] =
  builtIn("sumParts", function sumParts({ functions: [combine], self }, array, from, to, grain) {
    return divide<unknown[]>(from, to, grain, {
      fork: (start, end) => fork(self, array, start, end, grain),
      run: (start, end) => {
        const cell = newOrdinary(kindOf(array), 1)
        cell[0] = array[start]
        if (start + 1 < end) cell[0] = combineOnce(combine, cell[0], array[start + 1])
        summing.of(end - start, kindOf(array), combine)(combine, array, start + 2, end, cell)
        return [cell[0]]
      },
      join: (left, right) => left.concat(right),
    })
  })

/** @internal Cumulates each part, from the value before it. */
export const scanParts: (given: Given<Operator, (...part: ScanPart) => void>, ...part: ScanPart) => void = builtIn(
  "scanParts",
  function scanParts({ functions: [combine], self }, array, from, to, grain, offsets) {
    const before = (start: number): number => (start - from) / grain
    divide<void>(from, to, grain, {
      fork: (start, end) => fork(self, array, start, end, grain, offsets.slice(before(start))),
      run: (start, end) => {
        const first = Math.max(start, 1) // the very first element is unchanged
        if (first >= end) return
        array[first] = combineOnce(combine, start === 0 ? array[0] : offsets[before(start)], array[first])
        scanning.of(end - start, kindOf(array), combine)(combine, array, first + 1, end)
      },
      join: () => undefined,
    })
  },
)

function combineOnce(combine: Combine<unknown>, left: unknown, right: unknown): unknown {
  const value = combine(left, right)
  requireSynchronous(value)
  return value
}

function sumEach(combine: Combine<unknown>, array: Elements, from: number, to: number, cell: Elements): void {
  for (let i = from; i < to; i++) cell[0] = combine(cell[0], array[i])
}

function scanEach(combine: Combine<unknown>, array: Elements, from: number, to: number): void {
  let before = array[from - 1]
  for (let i = from; i < to; i++) {
    array[i] = combine(before, array[i])
    before = array[i]
  }
}

const summing = new Loops(sumEach)
const scanning = new Loops(scanEach)
