/**
 * Functions of the runtime as they were when this file was loaded: in a thread, before any task could replace them.
 *
 * A program may remove `Function.prototype.call`, or `apply`, or `bind`, and any function may have members of these
 * names of its own. So the code of corepool calls a function with a receiver by the exports of this file, and never by
 * `fn.call(…)`. [PL62]
 */
// oxlint-disable typescript/unbound-method -- they are called with a receiver

const { bind, call, toString, [Symbol.hasInstance]: hasInstance } = Function.prototype

/** Calls the function with this receiver, as `fn.apply(receiver, args)` does. */
export const apply: typeof Reflect.apply = Reflect.apply

/**
 * Turns a function into one whose first argument is the receiver: a bound `Function.prototype.call`, which V8 compiles
 * to a direct call. It costs a third of what `apply` costs.
 */
const uncurry = /* @__PURE__ */ bind.bind(call) as (fn: unknown) => (receiver: unknown, ...args: unknown[]) => unknown

/** As `fn.bind(receiver, ...args)`. */
export const boundTo: <P extends unknown[], A extends unknown[], R>(
  fn: (...args: [...P, ...A]) => R,
  receiver: unknown,
  ...args: P
) => (...args: A) => R = /* @__PURE__ */ uncurry(bind) as never

/** A method of the prototype, as a function whose first argument is the object that has the method. */
export function methodOf<P, K extends keyof P>(prototype: P, name: K): Uncurried<P, P[K]> {
  return uncurry(prototype[name]) as Uncurried<P, P[K]>
}

type Uncurried<P, M> = M extends (...args: infer A) => infer R ? (object: P, ...args: A) => R : never

/** A getter of the prototype, as a function whose argument is the object. */
export function getterOf(prototype: object, name: PropertyKey): (object: object) => unknown {
  return uncurry(Object.getOwnPropertyDescriptor(prototype, name)?.get)
}

/** The text of a function, or of a class. */
export const sourceText: (fn: object) => string = /* @__PURE__ */ uncurry(toString) as never

/** `value instanceof type`, as for classes that have no `Symbol.hasInstance` of their own. */
export const isInstanceOf: (type: object, value: unknown) => boolean = /* @__PURE__ */ uncurry(hasInstance) as never

/**
 * A subclass whose prototype has the methods itself. So a task that replaces a method of `Map.prototype` does not reach
 * the maps of corepool. A replacement that does nothing would lose a wake-up, and nothing would show that.
 */
function withOwnMethods<T extends abstract new (...args: never[]) => object>(type: T): T {
  // @ts-expect-error -- a mixin takes any arguments
  const own = class extends type {}
  for (const key of Reflect.ownKeys(type.prototype as object)) {
    if (key === "constructor") continue
    const method = Object.getOwnPropertyDescriptor(type.prototype, key) as PropertyDescriptor
    Object.defineProperty(own.prototype, key, method)
  }
  return own
}

/** A Map of corepool itself. The maps that tasks get are of the class Map. */
export const OwnMap: typeof Map = /* @__PURE__ */ withOwnMethods(Map)

/** A Set of corepool itself. */
export const OwnSet: typeof Set = /* @__PURE__ */ withOwnMethods(Set)

/** As `list.push(…values)`, `list.pop()` and `list.splice(start, count)`, whatever a task has put in their place. */
export const push: <T>(list: T[], ...values: T[]) => number = /* @__PURE__ */ methodOf(Array.prototype, "push") as never
export const pop: <T>(list: T[]) => T | undefined = /* @__PURE__ */ methodOf(Array.prototype, "pop") as never
export const splice: <T>(list: T[], start: number, count?: number) => T[] = /* @__PURE__ */ methodOf(
  Array.prototype,
  "splice",
) as never

/** A stack that calls no method of arrays. On hot paths that is faster than `push` and `pop` above. */
export class Stack<T> {
  readonly #items: (T | undefined)[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: T): void {
    this.#items[this.#size++] = item
  }

  pop(): T | undefined {
    if (this.#size === 0) return undefined
    const item = this.#items[--this.#size]
    this.#items[this.#size] = undefined // so that it can be collected
    return item
  }
}
