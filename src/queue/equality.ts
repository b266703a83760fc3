import { isDeepStrictEqual } from "node:util"
import { copyOf } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"

/**
 * When two elements are the same to `contains`, `remove(e)` and their bulk forms: if either has an `equals`
 * method, that decides (the sought one's first, as in Java); otherwise they are the same value, NaN included, as
 * for `Array.prototype.includes`.
 */
interface Equatable {
  equals(other: unknown): boolean
}

function isEquatable(value: unknown): value is Equatable {
  return (
    value !== null &&
    (typeof value === "object" || typeof value === "function") &&
    typeof (value as { equals?: unknown }).equals === "function"
  )
}

/** A test for elements equal to `sought`. Nothing equals null or undefined. */
export function equalTo(sought: unknown): (element: unknown) => boolean {
  if (sought == null) return () => false
  if (isEquatable(sought)) return (element) => element === sought || sought.equals(element)
  return (element) => same(element, sought) || (isEquatable(element) && element.equals(sought))
}

/** A test for elements equal to one of `sought`: one look-up, unless somebody has an `equals` method. */
export function equalToAny(sought: Iterable<unknown>): (element: unknown) => boolean {
  const values = new Set(sought)
  values.delete(null)
  values.delete(undefined)
  const equatable = [...values].filter(isEquatable)
  return (element) => {
    if (values.has(element) || equatable.some((value) => value.equals(element))) return true
    return isEquatable(element) && [...values].some((value) => !isEquatable(value) && element.equals(value))
  }
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

/**
 * The same for the elements of a shared queue, which are copies and never the same object: the `equals` method of the
 * sought one decides, or else whether a copy of it would have the same structure.
 */
export function alike(sought: unknown): (element: unknown) => boolean {
  if (typeof sought !== "object" || sought === null || isEquatable(sought)) return equalTo(sought)
  let copy: unknown
  try {
    copy = copyOf(sought)
  } catch (error) {
    if (error instanceof NotSerializableError) return () => false // it could not be inside
    throw error
  }
  return (element) => isDeepStrictEqual(element, copy)
}

/** A test for elements that are {@link alike} one of `sought`. */
export function alikeAny(sought: Iterable<unknown>): (element: unknown) => boolean {
  const tests = Array.from(sought, alike)
  return (element) => tests.some((test) => test(element))
}
