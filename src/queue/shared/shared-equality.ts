/** Equality of elements of a shared queue, for `contains`, `remove(e)` and their bulk forms. */
import { isDeepStrictEqual } from "#host/values/values"
import { copyOf } from "../../codec/codec.ts"
import { NotSerializableError } from "../../errors.ts"
import { equalTo, isEquatable } from "../local/equality.ts"

/**
 * The elements of a shared queue are copies, and never the same object as the sought one. So the sought object's
 * `equals` method decides; without one, elements are equal that have the same structure as a copy of it.
 */
export function alike(sought: unknown): (element: unknown) => boolean {
  if (typeof sought !== "object" || sought === null || isEquatable(sought)) return equalTo(sought)
  let copy: unknown
  try {
    copy = copyOf(sought)
  } catch (error) {
    if (error instanceof NotSerializableError) return () => false // such an object cannot be inside
    throw error
  }
  return (element) => isDeepStrictEqual(element, copy)
}

/** A test for elements that are {@link alike} one of `sought`. */
export function alikeAny(sought: Iterable<unknown>): (element: unknown) => boolean {
  const tests = Array.from(sought, alike)
  return (element) => tests.some((test) => test(element))
}
