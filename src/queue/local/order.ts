/**
 * Natural order: how elements compare without a comparator. Java asks for `Comparable`; here that is numbers, bigints,
 * strings (by code unit, as in Java), dates, and objects with a `compareTo` method.
 */
import { requireFunction, requireOptions, typeError } from "../../checks.ts"
import type { Comparator } from "./heap.ts"

/** The priority of a task, of which a pool tells the queue. A user's own class of tasks may have a `priority`, too. */
export const PRIORITY: unique symbol = Symbol("priority")

/**
 * An object that knows its place among its like: negative, zero or positive as it comes before, with or after
 * `other`.
 */
export interface Comparable<T> {
  /** Negative, zero or positive as this comes before, with or after `other`. */
  compareTo(other: T): number
}

export function isComparable(value: unknown): value is Comparable<unknown> {
  return (
    typeof value === "object" && value !== null && typeof (value as { compareTo?: unknown }).compareTo === "function"
  )
}

/** Throws for a value that has no natural order: Java's ClassCastException. */
export function requireNaturalOrder(value: unknown): void {
  if (kindOf(value) === undefined) {
    throw typeError(
      "e",
      "a number, bigint, string, Date or an object with compareTo (or give the queue a comparator)",
      value,
    )
  }
}

/** Compares two values that {@link requireNaturalOrder} accepts. Values of different kinds have no order: TypeError. */
export function naturalOrder(a: unknown, b: unknown): number {
  const kind = kindOf(a)
  if (kind !== kindOf(b)) throw typeError("e", `comparable with what is in the queue (a ${kindOf(b) ?? "value"})`, a)
  if (kind === "comparable") return (a as Comparable<unknown>).compareTo(b)
  return kind === "Date" ? ascending(Number(a), Number(b)) : ascending(a as number, b as number)
}

/** The order of the keys of elements, the least first; elements with equal keys in the order of insertion. */
export interface KeyOrder<E> {
  /** The key of an element: a number other than NaN. It must not change while the element is in the queue. */
  readonly key: (element: E) => number
}

export type KeyOf<E> = (element: E) => number

/** The key of an element; of a task with a priority, −priority. Undefined if the order is another one. */
export function keyOfOrder<E>(order: Comparator<E> | KeyOrder<E> | undefined): KeyOf<E> | undefined {
  if (typeof order !== "object" || order === null) return undefined
  const key = requireFunction("key", requireOptions("order", order, { key: true }).key)
  return (element) => {
    const { [PRIORITY]: priority } = element as { readonly [PRIORITY]?: number }
    const found: unknown = priority === undefined ? key(element) : -priority
    if (typeof found === "number" && !Number.isNaN(found)) return found
    throw typeError("key(element)", "a number other than NaN", found)
  }
}

export function byKey<E>(keyOf: KeyOf<E>): Comparator<E> {
  return (a, b) => ascending(keyOf(a), keyOf(b))
}

function kindOf(value: unknown): "number" | "bigint" | "string" | "Date" | "comparable" | undefined {
  const type = typeof value
  if (type === "number" || type === "bigint" || type === "string") return type
  if (isComparable(value)) return "comparable"
  return value instanceof Date ? "Date" : undefined
}

/** As `Double.compare`: a total order in which NaN is the greatest. (Bigints and strings come as themselves.) */
function ascending(a: number, b: number): number {
  if (a < b) return -1
  if (a > b) return 1
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b))
}
