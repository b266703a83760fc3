import { requireFunction, requireOptions, requireString, typeError, wrongType } from "../checks.ts"
import { NoSuchElementError } from "../errors.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { type Binding, type Bindings, currentBindings, within } from "./context.ts"
import { keyAbove } from "./value-key.ts"

/** Settings of {@link ScopedValue.newInstance}. */
export interface ScopedValueOptions {
  /**
   * The name of the value, which no other scoped value of the program has. All threads that make a scoped value of this
   * name mean the same one. Without a name threads know it by the position in its module.
   */
  readonly name?: string
}

/** Only {@link ScopedValue} has it. */
const MAKE = /* @__PURE__ */ Symbol("make")

/**
 * A value that is bound for the time of a call, and not passed as an argument: the user of a request, a deadline, a
 * transaction. The binding holds for the function, for all that it calls and awaits, and for all forks of scopes that
 * it opens, on whatever thread they run. It cannot be changed: only bound anew, for the time of an inner call.
 *
 * Threads of their own have copies of the values. Each finds the binding by the position of `newInstance()` in its
 * module, so make scoped values at the top level of a module that is not the program's entry, or give them names.
 *
 * A task that was submitted to an executor, and not forked, inherits nothing, as in Java.
 *
 * @example
 * ```ts
 * import { ScopedValue, StructuredTaskScope } from "corepool"
 *
 * const user = ScopedValue.newInstance<string>()
 *
 * const greeting = await ScopedValue.where(user, "Ada").call(async () => {
 *   await using scope = StructuredTaskScope.open()
 *   const hello = scope.fork(async () => `hello ${user.get()}`)
 *   await scope.join()
 *   return hello.get()
 * })
 * console.log(greeting) // => hello Ada
 * console.log(user.isBound) // => false
 * ```
 */
export class ScopedValue<T> {
  readonly #key: string
  readonly #label: string

  /** Made by {@link ScopedValue.newInstance}. */
  private constructor(make: typeof MAKE, key: string, label: string) {
    if (make !== MAKE) throw wrongType("A ScopedValue is made by ScopedValue.newInstance(), not by `new`")
    this.#key = key
    this.#label = label
  }

  /** A scoped value, at first not bound. */
  static newInstance<T>(this: void, options: ScopedValueOptions = {}): ScopedValue<T> {
    const { name } = requireOptions("options", options, { name: true })
    if (name === undefined) return new ScopedValue<T>(MAKE, keyAbove(ScopedValue.newInstance), "")
    return new ScopedValue<T>(MAKE, `name ${requireString("name", name)}`, name)
  }

  /** Binds the value; nothing happens until `run` or `call` of what is returned. */
  static where<T>(scopedValue: ScopedValue<T>, value: NoInfer<T>): ScopedBindings {
    return new ScopedBindings([]).where(scopedValue, value)
  }

  /** @internal What other threads get in place of the object. */
  static dataOf(scopedValue: ScopedValue<unknown>): readonly [key: string, label: string] {
    return [scopedValue.#key, scopedValue.#label]
  }

  /** @internal The object in another thread. */
  static fromData([key, label]: readonly [key: string, label: string]): ScopedValue<unknown> {
    return new ScopedValue(MAKE, key, label)
  }

  /** @internal */
  static requireIt(value: unknown): readonly [key: string, label: string] {
    if (typeof value === "object" && value !== null && #key in value) return ScopedValue.dataOf(value)
    throw typeError("scopedValue", "a ScopedValue", value)
  }

  /**
   * The value that is bound here.
   *
   * @throws NoSuchElementError if none is.
   */
  get(): T {
    const binding = this.#binding
    if (binding === undefined) throw new NoSuchElementError(`${this} is not bound here. ${WHY}`)
    return binding.value as T
  }

  /** Whether a value is bound here. */
  get isBound(): boolean {
    return this.#binding !== undefined
  }

  /** The value that is bound here, or `other`. */
  orElse<U = T>(other: U): T | U {
    const binding = this.#binding
    return binding === undefined ? other : (binding.value as T)
  }

  /** The value that is bound here; if there is none, throws what the function returns. */
  orElseThrow(error: () => unknown): T {
    requireFunction("error", error)
    const binding = this.#binding
    if (binding === undefined) throw error()
    return binding.value as T
  }

  get #binding(): Binding | undefined {
    return currentBindings().get(this.#key)
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    return { name: this.#label === "" ? undefined : this.#label, isBound: this.isBound }
  }

  /** Its class, and its name if it has one. */
  toString(): string {
    return this.#label === "" ? "ScopedValue" : `ScopedValue ${this.#label}`
  }
}

const WHY =
  "A binding holds for the function given to run() or call(), and for the forks of scopes that it opens; tasks that are submitted to executors do not inherit it. Threads know a scoped value by its position at the top level of a module; if it is made elsewhere, give it a name: ScopedValue.newInstance({ name })"

/** Values to be bound together; made by {@link ScopedValue.where}. It can be used several times. */
export class ScopedBindings {
  readonly #bound: readonly (readonly [key: string, binding: Binding])[]

  /** @internal */
  constructor(bound: readonly (readonly [key: string, binding: Binding])[]) {
    this.#bound = bound
  }

  /** These bindings and one more. If a value is bound twice, the later one counts. */
  where<T>(scopedValue: ScopedValue<T>, value: NoInfer<T>): ScopedBindings {
    const [key, label] = ScopedValue.requireIt(scopedValue)
    return new ScopedBindings([...this.#bound, [key, { value, label }]])
  }

  /**
   * Runs the function with these values bound, and returns what it returns. If that is a promise, the values are bound
   * until it settles; code that the function has started and not awaited keeps them.
   *
   * @throws IllegalStateError if the function has opened a scope and not closed it.
   */
  run<T>(fn: () => T): T {
    requireFunction("fn", fn)
    const bindings: Bindings = new Map([...currentBindings(), ...this.#bound])
    return within(bindings, fn)
  }

  /** The same as `run`. */
  call<T>(fn: () => T): T {
    return this.run(fn)
  }
}
