/** What a parallel algorithm goes through: the elements of an array, or the numbers of a range. */
import { requireArray, requireInteger, requireObject, typeError } from "../checks.ts"
import { type Elements, isTypedArray, kindOf, shared, type TypedArray } from "./typed-arrays.ts"
import { grainFor } from "./parts.ts"

/** So many numbers from 0 on; or those from `from` to before `to`. */
export type Range =
  | number
  | {
      /** The first number; default 0. */
      readonly from?: number
      /** The number after the last one. */
      readonly to: number
    }

/** Arguments of the function, and how the work is divided. */
export interface EachOptions<X extends unknown[] = unknown[]> {
  /**
   * The arguments of the function after the element. Threads get copies with every part, except of shared memory and
   * shared objects: so they should be small, or shared.
   */
  readonly args?: X
  /**
   * How many elements make a part of the work, which one thread does. By default that depends on the size: at least
   * 4096 elements of an array, whose function is expected to be quick, and at least one number of a range, whose
   * function is not.
   */
  readonly grain?: number
}

/** Options that may be left out, unless the function needs more arguments than the element. */
export type OptionsWith<X extends unknown[], O> = X extends [] ? [options?: O] : [options: O & { readonly args: X }]

/** How many elements are worth giving to another thread. */
export const LEAST = 4096

/** The numbers from `from` to before `to`, and the array of which they are indices, if there is one. */
export interface Items {
  readonly array: Elements | undefined
  readonly from: number
  readonly to: number
  readonly grain: number
}

export function itemsIn(source: TypedArray | Range, grain: number | undefined): Items {
  if (isTypedArray(source)) {
    const { length } = source
    return { array: source as Elements, from: 0, to: length, grain: grainOf(grain, length, LEAST) }
  }
  const { from = 0, to } = typeof source === "number" ? { to: source } : requireRange(source)
  requireSafe(typeof source === "number" ? "source" : "to", to)
  requireSafe("from", from)
  return { array: undefined, from, to: Math.max(from, to), grain: grainOf(grain, to - from, 1) }
}

function requireRange(source: { readonly from?: number; readonly to: number }): typeof source {
  const demand = "a typed array, a number or a range { from, to }"
  if (Array.isArray(source)) throw typeError("source", demand, source)
  return requireObject("source", source, demand) as typeof source
}

function requireSafe(name: string, value: unknown): void {
  if (!Number.isSafeInteger(value)) throw typeError(name, "an integer", value)
}

export function grainOf(grain: number | undefined, count: number, least: number): number {
  return grain === undefined ? grainFor(count, least) : requireInteger("grain", grain, 1)
}

/**
 * Whether the items make a single part. A range does so only if it is empty, as a function may take long for one
 * number.
 */
export function isTiny({ array, from, to, grain }: Items): boolean {
  return to - from <= (array === undefined ? 0 : grain)
}

export function requireArgs<X extends unknown[]>(args: X | undefined): X {
  return (args === undefined ? [] : requireArray("args", args)) as X
}

/** The array, or a copy that threads can share. */
export function sharedIn({ array }: Items): Elements | undefined {
  return array === undefined ? undefined : shared(array)
}

/** The kind of array for which a loop is compiled. */
export function kindIn(array: Elements | undefined): string {
  return array === undefined ? "range" : kindOf(array)
}
