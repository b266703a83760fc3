/**
 * Methods by which values are read. A task may replace them, and the code that reads values is loaded with the first
 * value that needs it. So they are taken here, which is loaded when a thread begins.
 */
import { methodOf } from "../primordials.ts"

type Each<T, A extends unknown[]> = (all: T, callback: (...args: A) => void) => void

export const timeOf: (date: Date) => number = /* @__PURE__ */ methodOf(Date.prototype, "getTime")
export const forEachEntry: Each<
  ReadonlyMap<unknown, unknown>,
  [value: unknown, key: unknown]
> = /* @__PURE__ */ methodOf(Map.prototype as ReadonlyMap<unknown, unknown>, "forEach")
export const forEachElement: Each<ReadonlySet<unknown>, [value: unknown]> = /* @__PURE__ */ methodOf(
  Set.prototype as ReadonlySet<unknown>,
  "forEach",
)
export const numberOf: (boxed: object) => number = /* @__PURE__ */ methodOf(Number.prototype, "valueOf") as never
export const stringOf: (boxed: object) => string = /* @__PURE__ */ methodOf(String.prototype, "valueOf") as never
export const booleanOf: (boxed: object) => boolean = /* @__PURE__ */ methodOf(Boolean.prototype, "valueOf") as never
export const bigintOf: (boxed: object) => bigint = /* @__PURE__ */ methodOf(
  BigInt.prototype as { valueOf(): bigint },
  "valueOf",
) as never
export const isEnumerableIn: (object: object, key: PropertyKey) => boolean = /* @__PURE__ */ methodOf(
  Object.prototype,
  "propertyIsEnumerable",
)
