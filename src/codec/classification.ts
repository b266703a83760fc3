/**
 * How the codec treats an object. As for `structuredClone`, that depends on what the engine made it, neither on its
 * prototype nor on its `Symbol.toStringTag`, which any code can set.
 *
 * These checks take a while. So they are made once for each class whose objects turn out to be ordinary ones.
 */
import { types } from "#host/values/values"
import { isPromiseLike } from "../checks.ts"
import { isLocal, isPart, isShareable } from "../memory/shared/shareables.ts"
import { runtime } from "#host/runtime/clock"
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
  /** A part of a shared object. */
  | "part"
  /** An object of corepool that is of no use in another thread. */
  | "local"
  | "promise"
  /** Made by the runtime: only the runtime knows whether it can be copied. */
  | "foreign"

const plainPrototypes = new WeakSet()

/** For objects that are no array, no view and no proxy. */
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

/** Whether the runtime clones it to an object of the same class. It takes some for plain objects, and empties them. */
export function isClonedByRuntime(value: object): boolean {
  try {
    const copy = runtime.clone(value)
    return Object.getPrototypeOf(copy) === Object.getPrototypeOf(value)
  } catch {
    return false // the caller reports the reason, with the place in the value
  }
}
