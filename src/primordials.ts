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
