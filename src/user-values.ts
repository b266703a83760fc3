/**
 * Access to values of the program: what its tasks throw and return, and their arguments.
 *
 * Any access to such a value may run code of the program: a getter, a trap of a proxy, `toString`,
 * `Symbol.hasInstance`, `Error.prepareStackTrace`. That code may throw, and access to the thrown error may throw in
 * turn. So corepool uses the functions of this file on values of the program, wherever it has something left to do
 * afterwards.
 *
 * The contract of each function: it never throws, whatever the value. If the program's code throws, that error is
 * dropped, and the function returns the answer that its comment names.
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

/** `value instanceof type`; false if that throws. */
export function isInstance<T extends object>(value: unknown, type: abstract new (...args: never[]) => T): value is T {
  try {
    return value instanceof type
  } catch {
    return false
  }
}

/** Whether the value is an error of this realm; false if asking throws. */
export function isError(value: unknown): value is Error {
  return isInstance(value, Error)
}

/**
 * The message of the value, if it has one, as errors have; for any other object the description by {@link show}. An
 * object is not converted to text: for an array with billions of holes, say, that would never end.
 */
export function messageOf(value: unknown): string {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return String(value)
  const message = propertyOf(value, "message")
  return typeof message === "string" ? message : show(value)
}

/**
 * The value as text, by `String`; the description by {@link show} if that throws, or for an array, whose text may be
 * endless.
 */
export function textOf(value: unknown): string {
  try {
    return Array.isArray(value) ? show(value) : String(value)
  } catch {
    return show(value)
  }
}

/**
 * Gives the object an own property, as an assignment would, but without side effects: no setter is called, `__proto__`
 * is a key as any other, and an inherited property does not matter, even a read-only one. False if the object refuses
 * it.
 */
export function setOwn(object: object, key: PropertyKey, value: unknown, enumerable: boolean): boolean {
  try {
    return Reflect.defineProperty(object, key, dataDescriptor(value, enumerable))
  } catch {
    return false
  }
}

/**
 * The descriptor has no prototype: a program that has given all objects a `get` would make every other descriptor
 * contradictory.
 */
export function dataDescriptor(value: unknown, enumerable: boolean): PropertyDescriptor {
  return { __proto__: null, value, enumerable, writable: true, configurable: true } as PropertyDescriptor
}
