/**
 * Looking at values of the program: what its tasks throw and return, and what they are called with.
 *
 * Any look at such a value may run code of the program: a getter, a trap of a proxy, `toString`, `Symbol.hasInstance`,
 * `Error.prepareStackTrace`. That code may throw, and the error that it throws may resist being looked at in turn. So
 * corepool looks at values of the program through the functions of this file, wherever it has something left to do
 * afterwards.
 *
 * The contract of each of them: it never throws, whatever the value. If the value cannot be looked at, what the code of
 * the program has thrown is dropped, and the answer is the one that the comment of the function names.
 */
import { show } from "./checks.ts"

/** A property of the value; undefined if it cannot be read. */
export function propertyOf(value: unknown, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown> | null | undefined)?.[key]
  } catch {
    return undefined
  }
}

/** `value instanceof type`; false if the value does not let itself be asked. */
export function isInstance<T extends object>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/** Whether the value is an error of this realm; false if it does not let itself be asked. */
export function isError(value: unknown): value is Error {
  return isInstance(value, Error)
}

/**
 * What the value says of itself: its message, if it has one, as errors have; what it is, if it is another object. It is
 * not turned into text by itself: of an array with billions of holes, say, that would never end.
 */
export function messageOf(value: unknown): string {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return String(value)
  const message = propertyOf(value, "message")
  return typeof message === "string" ? message : show(value)
}

/** The value as text, as `String` has it; what it is, if it has no text, or is an array, whose text may be endless. */
export function textOf(value: unknown): string {
  try {
    return Array.isArray(value) ? show(value) : String(value)
  } catch {
    return show(value)
  }
}

/**
 * Gives the object a property, as an assignment would, but one that is seen by nobody else: no setter is called,
 * `__proto__` is a key as any other, and what is inherited does not matter, be it read-only. False if the object does
 * not take it.
 */
export function setOwn(object: object, key: PropertyKey, value: unknown, enumerable: boolean): boolean {
  try {
    return Reflect.defineProperty(object, key, dataDescriptor(value, enumerable))
  } catch {
    return false
  }
}

/**
 * Without a prototype: a program that has given all objects a `get` would turn every other descriptor into a
 * contradiction.
 */
export function dataDescriptor(value: unknown, enumerable: boolean): PropertyDescriptor {
  return { __proto__: null, value, enumerable, writable: true, configurable: true } as PropertyDescriptor
}
