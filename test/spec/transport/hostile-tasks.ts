/** Tasks whose outcomes resist being looked at. */
import type { AtomicInteger, ExecutorService } from "corepool"
import { task } from "corepool"
import { registerClass } from "#src/codec/revival.js"

/** Throws when it is called: as a getter, as a trap, as anything. */
function bite(): never {
  throw new RangeError("bitten")
}

/** A proxy of which every look throws. */
function spiteful(target: object): object {
  const traps = Object.getOwnPropertyNames(Reflect).map((name) => [name, bite])
  return new Proxy(target, Object.fromEntries(traps) as ProxyHandler<object>)
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function withGetter(target: object, key: PropertyKey): object {
  // Without a prototype: what all objects inherit may be spoilt.
  const descriptor = { __proto__: null, get: bite, enumerable: true, configurable: true } as PropertyDescriptor
  return Object.defineProperty(target, key, descriptor)
}

export type Hostile = keyof typeof makers

const makers = {
  "unreadable stack": () => withGetter(new Error("it"), "stack"),
  "unreadable message": () => withGetter(new Error("it"), "message"),
  "unreadable name": () => withGetter(new Error("it"), "name"),
  "unreadable field": () => withGetter(new Error("it"), "field"),
  "unreadable errors": () => withGetter(new AggregateError([], "it"), "errors"),
  "unreadable constructor": () => withGetter(new Error("it"), "constructor"),
  "error of itself": () => Object.assign(new Error("it"), { cause: spiteful({}), more: revoked({}) }),
  "proxy of an error": () => new Proxy(new Error("it"), {}),
  "revoked proxy": () => revoked({}),
  "revoked function": () => revoked(() => 1),
  "revoked error": () => revoked(new Error("it")),
  "spiteful proxy": () => spiteful({}),
  "spiteful error": () => spiteful(new Error("it")),
  "spiteful inside": () => ({ a: [spiteful({})] }),
  "unreadable member": () => withGetter({}, "a"),
  "getter that throws a proxy": () => Object.defineProperty({}, "a", { get: throwRevoked, enumerable: true }),
  "getter that throws no text": () => Object.defineProperty({}, "a", { get: throwTextless, enumerable: true }),
  "unreadable then": () => withGetter({}, "then"),
  textless: () => Object.create(null) as object,
  "bad text": () => ({ toString: bite, [Symbol.toPrimitive]: bite, toJSON: bite }),
  "bad inspection": () => ({ [Symbol.for("nodejs.util.inspect.custom")]: bite }),
}

function throwRevoked(): never {
  throw revoked({}) as Error
}

function throwTextless(): never {
  throw Object.create(null)
}

export const KINDS = Object.keys(makers) as Hostile[]

export function throwIt(kind: Hostile): never {
  throw makers[kind]() as Error
}

export function returnIt(kind: Hostile): unknown {
  return makers[kind]()
}

export async function throwLater(kind: Hostile): Promise<never> {
  await Promise.resolve()
  throw makers[kind]() as Error
}

/** In an object: a promise cannot be fulfilled with what has an unreadable `then`. */
export async function returnLater(kind: Hostile): Promise<unknown> {
  await Promise.resolve()
  return { it: makers[kind]() }
}

/** What a task may do to its thread. */
export const spoilers: Record<string, () => void> = {
  "Error.prepareStackTrace": () => {
    Error.prepareStackTrace = bite
  },
  "Object.prototype.get": () => {
    ;(Object.prototype as { get?: unknown }).get = bite
  },
  "Object.prototype.value": () => {
    withGetter(Object.prototype, "value")
  },
  "Error[Symbol.hasInstance]": () => {
    withGetter(Error, Symbol.hasInstance)
  },
  "Error.stackTraceLimit": () => {
    Object.defineProperty(Error, "stackTraceLimit", { value: 10, writable: false })
  },
}

export function spoilAndThrow(what: string): never {
  spoilers[what]?.()
  throw new TypeError("it")
}

export function spoilAndReturn(what: string, value: unknown): unknown {
  spoilers[what]?.()
  return value
}

// ------------------------------------------------------------------ code that runs while the outcome is written down

/** Does not return; it has said so before. */
export function endless(entered: AtomicInteger): object {
  return {
    get never(): never {
      entered.set(1)
      for (;;);
    },
  }
}

export function endsThread(): object {
  return {
    get never(): never {
      return process.exit(3)
    },
  }
}

class Endless {
  entered: AtomicInteger
  constructor(entered: AtomicInteger) {
    this.entered = entered
  }
}
registerClass(Endless, {
  encode({ entered }) {
    entered.set(1)
    for (;;);
  },
})

export function endlessEncoding(entered: AtomicInteger): object {
  return new Endless(entered)
}

export const double = task(import.meta.url, function double(n: number): number {
  return 2 * n
})

/** Submits a task, and waits for it, while its result is written down. */
export function calling(pool: ExecutorService): object {
  return {
    get sum(): number {
      return pool.submit(double, 3).getSync() + 1
    },
  }
}
