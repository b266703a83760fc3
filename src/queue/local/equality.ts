/**
 * When two elements are equal for `contains`, `remove(e)` and their bulk forms: if either has an `equals` method, that
 * decides (the sought one's first, as in Java); otherwise they are equal if they are the same value, NaN included, as
 * for `Array.prototype.includes`.
 */
interface Equatable {
  equals(other: unknown): boolean
}

export function isEquatable(value: unknown): value is Equatable {
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

/** A test for elements equal to one of `sought`: one look-up, unless a value has an `equals` method. */
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
