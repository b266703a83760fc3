/**
 * What an object is to a copy. As for `structuredClone`, that is a matter of what the engine made it, not of what it
 * says: neither of its prototype nor of its `Symbol.toStringTag`, which anybody can set.
 *
 * These questions take a while. So they are asked once for each class whose objects turn out to be ordinary ones.
 */
import { types } from "node:util"
import { isPromiseLike } from "../checks.ts"
import { isLocal, isPart, isShareable } from "../memory/shared/shareables.ts"
import { runtime } from "../time/runtime.ts"
import { isForeign } from "./foreign.ts"

export type Classification =
  | "plain"
  | "map"
  | "set"
  | "date"
  | "regexp"
  | "buffer"
  | "error"
  | "boxed"
  | "shareable"
  /** Of a shared object. */
  | "part"
  /** Of ours, and of no use in another thread. */
  | "local"
  | "promise"
  /** Of the runtime: whether it can be copied, only the runtime knows. */
  | "foreign"

const plainPrototypes = new WeakSet()

/** For what is no array, no view and no proxy. */
export function classify(value: object, prototype: object | null): Classification {
  if (prototype !== null && plainPrototypes.has(prototype)) return "plain"
  const answer = ask(value, prototype)
  if (answer === "plain" && prototype !== null) plainPrototypes.add(prototype)
  return answer
}

function ask(value: object, prototype: object | null): Classification {
  if (isPart(value)) return "part"
  if (isShareable(value)) return "shareable"
  if (isLocal(value)) return "local"
  if (types.isMap(value)) return "map"
  if (types.isSet(value)) return "set"
  if (types.isDate(value)) return "date"
  if (types.isRegExp(value)) return "regexp"
  if (types.isAnyArrayBuffer(value)) return "buffer"
  if (types.isNativeError(value) || value instanceof Error) return "error"
  if (types.isBoxedPrimitive(value)) return "boxed"
  if (types.isPromise(value) || isPromiseLike(value)) return "promise"
  return isForeign(value, prototype) ? "foreign" : "plain"
}

/**
 * Whether the runtime makes of it something of the same class. Some things it takes for plain objects, and so empties
 * them.
 */
export function isClonedByRuntime(value: object): boolean {
  try {
    const copy = runtime.clone(value)
    return Object.getPrototypeOf(copy) === Object.getPrototypeOf(value)
  } catch {
    return false // the reason is told by whoever asked, with the place in the value
  }
}
