/**
 * Errors, so that they survive. The serializer of every runtime loses the name, the class and the own fields of an error, some
 * also its cause. So a value with errors in it is copied first, with an empty object in the place of each error, and the
 * errors are listed beside it, as plain data. That an empty object is one of those is known by its identity, which
 * serialization keeps: nothing in the value of a user can be mistaken for it.
 */
import * as errors from "../errors.ts"
import { hasMembers, type Members, Survey } from "./survey.ts"

/** An error as plain data. */
interface ErrorData {
  /** The nearest of its classes that every thread knows. */
  readonly type: string
  readonly name: string
  readonly message: string
  readonly stack: unknown
  /** Its own properties, those that can be enumerated and those that cannot. */
  readonly fields: Members
  readonly hidden: Members
}

interface Packed {
  readonly value: unknown
  readonly errors: readonly (readonly [place: object, data: ErrorData])[]
}

type ErrorClass = new (...args: never[]) => Error

const language: ErrorClass[] = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]
const known = new Map<string, ErrorClass>(
  [...language, AggregateError, ...Object.values(errors)].map((type) => [type.name, type as ErrorClass]),
)

/** The value with its errors apart; undefined if it has none. Throws NotSerializableError. */
export function pack(value: unknown): Packed | undefined {
  return new Survey(value).foundErrors ? new Packing().pack(value) : undefined
}

/** The value that was packed. */
export function unpack(packed: unknown): unknown {
  return new Unpacking(packed as Packed).value
}

class Packing {
  readonly #copies = new Map<object, object>()
  readonly #errors: [object, ErrorData][] = []

  pack(value: unknown): Packed {
    return { value: this.#copy(value), errors: this.#errors }
  }

  #copy(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value
    const copy = this.#copies.get(value)
    if (copy !== undefined) return copy
    if (value instanceof Error) return this.#copyError(value)
    if (Array.isArray(value)) {
      return this.#fill(value, [] as unknown[], (array) => {
        array.length = value.length // holes at the end count
        value.forEach((e, i) => (array[i] = this.#copy(e)))
      })
    }
    if (value instanceof Map) {
      return this.#fill(value, new Map(), (map) => value.forEach((e, key) => map.set(this.#copy(key), this.#copy(e))))
    }
    if (value instanceof Set) return this.#fill(value, new Set(), (set) => value.forEach((e) => set.add(this.#copy(e))))
    if (!hasMembers(value)) return value
    return this.#fill(value, {}, (members) => {
      for (const [key, inner] of Object.entries(value)) define(members, key, this.#copy(inner), true)
    })
  }

  /** Known before it is filled: the value may contain itself. */
  #fill<T extends object>(original: object, copy: T, fill: (copy: T) => unknown): T {
    this.#copies.set(original, copy)
    fill(copy)
    return copy
  }

  #copyError(error: Error): object {
    const place = {}
    this.#copies.set(error, place)
    const fields: Members = {}
    const hidden: Members = {}
    for (const [key, { value, enumerable }] of Object.entries(Object.getOwnPropertyDescriptors(error))) {
      if (key === "message" || key === "stack" || !canBeSent(value)) continue
      define(enumerable === true ? fields : hidden, key, this.#copy(value), true)
    }
    const { name, message, stack } = error as { name: unknown; message: unknown; stack?: unknown }
    const data = { type: typeOf(error), name: String(name), message: String(message), stack, fields, hidden }
    this.#errors.push([place, data])
    return place
  }
}

class Unpacking {
  readonly value: unknown
  readonly #errors = new Map<object, Error>()
  readonly #seen = new Set<object>()

  constructor(packed: Packed) {
    // All of them first: one may be the cause of another.
    for (const [place, data] of packed.errors) this.#errors.set(place, revive(data))
    for (const [place, { fields, hidden }] of packed.errors) {
      const error = this.#errors.get(place) as Error
      for (const [key, value] of Object.entries(fields)) define(error, key, this.#restore(value), true)
      for (const [key, value] of Object.entries(hidden)) define(error, key, this.#restore(value), false)
    }
    this.value = this.#restore(packed.value)
  }

  /** The same value, with the errors in their places. */
  #restore(value: unknown): unknown {
    if (typeof value !== "object" || value === null) return value
    const error = this.#errors.get(value)
    if (error !== undefined) return error
    if (this.#seen.has(value)) return value
    this.#seen.add(value)
    if (Array.isArray(value)) value.forEach((e, i) => (value[i] = this.#restore(e)))
    else if (value instanceof Map) {
      const entries = [...value]
      value.clear()
      for (const [key, e] of entries) value.set(this.#restore(key), this.#restore(e))
    } else if (value instanceof Set) {
      const elements = [...value]
      value.clear()
      for (const e of elements) value.add(this.#restore(e))
    } else if (hasMembers(value)) {
      for (const [key, inner] of Object.entries(value)) define(value, key, this.#restore(inner), true)
    }
    return value
  }
}

/** An error of that class, though its constructor is not called: nobody knows what it would want. */
function revive({ type, name, message, stack }: ErrorData): Error {
  const error = Reflect.construct(Error, [message], known.get(type) ?? Error)
  if (error.name !== name) define(error, "name", name, false)
  define(error, "stack", stack, false)
  return error
}

function typeOf(error: Error): string {
  for (let prototype: unknown = error; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const { constructor } = prototype as { constructor?: { name?: unknown } }
    const type = typeof constructor === "function" ? known.get((constructor as { name: string }).name) : undefined
    if (type !== undefined && type === (constructor as unknown)) return type.name
  }
  return "Error"
}

/** An error often drags along what it happened to: a socket, a request. That is not worth failing for. */
function canBeSent(value: unknown): boolean {
  try {
    void new Survey(value)
    return true
  } catch {
    return false // the reason would be told to nobody
  }
}

/** As an assignment, but also for `__proto__`. */
function define(object: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true })
}
