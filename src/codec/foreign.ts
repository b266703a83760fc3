/**
 * Foreign objects: objects of the engine and of the runtime whose data is not in their properties. `structuredClone`
 * knows some of them; others it refuses, or turns into empty objects. So they have to be recognised, in all realms, and
 * are refused unless the runtime can copy or move them: data must not be lost without an error.
 *
 * Instances of the program's own classes are copied by their properties, whatever they have in private fields: see
 * codec.md.
 */
import { DATA, HIDDEN, hiddenName, isOfModule, valueIn } from "#host/values/classes"
import { types } from "#host/values/values"
import { show } from "../checks.ts"
import { sourceText } from "../primordials.ts"
import { propertyOf } from "../user-values.ts"

/** Whether it is such an object. It must be no array, view, map, set, date, error, and so on. */
export function isForeign(value: object, prototype: object | null): boolean {
  if (types.isArgumentsObject(value) || types.isModuleNamespaceObject(value)) return true
  if (types.isGeneratorObject(value) || types.isKeyObject(value) || value === globalThis) return true
  for (let step = prototype; step !== null; step = Object.getPrototypeOf(step) as object | null) {
    if (iterators.has(step) || isMarked(step) || isIterator(step) || isSegments(step)) return true
    const isOpen = isData(step) || (step !== prototype && isMeantForSubclasses(step))
    if (!isOpen && (isNative(valueIn(step, "constructor")) || isOfRuntime(step))) return true
  }
  return false
}

const asyncIterator = (async function* () {})()

/**
 * The prototypes that all iterators of this realm inherit from, also those of a program: `next` alone does not make an
 * iterator of the engine.
 */
const iterators = new Set<unknown>([
  Object.getPrototypeOf(Object.getPrototypeOf([].values())),
  Object.getPrototypeOf(Object.getPrototypeOf(Object.getPrototypeOf(asyncIterator))),
])

/**
 * Whether it is a class of the engine, or one written in another language. Classes whose objects can be copied were
 * checked before.
 */
function isNative(type: unknown): boolean {
  if (typeof type !== "function" || propertyOf(type, "name") === "Object") return false
  return /\{\s*\[native code\]\s*\}\s*$/.test(sourceText(type))
}

/**
 * Whether iterators of the engine, of any realm, inherit from this. A class is recognised by its constructor instead.
 */
function isIterator(prototype: object): boolean {
  return typeof valueIn(prototype, "constructor") !== "function" && isNative(valueIn(prototype, "next"))
}

/** The result of `segment()` of an Intl.Segmenter has no class. */
function isSegments(prototype: object): boolean {
  return isNative(valueIn(prototype, "containing")) && isNative(valueIn(prototype, Symbol.iterator))
}

/** Node marks those of its classes whose objects it can clone or transfer. */
function isMarked(prototype: object): boolean {
  return Object.getOwnPropertySymbols(prototype).some((symbol) => symbol.description?.startsWith("messaging_") === true)
}

// ------------------------------------------------------------------ namespaces

/** Whether it is `Math`, `JSON` or another object of the language, of any realm, that only has methods. */
export function isNamespace(object: object): boolean {
  const descriptor = Object.getOwnPropertyDescriptor(object, Symbol.toStringTag)
  return descriptor?.writable === false && NAMESPACES.test(String(valueIn(object, Symbol.toStringTag)))
}

const NAMESPACES = /^(?:Math|JSON|Reflect|Atomics|Intl|WebAssembly)$/

// ------------------------------------------------------------------ classes of the runtime

/** Whether its class is one of the runtime, like `URL` or the class of timers: the data of its objects is hidden. */
function isOfRuntime(prototype: object): boolean {
  return isGlobal(valueIn(prototype, "constructor")) || isOfModule(prototype)
}

/** Programs derive classes from these, whose objects are copied by the properties that the program adds. */
function isMeantForSubclasses(prototype: object): boolean {
  return /^(?:EventEmitter|EventTarget)$/.test(nameOfClass(prototype))
}

/** Whether the objects of its class are only data, even if the class is native, as in Bun. */
function isData(prototype: object): boolean {
  return DATA.test(nameOfClass(prototype))
}

function nameOfClass(prototype: object): string {
  const name = propertyOf(valueIn(prototype, "constructor"), "name")
  return typeof name === "string" ? name : ""
}

function isGlobal(type: unknown): boolean {
  const name = typeof type === "function" ? propertyOf(type, "name") : undefined
  if (typeof name !== "string" || name === "Object") return false
  const global = Object.getOwnPropertyDescriptor(globalThis, name)
  // A class that the program has put there was assigned, and so is enumerable.
  return global !== undefined && global.enumerable !== true && propertyOf(globalThis, name) === type
}

// ------------------------------------------------------------------ in words

/** What an error message calls it. Many of these have no class, but the language gives them a name. */
export function describe(value: object): string {
  if (value === globalThis) return "globalThis"
  const shown = show(value)
  if (shown.endsWith(HIDDEN)) return `an instance of ${hiddenName(value)}`
  // Iterators of the language inherit the constructor `Iterator`, where there is that class; their tags say more.
  if (shown !== "an instance of Object" && shown !== "an instance of Iterator") return shown
  if (types.isModuleNamespaceObject(value)) return "a module"
  if (isSegments(Object.getPrototypeOf(value) as object)) return "an instance of Segments"
  const tag = propertyOf(value, Symbol.toStringTag)
  if (typeof tag !== "string") return shown
  return NAMESPACES.test(tag) ? tag : `an instance of ${tag}`
}
