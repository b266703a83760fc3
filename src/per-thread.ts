/**
 * State that a thread has once, however many copies of corepool are loaded in it. A bundler puts a copy into each
 * bundle: the thread's entry may come with one, and the module of a task with another. To all copies it is still one
 * thread, with one park word, one current flow and one list of registered classes; otherwise a task could not ask
 * whether it was interrupted.
 *
 * The copies find each other by a symbol of the global scope that names the version. Copies of different versions do
 * not: their state, and its layout in shared memory, may differ. A copy does not know the threads of another version.
 *
 * The state consists of objects with methods of the copy that came first. The other copies call these methods only, and
 * never test the objects by `instanceof`.
 */

import { apply, isInstanceOf } from "./primordials.ts"

/** The version of the package. */
export const VERSION = "0.1.0"

const KEY = Symbol.for(`corepool@${VERSION}`)

/**
 * Neither configurable nor writable: a task that deletes or replaces what it finds in the global scope would give its
 * thread a second corepool.
 */
if (!(KEY in globalThis)) {
  Object.defineProperty(globalThis, KEY, { __proto__: null, value: new Map() } as PropertyDescriptor)
}
/** Published files of code store their exports in it too: see tools/bundle/chunks.ts. */
export const registry: Map<string, unknown> = (globalThis as Record<symbol, unknown>)[KEY] as Map<string, unknown>

/** The value that the first copy has made under this name. */
export function perThread<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make())
  return registry.get(name) as T
}

interface Class {
  readonly name: string
  readonly prototype: object
}

/**
 * The classes of copies whose modules a bundler has split up, so that not even their files are the same: see {@link
 * joinCopies}.
 */
export const strayClasses = (): Class[] => perThread<Class[]>("classes of copies", () => [])

/** Maps a prototype to the prototypes of all classes that are the same to a user. */
const kin = (): WeakMap<object, Set<object>> => perThread("kin", () => new WeakMap<object, Set<object>>())

/**
 * Makes `instanceof` treat the classes of such copies, loaded already or later, as the classes of the same names in
 * `part`. A thread with one copy is unaffected, and its `instanceof` is as fast as any.
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

/** A class that extends one of these inherits the method, and has no entry in `kin`. */
function isOfKin(this: Class, value: unknown): boolean {
  if (isInstanceOf(this, value)) return true
  const all = kin().get(this.prototype)
  if (typeof value !== "object" || all === undefined) return false
  for (let prototype: unknown = value; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    if (all.has(prototype as object)) return true
  }
  return false
}
