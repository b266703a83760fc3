/**
 * What an object is to a copy. As for `structuredClone`, that is a matter of what the engine made it, not of what it says:
 * neither of its prototype nor of its `Symbol.toStringTag`, which anybody can set.
 *
 * These questions take a while. So they are asked once for each class whose objects turn out to be ordinary ones.
 */
import { types } from "node:util"
import { isPromiseLike } from "../checks.ts"
import { isShareable } from "../memory/shareables.ts"
import { runtime } from "../time/runtime.ts"

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
  if (isShareable(value)) return "shareable"
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

const iterators: unknown = Object.getPrototypeOf(Object.getPrototypeOf([].values()))

function isForeign(value: object, prototype: object | null): boolean {
  if (types.isArgumentsObject(value) || types.isModuleNamespaceObject(value)) return true
  if (types.isKeyObject(value) || value === globalThis) return true
  if (prototype !== null && isGlobal(constructorIn(prototype))) return true
  for (let step = prototype; step !== null; step = Object.getPrototypeOf(step) as object | null) {
    if (step === iterators || isNative(constructorIn(step)) || isMarked(step)) return true
  }
  return false
}

/** Of the prototype itself, not of those behind it. */
function constructorIn(prototype: object): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, "constructor")
  return descriptor !== undefined && Object.hasOwn(descriptor, "value") ? descriptor.value : undefined
}

/** A class of the engine, or one that is written in another language. Those whose objects can be copied were asked for before. */
function isNative(type: unknown): boolean {
  if (typeof type !== "function" || type.name === "Object") return false
  return /\{\s*\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(type))
}

/** A class that the runtime brought along, like `URL`: what its objects are made of is hidden from us. */
function isGlobal(type: unknown): boolean {
  if (typeof type !== "function" || type.name === "Object") return false
  const global = Object.getOwnPropertyDescriptor(globalThis, type.name)
  // Those of the program, if it has any, were assigned.
  return (
    global !== undefined && global.enumerable !== true && (globalThis as Record<string, unknown>)[type.name] === type
  )
}

/** As Node marks those classes of its own of which it can clone or transfer the objects. */
function isMarked(prototype: object): boolean {
  return Object.getOwnPropertySymbols(prototype).some((symbol) => symbol.description?.startsWith("messaging_") === true)
}

/** Whether the runtime makes of it something of the same class. Some things it takes for plain objects, and so empties them. */
export function isClonedByRuntime(value: object): boolean {
  try {
    const copy = runtime.clone(value)
    return Object.getPrototypeOf(copy) === Object.getPrototypeOf(value)
  } catch {
    return false // the reason is told by whoever asked, with the place in the value
  }
}

const MOVABLE = /^(?:MessagePort|(?:Readable|Writable|Transform)Stream|FileHandle)$/

/** Whether the runtime can move it to another thread. */
export function isMovable(value: object): boolean {
  if (types.isArrayBuffer(value)) return true
  const { constructor } = value as { constructor?: { readonly name?: unknown } }
  return MOVABLE.test(String(constructor?.name))
}
