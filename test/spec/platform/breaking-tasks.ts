/**
 * Tasks that break built-in objects of their thread, and tasks that come after them. The latter use no global object and no method, so that whatever happens to them is
 * the doing of corepool. What the former need they have taken in time.
 */
import { task, transfer } from "corepool"
import { threadId as idOfThread } from "node:worker_threads"

const { defineProperty, deleteProperty, get, getOwnPropertyDescriptor, getPrototypeOf, ownKeys } = Reflect
const { load, store } = Atomics
const { setTimeout: startTimeout } = globalThis
const world = globalThis

/**
 * Deletes it, overwrites it with undefined, or replaces it by a function that throws. A getter of a built-in object becomes one that throws, but in the last
 * two ways: then it is overwritten with undefined, or with a function.
 */
export type Way = "delete" | "undefined" | "throw" | "value" | "function"

/** The object and the key that a path names: `Array.prototype.map`; `^` stands for the prototype of an object, `@@iterator` for a symbol. */
function ownerAndKey(path: string): [owner: object, key: PropertyKey] {
  let owner: object = world
  let step = ""
  for (let i = 0; i <= path.length; i++) {
    const encoded = path[i]
    if (encoded === undefined) break
    if (encoded !== ".") step += encoded
    else {
      owner = valueAt(owner, step)
      step = ""
    }
  }
  return [owner, symbols[step] ?? step]
}

function valueAt(owner: object, key: PropertyKey): object {
  return (key === "^" ? getPrototypeOf(owner) : get(owner, key)) as object
}

const symbols: Record<string, symbol> = { __proto__: null } as never
for (const name of Object.getOwnPropertyNames(Symbol)) {
  const value: unknown = Reflect.get(Symbol, name)
  if (typeof value === "symbol") symbols[`@@${name}`] = value
}

let saved: { owner: object; key: PropertyKey; before: PropertyDescriptor | undefined } | undefined

function refuse(): never {
  throw { message: "replaced" } // oxlint-disable-line typescript/only-throw-error -- there may be no Error
}

function breakOne(owner: object, key: PropertyKey, way: Way): void {
  if (way === "delete") {
    deleteProperty(owner, key)
    return
  }
  const isGetter =
    way !== "value" && way !== "function" && owner !== world && getOwnPropertyDescriptor(owner, key)?.get !== undefined
  const means = isGetter
    ? { get: refuse }
    : { value: way === "undefined" || way === "value" ? undefined : refuse, writable: true }
  defineProperty(owner, key, { __proto__: null, ...means, configurable: true } as object)
}

export const breakAt = task(import.meta.url, function breakAt(path: string, way: Way): void {
  const [owner, key] = ownerAndKey(path)
  saved = { owner, key, before: getOwnPropertyDescriptor(owner, key) }
  breakOne(owner, key, way)
})

/** Does that when its thread has nothing to do and sleeps, and says so: the event loop of the thread goes round then. */
export const breakLater = task(
  import.meta.url,
  function breakLater(path: string, way: Way, isBroken: Int32Array): void {
    const act = (): void => {
      breakAt(path, way)
      store(isBroken, 0, 1)
    }
    startTimeout(() => startTimeout(act, 10), 1)
  },
)

export const breakAll = task(import.meta.url, function breakAll(way: Way): void {
  const keys = ownKeys(world)
  for (let i = 0; i < keys.length; i++) {
    try {
      breakOne(world, keys[i] as PropertyKey, way)
    } catch {
      // Node loads some of these when they are touched for the first time, and then fails itself. They are gone all the same.
    }
  }
})

/** Of a thread that was replaced meanwhile there is nothing to restore. */
export const restore = task(import.meta.url, function restore(): void {
  if (saved?.before !== undefined) defineProperty(saved.owner, saved.key, saved.before)
  saved = undefined
})

/** The paths of all global objects that can be deleted or overwritten. */
export const globalPaths = task(import.meta.url, function globalPaths(): string[] {
  return ownKeys(world).filter((key): key is string => {
    const { configurable, writable } = getOwnPropertyDescriptor(world, key) as PropertyDescriptor
    return typeof key === "string" && !key.includes(".") && (configurable === true || writable === true)
  })
})

/** The paths of the functions and getters of the object at this path, and of its prototype property. */
export const methodPaths = task(import.meta.url, function methodPaths(name: string): string[] {
  const paths: string[] = []
  const add = (path: string, object: object): void => {
    for (const key of ownKeys(object)) {
      const property = getOwnPropertyDescriptor(object, key) as PropertyDescriptor
      const isFunction = typeof property.value === "function" || property.get !== undefined
      if (property.configurable !== true || !isFunction) continue
      if (typeof key === "string") paths.push(`${path}.${key}`)
      else for (const known of ownKeys(symbols) as string[]) if (symbols[known] === key) paths.push(`${path}.${known}`)
    }
  }
  const [owner, key] = ownerAndKey(name)
  const object = valueAt(owner, key)
  add(name, object)
  const prototype = getOwnPropertyDescriptor(object, "prototype")?.value as object | undefined
  if (prototype !== undefined) add(`${name}.prototype`, prototype)
  return paths
})

// ------------------------------------------------------------------ those that come after them

export const increment = task(import.meta.url, function increment(n: number): number {
  return n + 1
})

export const later = task(import.meta.url, async function later(n: number): Promise<number> {
  await (async () => undefined)()
  return n
})

export const wrap = task(import.meta.url, function wrap(value: unknown): object {
  return { value, list: [1, "two", { three: 3 }] }
})

export const same = task(import.meta.url, function same(value: unknown): unknown {
  return value
})

export const readNull = task(import.meta.url, function readNull(): unknown {
  return (null as unknown as { field: unknown }).field
})

export const threadId = task(import.meta.url, function threadId(): number {
  return idOfThread
})

export const throwWithFields = task(import.meta.url, function throwWithFields(message: string): never {
  const error = new RangeError(message, { cause: { since: new Date(1) } }) as RangeError & { code?: string }
  error.code = "E1"
  throw error
})

export const moved = task(import.meta.url, function moved(length: number): Uint8Array {
  return transfer(new Uint8Array(length).fill(7))
})

/** Says that it has begun. */
/**
 * Says in word 0 that it has begun. Word 1 is set when the test is over: a runtime may not stop a thread that computes, and tests
 * would go on beside all threads of those before.
 */
export const endless = task(import.meta.url, function endless(words: Int32Array): void {
  store(words, 0, 1)
  while (load(words, 1) === 0);
})
