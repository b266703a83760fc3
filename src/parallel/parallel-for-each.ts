/** parallelForEach: calls a function for every number of a range, or every element of an array. */
import { type Known, requireFunction } from "../checks.ts"
import { fork } from "../forkjoin/task/fork.ts"
import type { Given } from "../task/reference.ts"
import { type AnyFunction, bound, requireSynchronous } from "./each.ts"
import {
  type EachOptions,
  type OptionsWith,
  isTiny,
  type Items,
  itemsIn,
  kindIn,
  type Range,
  requireArgs,
  sharedIn,
} from "./items.ts"
import { Loops } from "./loops.ts"
import { divide } from "./parts.ts"
import { builtIn } from "./built-in.ts"
import { areHere, PARALLEL_OPTIONS, type ParallelOptions, type Plan, run, runSync } from "./running.ts"
import type { ElementOf, Elements, TypedArray } from "./typed-arrays.ts"

const KNOWN: Known<ParallelForEachOptions> = { ...PARALLEL_OPTIONS, args: true, grain: true }

/** Settings of {@link parallelForEach}. */
export interface ParallelForEachOptions<X extends unknown[] = unknown[]> extends ParallelOptions, EachOptions<X> {}

/**
 * Calls the function for every number of a range, in whatever threads are free, in no particular order.
 *
 *     await parallelForEach(image.height, drawRow, { args: [image] })      // drawRow(y, image)
 *
 * Or for every element of a typed array, as `fn(element, index, ...args)`. The function must be portable, see `task`,
 * and synchronous. It writes its results into shared memory, which all threads see; its writes are visible after this
 * call.
 *
 * If it throws, this call throws its error. Parts that have begun in other threads may still go on for a moment.
 *
 * @throws TaskNotPortableError, `CancellationError` if `signal` aborts, or the error of the function.
 */
export async function parallelForEach<X extends unknown[] = []>(
  range: Range,
  fn: (index: number, ...args: X) => unknown,
  ...options: OptionsWith<X, ParallelForEachOptions<X>>
): Promise<void>
/** Calls the function for every element of a typed array: see the other signature. */
export async function parallelForEach<A extends TypedArray, X extends unknown[] = []>(
  array: A,
  fn: (element: ElementOf<A>, index: number, ...args: X) => unknown,
  ...options: OptionsWith<X, ParallelForEachOptions<X>>
): Promise<void>
export async function parallelForEach(
  source: TypedArray | Range,
  fn: AnyFunction,
  options: ParallelForEachOptions = {},
): Promise<void> {
  await run(options, KNOWN, (given) => plan(source, fn, given))
}

/** The same for code that cannot await: blocks this thread. */
export function parallelForEachSync<X extends unknown[] = []>(
  range: Range,
  fn: (index: number, ...args: X) => unknown,
  ...options: OptionsWith<X, ParallelForEachOptions<X>>
): void
/** The same for the elements of a typed array. */
export function parallelForEachSync<A extends TypedArray, X extends unknown[] = []>(
  array: A,
  fn: (element: ElementOf<A>, index: number, ...args: X) => unknown,
  ...options: OptionsWith<X, ParallelForEachOptions<X>>
): void
export function parallelForEachSync(
  source: TypedArray | Range,
  fn: AnyFunction,
  options: ParallelForEachOptions = {},
): void {
  runSync(options, KNOWN, (given) => plan(source, fn, given))
}

type Part = [array: Elements | undefined, from: number, to: number, grain: number, args: readonly unknown[]]

function plan(source: TypedArray | Range, fn: AnyFunction, options: ParallelForEachOptions): Plan<void, void, Part> {
  const items: Items = itemsIn(source, options.grain)
  const functions = [requireFunction("fn", fn)]
  const tiny = areHere(functions) && isTiny(items)
  const { from, to, grain } = items
  return {
    call: forEachPart,
    functions,
    isTiny: tiny,
    args: [tiny ? items.array : sharedIn(items), from, to, grain, requireArgs(options.args)],
    finish: () => undefined,
  }
}

/** @internal Runs a part; forks parts of it if it is large. */
export const forEachPart: (given: Given<readonly [AnyFunction], (...part: Part) => void>, ...part: Part) => void =
  builtIn("forEachPart", function forEachPart({ functions: [fn], self }, array, from, to, grain, args) {
    divide<void>(from, to, grain, {
      fork: (start, end) => fork(self, array, start, end, grain, args),
      run: (start, end) => {
        if (start === end) return
        const call = bound(fn, args, array, end - start) as Call
        requireSynchronous(array === undefined ? call(start) : call(array[start], start))
        loops.of(end - start, kindIn(array), fn)(call, array, start + 1, end)
      },
      join: () => undefined,
    })
  })

type Call = (first: unknown, index?: number) => unknown

function callForEach(call: Call, array: Elements | undefined, from: number, to: number): void {
  if (array === undefined) for (let i = from; i < to; i++) call(i)
  else for (let i = from; i < to; i++) call(array[i], i)
}

const loops = new Loops(callForEach)
