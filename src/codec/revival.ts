/**
 * Which objects of other threads can be made anew in this one: instances of classes that the program has registered,
 * and shared objects of corepool.
 */
import { requireFunction, requireOptions, requireString } from "../checks.ts"
import { commonErrors, nameErrors } from "../error-names.ts"
import { IllegalStateError } from "../errors.ts"
import { perThread } from "../per-thread.ts"
import { OwnMap, sourceText } from "../primordials.ts"

// ------------------------------------------------------------------ classes of the program

/** How instances of a class get to another thread. By default their fields are copied. */
export interface ClassCodec<T extends object, D> {
  /** The same in all threads; by default the name of the class. Give one if a bundler shortens names. */
  readonly name?: string
  /** Turns an instance into data that can be copied. */
  readonly encode?: (instance: T) => D
  /** Makes the instance from this data, in the other thread. */
  readonly decode?: (data: D) => T
}

export interface RegisteredClass {
  readonly name: string
  readonly prototype: object
  readonly encode: ((instance: object) => unknown) | undefined
  readonly decode: ((data: unknown) => object) | undefined
}

const byPrototype = perThread("classes", () => new OwnMap<object, RegisteredClass>())
const byName = perThread("names of classes", () => new OwnMap<string, RegisteredClass>())

/**
 * Lets instances of a class arrive as such, and not as plain objects, in other threads that have registered it under
 * the same name. So call it in the module of the class.
 *
 *     class Money {
 *       constructor(readonly amount: bigint, readonly currency: string) {}
 *     }
 *     registerClass(Money)
 *
 * By default the own enumerable fields are copied, and the constructor is not called. A class with private fields says
 * how:
 *
 *     registerClass(Temperature, { encode: (t) => t.kelvin, decode: (kelvin) => Temperature.ofKelvin(kelvin) })
 *
 * The data that `encode` returns must not refer back to the instance. Only this very class is registered: instances of
 * a subclass that is not registered arrive as plain objects. Errors always arrive as errors, of the nearest registered
 * class.
 *
 * Throws `TypeError` if the class has no name, and none is given, and `IllegalStateError` if another class has the
 * name. A class with the same source text counts as the same: a module that is evaluated again, for instance by a tool
 * that reloads modules, registers its classes anew. Instances that arrive from then on are of the later class.
 */
export function registerClass<T extends object, D = unknown>(
  type: { readonly name: string; readonly prototype: T },
  codec: ClassCodec<T, D> = {},
): void {
  requireFunction("type", type as unknown as () => unknown)
  const given = requireOptions("codec", codec, { name: true, encode: true, decode: true })
  const name = requireString("name", given.name ?? type.name)
  if (name === "") {
    throw new TypeError(
      "A class without a name cannot be registered: no other thread could find it. Give it one by the option `name`",
    )
  }
  const encode = given.encode && requireFunction("encode", given.encode)
  const decode = given.decode && requireFunction("decode", given.decode)
  const taken = byName.get(name)?.prototype ?? commonErrors.get(name)?.prototype
  if (taken !== undefined && taken !== type.prototype && !isSameSource(taken, type)) {
    throw new IllegalStateError(`Another class is registered as ${JSON.stringify(name)}. Give one of them another name`)
  }
  const before = byPrototype.get(type.prototype)
  if (before !== undefined && byName.get(before.name) === before) byName.delete(before.name)
  const registered = { name, prototype: type.prototype, encode, decode } as RegisteredClass
  byPrototype.set(type.prototype, registered)
  byName.set(name, registered)
}

/** Whether the class of this prototype and the other class are of one source text. */
function isSameSource(prototype: object, type: object): boolean {
  const source = sourceText(type)
  const { constructor } = prototype
  return typeof constructor === "function" && !isNative(source) && sourceText(constructor) === source
}

/** Native source text does not identify a class. */
function isNative(source: string): boolean {
  return /\{\s*\[native code\]\s*\}\s*$/.test(source)
}

export function registeredFor(prototype: object): RegisteredClass | undefined {
  return byPrototype.get(prototype)
}

export function registeredAs(name: string): RegisteredClass | undefined {
  return byName.get(name)
}

// ------------------------------------------------------------------ errors that every thread knows

nameErrors({
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  AggregateError,
  DOMException,
})

// ------------------------------------------------------------------ shared objects

const openers = perThread("shareables", () => new OwnMap<string, (handle: never) => object>())

/**
 * Says how this thread opens a shared object by its handle; the name is the one in the handle. The codec stands below
 * the classes that it revives, so these classes have to call this.
 */
export function registerShareable(name: string, open: (handle: never) => object): void {
  openers.set(name, open)
}

export function isRevivable(name: string): boolean {
  return openers.has(name)
}

/** Undefined if the name is not registered. */
export function reviveShareable(name: string, handle: unknown): object | undefined {
  return openers.get(name)?.(handle as never)
}
