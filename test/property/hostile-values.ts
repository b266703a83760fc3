/**
 * Values that resist being looked at, made from recipes: plain data, which can be generated, printed, shortened and sent to another
 * thread. A thread that is given a recipe makes the value there.
 */
import { createContext, runInContext } from "node:vm"

export type Recipe =
  /** One of {@link EXOTICS}. */
  | { readonly is: "exotic"; readonly which: number }
  /** One of {@link REALMS}, made in another realm. */
  | { readonly is: "foreign"; readonly which: number }
  | { readonly is: "plain"; readonly keys: readonly string[]; readonly values: readonly Recipe[] }
  | { readonly is: "list" | "map" | "set" | "instance"; readonly values: readonly Recipe[] }
  /** With getters in the place of some members. What they throw is itself such a value. */
  | { readonly is: "unreadable"; readonly keys: readonly string[]; readonly inside: Recipe; readonly thrown: Recipe }
  /** With all traps, or some of them, which throw; or revoked, if there are none. */
  | { readonly is: "proxy"; readonly traps: readonly number[]; readonly target: Recipe; readonly thrown: Recipe }
  | {
      readonly is: "error"
      readonly type: number
      readonly unreadable: readonly string[]
      readonly fields: readonly Recipe[]
    }
  | { readonly is: "thenable"; readonly how: number; readonly value: Recipe }
  | { readonly is: "circle"; readonly value: Recipe }

/** Throws what it is given. */
function throwing(thrown: unknown): () => never {
  return () => {
    throw thrown
  }
}

class Instance {
  readonly #hidden: readonly unknown[]
  readonly values: readonly unknown[]
  constructor(values: readonly unknown[]) {
    this.values = values
    this.#hidden = values
  }
  get hidden(): unknown {
    return this.#hidden
  }
}

export const EXOTICS: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => -0,
  () => 10n ** 40n,
  () => "\u{1f600}\ud800",
  () => Symbol("exotic"),
  () => Symbol.iterator,
  () => throwing("called"), // does not return: as the `then` of an object it would never settle
  () => Instance,
  () => Object.create(null) as unknown,
  () => Object(Symbol("boxed")) as unknown,
  () => new WeakMap(),
  () => new WeakRef({}),
  () => Promise.resolve(1),
  () => [1].values(),
  () => (function* () {})(),
  () => (async function* () {})(),
  () => new Intl.Segmenter().segment("a"),
  () => Math,
  () => globalThis,
  () => new URL("http://a"),
  () => new AbortController().signal,
  () => new Date(NaN),
  () => /a/g,
  () => new Uint8Array(3),
  () => Object.defineProperty(new Uint8Array(3), "buffer", { get: throwing(1) }),
  () => Object.defineProperty(new Date(3), "getTime", { get: throwing(1) }),
  () => Object.setPrototypeOf(new Map([[1, 2]]), null) as unknown,
  () => Object.setPrototypeOf([1, 2, 3], Map.prototype) as unknown,
  () => Object.create(Date.prototype) as unknown,
  () => Object.create(Error.prototype) as unknown,
  () => Object.freeze(new Error("frozen")),
  () => Object.assign([1, , 3], { length: 2 ** 31 }), // oxlint-disable-line eslint/no-sparse-arrays -- that is what it is about
  () => Object.defineProperty([1, 2], 0, { get: throwing("element") }),
  () => ({ toString: throwing(1), valueOf: throwing(2), toJSON: throwing(3), [Symbol.toPrimitive]: throwing(4) }),
  () => ({ [Symbol.for("nodejs.util.inspect.custom")]: throwing(1) }),
  () => ({
    get constructor() {
      return throwing(1)()
    },
  }),
  () => Object.create({ constructor: Object.defineProperty(() => 1, "name", { get: throwing(1) }) }) as unknown,
  () => changing(),
]

/** Changes while it is being copied. */
function changing(): object {
  const object: Record<string, unknown> = {
    get first(): number {
      delete object["second"]
      object["third"] = () => 1
      return 1
    },
    second: 2,
  }
  return object
}

export const REALMS: readonly string[] = [
  "({ a: 1 })",
  "[1, [2]]",
  "new Map([[{}, 1]])",
  "new TypeError('foreign', { cause: new Error('inner') })",
  "Object.defineProperty(new Error('foreign'), 'stack', { get() { throw 1 } })",
  "new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })",
  "(function* () {})()",
  "(async function* () {})()",
  "[].values()",
  "new (class A { b = 1 })()",
  "Math",
  "globalThis",
  "new WeakMap()",
  "Object.create(null)",
  "new Uint8Array(3)",
  "new SharedArrayBuffer(8)",
  "Promise.resolve(1)",
  "({ get a() { throw new Error('foreign') } })",
  "(function () { return arguments })(1)",
  "Symbol('foreign')",
]

let realm: object | undefined

export const TRAPS = Object.getOwnPropertyNames(Reflect) as (keyof ProxyHandler<object>)[]

const ERRORS = [Error, TypeError, RangeError, ReferenceError, AggregateError, DOMException]

export const THENABLES = 4

export function make(recipe: Recipe): unknown {
  switch (recipe.is) {
    case "exotic":
      return EXOTICS[recipe.which]?.()
    case "foreign":
      return runInContext(REALMS[recipe.which] as string, (realm ??= createContext()))
    case "plain":
      return Object.fromEntries(recipe.keys.map((key, i) => [key, recipe.values[i] && make(recipe.values[i])]))
    case "list":
      return recipe.values.map(make)
    case "map":
      return new Map(recipe.values.map((value) => [make(value), make(value)]))
    case "set":
      return new Set(recipe.values.map(make))
    case "instance":
      return new Instance(recipe.values.map(make))
    case "unreadable":
      return unreadable(objectOf(recipe.inside), recipe.keys, make(recipe.thrown))
    case "proxy":
      return proxyOf(objectOf(recipe.target), recipe.traps, make(recipe.thrown))
    case "error":
      return errorOf(recipe.type, recipe.unreadable, recipe.fields.map(make))
    case "thenable":
      return thenable(recipe.how, make(recipe.value))
    case "circle":
      return circleOf(make(recipe.value))
  }
}

/** What it makes, or an object around it if that is none. */
function objectOf(recipe: Recipe): object {
  const made = make(recipe)
  return (typeof made === "object" && made !== null) || typeof made === "function" ? made : { made }
}

function unreadable(object: object, keys: readonly string[], thrown: unknown): object {
  // Not on what the runtime has once: that would be unreadable to everybody.
  const target = object === globalThis || object === Math ? {} : object
  for (const key of keys) {
    try {
      Reflect.defineProperty(target, key, { get: throwing(thrown), enumerable: true, configurable: true })
    } catch {
      // A proxy that does not let itself be changed, a view: it is hostile enough.
    }
  }
  return target
}

function proxyOf(target: object, traps: readonly number[], thrown: unknown): object {
  if (traps.length === 0) {
    const { proxy, revoke } = Proxy.revocable(target, {})
    revoke()
    return proxy
  }
  const handler: ProxyHandler<object> = {}
  for (const trap of traps) Object.assign(handler, { [TRAPS[trap] as string]: throwing(thrown) })
  return new Proxy(target, handler)
}

function errorOf(type: number, keys: readonly string[], fields: readonly unknown[]): unknown {
  const Type = ERRORS[type] ?? Error
  const error = Type === AggregateError ? new AggregateError(fields, "it") : new (Type as ErrorConstructor)("it")
  for (const [i, value] of fields.entries()) {
    Object.defineProperty(error, ["cause", "code", "detail"][i % 3] as string, {
      value,
      enumerable: true,
      configurable: true,
    })
  }
  return unreadable(error, keys, fields[0])
}

/** None that never settles: its future would rightly wait. */
function thenable(how: number, value: unknown): object {
  const rejecting = (_: unknown, reject: (reason: unknown) => void): void => reject(value)
  const then = [throwing(value), undefined, rejecting, 7][how]
  const property = how === 1 ? { get: throwing(value) } : { value: then, enumerable: true }
  // oxlint-disable-next-line unicorn/no-thenable -- that is what it is about
  return Object.defineProperty({ value }, "then", property)
}

function circleOf(value: unknown): object {
  const circle: Record<string, unknown> = { value }
  circle["self"] = circle
  return circle
}
