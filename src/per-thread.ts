/**
 * What a thread has once, however many copies of corepool are loaded in it. A bundler puts a copy into each bundle: the
 * thread's entry may come with one, and the module of a task with another. To them it is still one thread, with one park
 * word, one current flow and one list of registered classes; otherwise a task could not ask whether it was interrupted.
 *
 * They find each other by a symbol of the global scope that names the version. Copies of different versions do not: what
 * they keep, and how it lies in shared memory, may differ. To each of them the other's threads are strangers.
 *
 * What is kept here are objects with methods of the copy that came first. They are used by their methods only, never tested
 * by `instanceof`.
 */

/** The version of the package. */
export const VERSION = "0.1.0"

const KEY = Symbol.for(`corepool@${VERSION}`)

/** A property that stays: a task that deletes or replaces what it finds in the global scope would give its thread a second corepool. */
if (!(KEY in globalThis)) {
  Object.defineProperty(globalThis, KEY, { __proto__: null, value: new Map() } as PropertyDescriptor)
}
const registry = (globalThis as Record<symbol, unknown>)[KEY] as Map<string, unknown>

/** What the first copy has made under this name. */
export function perThread<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make())
  return registry.get(name) as T
}
