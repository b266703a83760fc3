/** parallelReduce: makes one value of many. */
import { type Known, requireFunction, typeError } from "../checks.ts"
import { fork } from "../forkjoin/task/fork.ts"
import type { Given } from "../task/reference.ts"
import { type AnyFunction, bound, requireSynchronous } from "./each.ts"
import { type EachOptions, isTiny, itemsIn, kindIn, type Range, requireArgs, sharedIn } from "./items.ts"
import { Loops } from "./loops.ts"
import { builtIn } from "./built-in.ts"
import { divide } from "./parts.ts"
import type { Mapper } from "./parallel-map.ts"
import { areHere, PARALLEL_OPTIONS, type ParallelOptions, type Plan, run, runSync } from "./running.ts"
import type { ElementOf, Elements, TypedArray } from "./typed-arrays.ts"

const KNOWN: Known<ParallelMapReduceOptions<unknown, unknown[]>> = {
  ...PARALLEL_OPTIONS,
  initial: true,
  grain: true,
  map: true,
  args: true,
}

/**
 * Makes one value of a left and a right one. The declared result may be a promise: a `tasksOf` reference is
 * asynchronous only for direct callers.
 */
export type Combine<R> = (left: R, right: R) => R | PromiseLike<R>

/** Settings of {@link parallelReduce}. */
export interface ParallelReduceOptions<R> extends ParallelOptions {
  /** Combined with the first value, once, as in `array.reduce(combine, initial)`; needed if there may be no values. */
  readonly initial?: R
  /** See {@link EachOptions}. */
  readonly grain?: number
}

/** The same with a function that makes the values from elements, or from numbers. */
export interface ParallelMapReduceOptions<R, P extends unknown[], X extends unknown[] = unknown[]>
  extends ParallelReduceOptions<R>, EachOptions<X> {
  /**
   * Makes the value of an element: `map(element, index, ...args)`; or of a number of a range: `map(number, ...args)`.
   */
  readonly map: Mapper<[...P, ...X], R>
}

/**
 * As `array.reduce(combine)`, by all threads: of a typed array, or of the results of `map` for its elements or for the
 * numbers of a range.
 *
 *     await parallelReduce(numbers, (a, b) => a + b)
 *     await parallelReduce(numbers, (a, b) => a + b, { initial: 0, map: (x) => x * x })
 *     await parallelReduce(pages, mergeCounts, { map: countWords, args: [text] })
 *
 * The functions must be portable, see `task`, and synchronous. `combine` must be associative, since neighbours are
 * combined first: `(a + b) + (c + d)`, always from left to right. If it is only nearly so, as are sums of fractions,
 * the result may differ from the sequential one in its last digits. But it is the same each time and on every machine,
 * as the division of the array depends only on its length, and on `grain`.
 */
export async function parallelReduce<R, X extends unknown[] = []>(
  range: Range,
  combine: Combine<R>,
  options: ParallelMapReduceOptions<R, [index: number], X>,
): Promise<R>
/** Reduces the results of `map` for the elements of a typed array. */
export async function parallelReduce<A extends TypedArray, R, X extends unknown[] = []>(
  array: A,
  combine: Combine<R>,
  options: ParallelMapReduceOptions<R, [element: ElementOf<A>, index: number], X>,
): Promise<R>
/** Reduces the elements of a typed array. */
export async function parallelReduce<A extends TypedArray>(
  array: A,
  combine: Combine<ElementOf<A>>,
  options?: ParallelReduceOptions<ElementOf<A>>,
): Promise<ElementOf<A>>
export async function parallelReduce(
  source: TypedArray | Range,
  combine: AnyFunction,
  options: ParallelReduceOptions<unknown> = {},
): Promise<unknown> {
  return await run(options, KNOWN, (given) => plan(source, combine, given))
}

/** The same for code that cannot await: blocks this thread. */
export function parallelReduceSync<R, X extends unknown[] = []>(
  range: Range,
  combine: Combine<R>,
  options: ParallelMapReduceOptions<R, [index: number], X>,
): R
/** Reduces the results of `map` for the elements of a typed array; blocks this thread. */
export function parallelReduceSync<A extends TypedArray, R, X extends unknown[] = []>(
  array: A,
  combine: Combine<R>,
  options: ParallelMapReduceOptions<R, [element: ElementOf<A>, index: number], X>,
): R
/** Reduces the elements of a typed array; blocks this thread. */
export function parallelReduceSync<A extends TypedArray>(
  array: A,
  combine: Combine<ElementOf<A>>,
  options?: ParallelReduceOptions<ElementOf<A>>,
): ElementOf<A>
export function parallelReduceSync(
  source: TypedArray | Range,
  combine: AnyFunction,
  options: ParallelReduceOptions<unknown> = {},
): unknown {
  return runSync(options, KNOWN, (given) => plan(source, combine, given))
}

/** `before` has the initial value before the first value of the part, if there is one. */
type Part = [
  array: Elements | undefined,
  from: number,
  to: number,
  grain: number,
  args: readonly unknown[],
  before: readonly unknown[],
]

type Functions = readonly [combine: AnyFunction, map?: AnyFunction]

function plan(
  source: TypedArray | Range,
  combine: AnyFunction,
  options: ParallelReduceOptions<unknown> & { readonly map?: AnyFunction; readonly args?: unknown[] },
): Plan<unknown, unknown, Part> {
  const items = itemsIn(source, options.grain)
  const { array, from, to, grain } = items
  const { map } = options
  if (map === undefined && array === undefined) throw typeError("map", "a function, for the numbers of a range", map)
  const functions = [requireFunction("combine", combine)]
  if (map !== undefined) functions.push(requireFunction("map", map))
  const before = "initial" in options ? [options.initial] : []
  if (from === to && before.length === 0) throw new TypeError("Reduce of nothing, with no initial value")
  const tiny = areHere(functions) && isTiny(items)
  return {
    call: reducePart,
    functions,
    isTiny: tiny,
    args: [tiny ? array : sharedIn(items), from, to, grain, requireArgs(options.args), before],
    finish: (result) => result,
  }
}

/** @internal Reduces a part; forks parts of it if it is large. */
export const reducePart: (given: Given<Functions, (...part: Part) => unknown>, ...part: Part) => unknown = builtIn(
  "reducePart",
  function reducePart({ functions: [combine, map], self }, array, from, to, grain, args, before) {
    return divide<unknown>(from, to, grain, {
      fork: (start, end) => fork(self, array, start, end, grain, args, []),
      run: (start, end) =>
        fold(combine as Combine<unknown>, map, array, start, end, args, start === from ? before : []),
      join: (left, right) => settled((combine as Combine<unknown>)(left, right)),
    })
  },
)

function fold(
  combine: Combine<unknown>,
  map: AnyFunction | undefined,
  array: Elements | undefined,
  from: number,
  to: number,
  args: readonly unknown[],
  before: readonly unknown[],
): unknown {
  if (from === to) return before[0]
  const count = to - from
  const call = map === undefined ? undefined : (bound(map, args, array, count) as Call)
  let first: unknown
  if (call === undefined) first = (array as Elements)[from]
  else first = array === undefined ? call(from) : call(array[from], from)
  settled(first)
  if (before.length > 0) first = settled(combine(before[0], first))
  return settled(
    call === undefined
      ? folding.of(count, kindIn(array), combine)(combine, array as Elements, from + 1, to, first)
      : mapping.of(count, kindIn(array), map)(combine, call, array, from + 1, to, first),
  )
}

function settled(value: unknown): unknown {
  requireSynchronous(value)
  return value
}

/**
 * Four elements in each round: so the checks of the engine cost as little as in a loop written for one function.
 */
function foldEach(combine: Combine<unknown>, array: Elements, from: number, to: number, first: unknown): unknown {
  let result = first
  let i = from
  for (; i + 3 < to; i += 4) {
    result = combine(combine(combine(combine(result, array[i]), array[i + 1]), array[i + 2]), array[i + 3])
  }
  for (; i < to; i++) result = combine(result, array[i])
  return result
}

type Call = (first: unknown, index?: number) => unknown

function foldMapped(
  combine: Combine<unknown>,
  call: Call,
  array: Elements | undefined,
  from: number,
  to: number,
  first: unknown,
): unknown {
  let result = first
  if (array === undefined) for (let i = from; i < to; i++) result = combine(result, call(i))
  else for (let i = from; i < to; i++) result = combine(result, call(array[i], i))
  return result
}

const folding = new Loops(foldEach)
const mapping = new Loops(foldMapped)
