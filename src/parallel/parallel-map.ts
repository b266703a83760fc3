/** parallelMap: computes an array, element by element. */
import { type Known, rangeError, requireFunction, typeError } from "../checks.ts"
import { fork } from "../forkjoin/task/fork.ts"
import type { Given } from "../task/reference.ts"
import { type AnyFunction, bound, requireSynchronous } from "./each.ts"
import {
  type EachOptions,
  type OptionsWith,
  isTiny,
  itemsIn,
  kindIn,
  type Range,
  requireArgs,
  sharedIn,
} from "./items.ts"
import { Loops } from "./loops.ts"
import { builtIn } from "./built-in.ts"
import { divide } from "./parts.ts"
import { areHere, PARALLEL_OPTIONS, type ParallelOptions, type Plan, run, runSync } from "./running.ts"
import {
  type ElementOf,
  type Elements,
  isShared,
  kindOf,
  newOrdinary,
  newShared,
  requireTypedArray,
  type TypedArray,
} from "./typed-arrays.ts"

/** The declared result may be a promise: a `tasksOf` reference is asynchronous only for direct callers. */
export type Mapper<P extends unknown[], E> = (...args: P) => E | PromiseLike<E>

const KNOWN: Known<ParallelMapOptions> = { ...PARALLEL_OPTIONS, args: true, grain: true, into: true }

/** Settings of {@link parallelMap}. */
export interface ParallelMapOptions<X extends unknown[] = unknown[], T extends TypedArray = TypedArray>
  extends ParallelOptions, EachOptions<X> {
  /**
   * The array for the results, instead of a new array of the same kind: any typed array that is long enough, or the
   * array itself.
   */
  readonly into?: T
}

/** The same with a required target, as a range does not determine one. */
export interface ParallelMapIntoOptions<
  X extends unknown[] = unknown[],
  T extends TypedArray = TypedArray,
> extends ParallelMapOptions<X, T> {
  readonly into: T
}

/**
 * As `array.map(fn)`, by all threads: a new array of the same kind, with the results of the function. It is called as
 * `fn(element, index, ...args)`, must be portable, see `task`, and synchronous.
 *
 *     const roots = await parallelMap(numbers, (x) => Math.sqrt(x))
 *     await parallelMap(numbers, (x) => Math.sqrt(x), { into: numbers })
 *
 * For a range each number is mapped, as `fn(number, ...args)`, the first one into `into[0]`:
 *
 *     await parallelMap(width * height, colorOf, { into: pixels, args: [width] })
 *
 * The new array is in shared memory if the array is. If the call fails, threads may have written some elements of
 * `into`, and may write more for a moment; but not if it is in ordinary memory.
 */
export async function parallelMap<T extends TypedArray, X extends unknown[] = []>(
  range: Range,
  fn: Mapper<[index: number, ...args: X], ElementOf<T>>,
  options: ParallelMapIntoOptions<X, T>,
): Promise<T>
/** Maps every element of a typed array: see the other signature. */
export async function parallelMap<A extends TypedArray, T extends TypedArray = A, X extends unknown[] = []>(
  array: A,
  fn: Mapper<[element: ElementOf<A>, index: number, ...args: X], ElementOf<T>>,
  ...options: OptionsWith<X, ParallelMapOptions<X, T>>
): Promise<T>
export async function parallelMap(
  source: TypedArray | Range,
  fn: AnyFunction,
  options: ParallelMapOptions = {},
): Promise<TypedArray> {
  return await run(options, KNOWN, (given) => plan(source, fn, given))
}

/** The same for code that cannot await: blocks this thread. */
export function parallelMapSync<T extends TypedArray, X extends unknown[] = []>(
  range: Range,
  fn: Mapper<[index: number, ...args: X], ElementOf<T>>,
  options: ParallelMapIntoOptions<X, T>,
): T
/** The same for the elements of a typed array. */
export function parallelMapSync<A extends TypedArray, T extends TypedArray = A, X extends unknown[] = []>(
  array: A,
  fn: Mapper<[element: ElementOf<A>, index: number, ...args: X], ElementOf<T>>,
  ...options: OptionsWith<X, ParallelMapOptions<X, T>>
): T
export function parallelMapSync(
  source: TypedArray | Range,
  fn: AnyFunction,
  options: ParallelMapOptions = {},
): TypedArray {
  return runSync(options, KNOWN, (given) => plan(source, fn, given))
}

type Part = [
  array: Elements | undefined,
  target: Elements,
  shift: number,
  from: number,
  to: number,
  grain: number,
  args: readonly unknown[],
]

function plan(source: TypedArray | Range, fn: AnyFunction, options: ParallelMapOptions): Plan<TypedArray, void, Part> {
  const items = itemsIn(source, options.grain)
  const { array, from, to, grain } = items
  const functions = [requireFunction("fn", fn)]
  const into = targetOf(array, options.into, to - from)
  const tiny = areHere(functions) && isTiny(items)
  const isOurs = !tiny && !isShared(into)
  const target = isOurs ? newShared(kindOf(into), to - from) : into
  return {
    call: mapPart,
    functions,
    isTiny: tiny,
    args: [tiny ? array : sharedIn(items), target, from, from, to, grain, requireArgs(options.args)],
    finish: () => {
      if (isOurs) into.set(target)
      return into as unknown as TypedArray
    },
  }
}

function targetOf(array: Elements | undefined, into: TypedArray | undefined, length: number): Elements {
  if (into !== undefined) {
    const target = requireTypedArray("into", into)
    if (target.length < length) throw rangeError("into", `an array of at least ${length} elements`, target.length)
    return target
  }
  if (array === undefined) throw typeError("into", "the typed array into which the range is mapped", into)
  return (isShared(array) ? newShared : newOrdinary)(kindOf(array), length)
}

/** @internal Maps a part; forks parts of it if it is large. */
export const mapPart: (given: Given<readonly [AnyFunction], (...part: Part) => void>, ...part: Part) => void = builtIn(
  "mapPart",
  function mapPart({ functions: [fn], self }, array, target, shift, from, to, grain, args) {
    divide<void>(from, to, grain, {
      fork: (start, end) => fork(self, array, target, shift, start, end, grain, args),
      run: (start, end) => {
        if (start === end) return
        const call = bound(fn, args, array, end - start) as Call
        const first = array === undefined ? call(start) : call(array[start], start)
        requireSynchronous(first)
        target[start - shift] = first
        loops.of(end - start, `${kindIn(array)} ${kindOf(target)}`, fn)(call, array, target, shift, start + 1, end)
      },
      join: () => undefined,
    })
  },
)

type Call = (first: unknown, index?: number) => unknown

function mapEach(
  call: Call,
  array: Elements | undefined,
  target: Elements,
  shift: number,
  from: number,
  to: number,
): void {
  if (array === undefined) for (let i = from; i < to; i++) target[i - shift] = call(i)
  else for (let i = from; i < to; i++) target[i] = call(array[i], i)
}

const loops = new Loops(mapEach)
