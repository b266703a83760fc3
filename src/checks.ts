/**
 * Argument checks. Every refusal has one shape: which argument, what it must be, what came.
 *
 *     Expected `maximumPoolSize` to be an integer ≥ corePoolSize (4), got 2
 *
 * A value of the wrong type is a `TypeError`, one outside its range a `RangeError`. Nothing is ever
 * clamped or coerced: a program that passes nonsense has a bug its author wants to hear about.
 */

/** Java's `Integer.MAX_VALUE`: what "unbounded" is called in sizes and capacities. */
export const MAX_VALUE: number = 2 ** 31 - 1

/** The longest message that corepool makes, in characters. */
export const LONGEST_MESSAGE = 500

/** And the longest name in one. */
const LONGEST_NAME = 80

/**
 * The text, if it is not longer than that; otherwise its beginning and its end: the values in a message are as long as the program
 * wants, and what to do about it is often said last.
 */
export function shorten(text: string, limit: number = LONGEST_MESSAGE): string {
  if (text.length <= limit) return text
  const tail = Math.floor(limit / 3)
  return `${whole(text.slice(0, limit - tail - 3))} … ${whole(text.slice(text.length - tail))}`
}

/** Without the halves of characters at its ends. */
function whole(part: string): string {
  return part.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")
}

/** Renders an offending value: short, quoted if a string, never throwing. */
export function show(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
    case "function":
      return nameIn(value) === "" ? "a function" : `function ${shorten(nameIn(value), LONGEST_NAME)}`
    case "object":
      return value === null ? "null" : `an instance of ${className(value)}`
    case "bigint":
      return shorten(`${value}n`, LONGEST_NAME)
    default:
      return shorten(String(value), LONGEST_NAME)
  }
}

/** The name of its class; "Object" if it has none, or does not tell. Never throws. */
export function className(value: object): string {
  try {
    const constructor: unknown = (value as { constructor?: unknown }).constructor
    return (typeof constructor === "function" && shorten(nameIn(constructor), LONGEST_NAME)) || "Object"
  } catch {
    return "Object" // a revoked proxy, a getter that throws: what it is remains its secret
  }
}

/** A class may have a static member called `name`, and then that is not its name. */
function nameIn(callable: object): string {
  try {
    const { name } = callable as { name?: unknown }
    return typeof name === "string" ? name : ""
  } catch {
    return ""
  }
}

export function typeError(name: string, demand: string, value: unknown): TypeError {
  return new TypeError(`Expected \`${name}\` to be ${demand}, got ${show(value)}`)
}

export function rangeError(name: string, demand: string, value: unknown): RangeError {
  return new RangeError(`Expected \`${name}\` to be ${demand}, got ${show(value)}`)
}

/** An integer from `min` to {@link MAX_VALUE}. `bound` words the lower limit when it is another setting's value. */
export function requireInteger(name: string, value: unknown, min: number, bound: string | number = min): number {
  const demand = `an integer ≥ ${bound}`
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (!Number.isInteger(value) || value < min) throw rangeError(name, demand, value)
  if (value > MAX_VALUE) throw rangeError(name, `an integer ≤ ${MAX_VALUE}`, value)
  return value
}

/** A number of milliseconds ≥ 0; fractions and `Infinity` are fine. */
export function requireDuration(name: string, value: unknown): number {
  const demand = "a number of milliseconds ≥ 0"
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (!(value >= 0)) throw rangeError(name, demand, value)
  return value
}

/** A number of milliseconds > 0; fractions and `Infinity` are fine. */
export function requirePositiveDuration(name: string, value: unknown): number {
  const demand = "a number of milliseconds > 0"
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (!(value > 0)) throw rangeError(name, demand, value)
  return value
}

/** A number of milliseconds to wait; as in Java, zero and less mean "do not wait". */
export function requireTimeout(name: string, value: unknown): number {
  const demand = "a number of milliseconds"
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (Number.isNaN(value)) throw rangeError(name, demand, value)
  return value
}

export function requireFunction<F extends (...args: never[]) => unknown>(name: string, value: F): F {
  if (typeof value !== "function") throw typeError(name, "a function", value)
  return value
}

export function requireBoolean(name: string, value: unknown): boolean {
  if (typeof value !== "boolean") throw typeError(name, "a boolean", value)
  return value
}

export function requireString(name: string, value: unknown): string {
  if (typeof value !== "string") throw typeError(name, "a string", value)
  return value
}

export function requireArray<T>(name: string, value: readonly T[]): readonly T[] {
  if (!Array.isArray(value)) throw typeError(name, "an array", value)
  return value as readonly T[]
}

export function requireSignal(name: string, value: unknown): AbortSignal {
  if (!(value instanceof AbortSignal)) throw typeError(name, "an AbortSignal", value)
  return value
}

export function requireObject(name: string, value: unknown, demand = "an object"): object {
  if (typeof value !== "object" || value === null) throw typeError(name, demand, value)
  return value
}

/**
 * The options that a caller has given. What all objects inherit is none of them: whatever a program, or a package in it, has put
 * on `Object.prototype` sets nothing here.
 */
export function requireOptions<T extends object>(name: string, options: T, demand?: string): T {
  requireObject(name, options, demand)
  return Object.getPrototypeOf(options) === Object.prototype ? alone(options) : options
}

/** Options without a prototype, for the runtime to read. */
export function alone<T extends object>(options: T): T {
  return { __proto__: null, ...options }
}

/** Anything an `await` would unwrap: a promise, a future, any object with a `then` method. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value !== null &&
    (typeof value === "object" || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  )
}
