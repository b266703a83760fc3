/** Classes of the browser, such as those of elements and requests: the data of their objects is hidden. */
import { sourceText } from "../../../primordials.ts"

/** The value of an own property; undefined if it has a getter. */
export function valueIn(object: object, key: PropertyKey): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(object, key)
  return descriptor !== undefined && Object.hasOwn(descriptor, "value") ? descriptor.value : undefined
}

/** Whether this is the prototype of a class that the browser has, and not the language. */
export function isOfModule(prototype: object): boolean {
  const type = valueIn(prototype, "constructor")
  return typeof type === "function" && !OF_LANGUAGE.has(type) && /\[native code\]\s*\}$/.test(sourceText(type))
}

const OF_LANGUAGE: ReadonlySet<unknown> = new Set<unknown>([Object, Array, Function, Error, Map, Set, Date, RegExp])

/** No class is called so here. */
export const HIDDEN = ""

export function hiddenName(_value: object): string {
  return "a class of the browser"
}

/** No class of the browser is only data. */
export const DATA: RegExp = /(?!)/
