/**
 * What a thread has once, however many copies of corepool are loaded in it. A bundler puts a copy into each bundle: the
 * thread's entry may come with one, and the module of a task with another. To them it is still one thread, with one
 * park word, one current flow and one list of registered classes; otherwise a task could not ask whether it was
 * interrupted.
 *
 * They find each other by a symbol of the global scope that names the version. Copies of different versions do not:
 * what they keep, and how it lies in shared memory, may differ. To each of them the other's threads are strangers.
 *
 * What is kept here are objects with methods of the copy that came first. They are used by their methods only, never
 * tested by `instanceof`.
 */

import { apply, isInstanceOf } from "./primordials.ts"

/** The version of the package. */
export const VERSION = "0.1.0"

const KEY = Symbol.for(`corepool@${VERSION}`)

/**
 * A property that stays: a task that deletes or replaces what it finds in the global scope would give its thread a
 * second corepool.
 */
if (!(KEY in globalThis)) {
  Object.defineProperty(globalThis, KEY, { __proto__: null, value: new Map() } as PropertyDescriptor)
}
const registry = (globalThis as Record<symbol, unknown>)[KEY] as Map<string, unknown>

/** What the first copy has made under this name. */
export function perThread<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make())
  return registry.get(name) as T
}

interface Class {
  readonly name: string
  readonly prototype: object
}

/**
 * The classes of copies that a bundler has taken apart, so that not even their files are the same: see {@link
 * joinCopies}.
 */
export const strayClasses = (): Class[] => perThread<Class[]>("classes of copies", () => [])

/** From a prototype to those of all classes that are the same to a user. */
const kin = (): WeakMap<object, Set<object>> => perThread("kin", () => new WeakMap<object, Set<object>>())

/**
 * Makes the classes of such copies, those that are loaded and those that come later, one with the classes of the same
 * names in `part`, as far as `instanceof` goes. A thread with one copy has nothing of that, and its `instanceof` is as
 * fast as any.
 */
export function joinCopies(part: Readonly<Record<string, unknown>>): void {
  const strays = strayClasses()
  const join = (stray: Class): void => {
    const own = part[stray.name]
    if (typeof own === "function") joinClasses(stray, own)
  }
  strays.forEach(join)
  const push = strays.push
  strays.push = (...more) => {
    more.forEach(join)
    return apply(push, strays, more)
  }
}

function joinClasses(one: Class, other: Class): void {
  const all = kin().get(one.prototype) ?? kin().get(other.prototype) ?? new Set<object>()
  for (const type of [one, other]) {
    all.add(type.prototype)
    kin().set(type.prototype, all)
    Object.defineProperty(type, Symbol.hasInstance, { value: isOfKin, configurable: true })
  }
}

/** Classes that extend one of these inherit the method, and have no kin. */
function isOfKin(this: Class, value: unknown): boolean {
  if (isInstanceOf(this, value)) return true
  const all = kin().get(this.prototype)
  if (typeof value !== "object" || all === undefined) return false
  for (let prototype: unknown = value; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    if (all.has(prototype as object)) return true
  }
  return false
}
