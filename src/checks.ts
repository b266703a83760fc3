/**
 * Argument checks. Every refusal has one shape: which argument, what it must be, what it was.
 *
 *     Expected `maximumPoolSize` to be an integer ≥ corePoolSize (4), got 2
 *
 * A value of the wrong type is a `TypeError`, one outside its range a `RangeError`. Nothing is ever clamped or coerced:
 * a program that passes nonsense has a bug that its author wants to know of.
 */

/** Java's `Integer.MAX_VALUE`: it means "unbounded" in sizes and capacities. */
export const MAX_VALUE: number = 2 ** 31 - 1

/** The longest message that corepool makes, in characters. */
export const LONGEST_MESSAGE = 500

/** The longest name in a message. */
const LONGEST_NAME = 80

/**
 * The text, if it is not longer than `limit`; otherwise its beginning and its end. The values in a message may have any
 * length, and the advice often comes last.
 */
export function shorten(text: string, limit: number = LONGEST_MESSAGE): string {
  if (text.length <= limit) return text
  const tail = Math.floor(limit / 3)
  return `${whole(text.slice(0, limit - tail - 3))} … ${whole(text.slice(text.length - tail))}`
}

/** Removes the halves of characters at both ends. */
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

/** The name of its class; "Object" if it has none, or reading it throws. Never throws. */
export function className(value: object): string {
  try {
    const constructor: unknown = (value as { constructor?: unknown }).constructor
    return (typeof constructor === "function" && shorten(nameIn(constructor), LONGEST_NAME)) || "Object"
  } catch {
    return "Object" // a revoked proxy, or a getter that throws
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

/** A TypeError with a message of its own. */
export function wrongType(message: string): TypeError {
  return new TypeError(shorten(message))
}

export function typeError(name: string, demand: string, value: unknown): TypeError {
  return wrongType(`Expected \`${name}\` to be ${demand}, got ${show(value)}`)
}

export function rangeError(name: string, demand: string, value: unknown): RangeError {
  return new RangeError(shorten(`Expected \`${name}\` to be ${demand}, got ${show(value)}`))
}

/** An integer from `min` to {@link MAX_VALUE}. `bound` words the lower limit when it is another setting's value. */
export function requireInteger(name: string, value: unknown, min: number, bound: string | number = min): number {
  const demand = `an integer ≥ ${bound}`
  requireNumber(name, value, demand, (n) => Number.isInteger(n) && n >= min)
  return requireNumber(name, value, `an integer ≤ ${MAX_VALUE}`, (n) => n <= MAX_VALUE)
}

/** A number that passes the test; `demand` says what that is. */
export function requireNumber(name: string, value: unknown, demand: string, test: (n: number) => boolean): number {
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (!test(value)) throw rangeError(name, demand, value)
  return value
}

/** A number of milliseconds ≥ 0; fractions and `Infinity` are fine. */
export function requireDuration(name: string, value: unknown): number {
  return requireNumber(name, value, "a number of milliseconds ≥ 0", (ms) => ms >= 0)
}

/** A number of milliseconds > 0; fractions and `Infinity` are fine. */
export function requirePositiveDuration(name: string, value: unknown): number {
  return requireNumber(name, value, "a number of milliseconds > 0", (ms) => ms > 0)
}

/** A number of milliseconds to wait; as in Java, zero and less mean "do not wait". */
export function requireTimeout(name: string, value: unknown): number {
  return requireNumber(name, value, "a number of milliseconds", (ms) => !Number.isNaN(ms))
}

/** The arguments of a schedule that repeats; `name` is that of its interval. Returns the interval. */
export function requireSeries(task: unknown, initialDelay: number, name: "period" | "delay", interval: number): number {
  requireFunction("task", task as () => unknown)
  requireTimeout("initialDelay", initialDelay)
  return requirePositiveDuration(name, interval)
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

export function requireIterable<T>(name: string, value: Iterable<T>, demand = "iterable"): Iterable<T> {
  if (typeof (value as Partial<Iterable<T>> | null | undefined)?.[Symbol.iterator] !== "function")
    throw typeError(name, demand, value)
  return value
}

/** All options, each once. The compiler makes sure that none is forgotten. */
export type Known<T> = { readonly [K in keyof T]-?: unknown }

/**
 * The options that a caller has given, each read once. An object may inherit options from another, but properties that
 * all objects inherit are not options: whatever a program, or a package in it, has put on `Object.prototype` sets
 * nothing here. Keys that are symbols are ignored. An error that a getter throws is the error of the call.
 */
export function requireOptions<T extends object>(name: string, options: T, known: Known<T>, demand?: string): T {
  requireObject(name, options, demand)
  refuseUnknown(name, options, known)
  const given = alone({}) as T
  for (const key of Object.keys(known) as (keyof T & string)[])
    if (holderOf(options, key) !== undefined) given[key] = options[key]
  return given
}

/**
 * Refuses a key that is none of these options, and suggests which one may have been meant. Inherited keys count, too,
 * except for the methods and accessors of a class: an AbortController is fine in the place of `{ signal }`.
 */
export function refuseUnknown(name: string, options: object, known: object): void {
  for (const key in options) {
    if (Object.hasOwn(known, key)) continue
    const holder = holderOf(options, key)
    const isOption = holder === options || (holder !== undefined && !Object.hasOwn(holder, "constructor"))
    if (isOption) throw unknown(name, key, known)
  }
}

/** The object that has the key: `options`, or an object that it inherits from, except `Object.prototype`. */
function holderOf(options: object, key: string): object | undefined {
  let holder: object | null = options
  while (holder !== null && holder !== Object.prototype) {
    if (Object.hasOwn(holder, key)) return holder
    holder = Object.getPrototypeOf(holder) as object | null
  }
  return undefined
}

function unknown(name: string, key: string, known: object): TypeError {
  const meant = nearest(key, Object.keys(known))
  const list = Object.keys(known).map((option) => `\`${option}\``)
  const hint = meant === undefined ? `known are ${list.join(", ")}` : `did you mean \`${meant}\`?`
  const place = name === "options" ? "" : ` of \`${name}\``
  return wrongType(`Unknown option \`${shorten(key, LONGEST_NAME)}\`${place}: ${hint}`)
}

/**
 * The word that this one is most likely a misspelling of: a word with few letters changed, with the same beginning, or
 * where one contains the other.
 */
function nearest(word: string, words: readonly string[]): string | undefined {
  if (word.length > LONGEST_NAME) return undefined
  const a = word.toLowerCase()
  let best: { readonly option: string; readonly changes: number; readonly beginning: number } | undefined
  for (const option of words) {
    const b = option.toLowerCase()
    const [short, long] = a.length < b.length ? [a, b] : [b, a]
    const changes = changesBetween(a, b)
    const beginning = commonBeginning(a, b)
    const isAlike =
      changes <= Math.max(1, Math.floor(long.length / 3)) ||
      (short.length > 2 && long.includes(short)) ||
      (beginning > 3 && beginning >= short.length - 2)
    const isCloser =
      best === undefined || changes < best.changes || (changes === best.changes && beginning > best.beginning)
    if (isAlike && isCloser) best = { option, changes, beginning }
  }
  return best?.option
}

function commonBeginning(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** How many letters to insert, remove, replace, or swap with their neighbour, to turn one word into the other. */
function changesBetween(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let least = Math.min(
        (row[j - 1] as number) + 1,
        (last[j] as number) + 1,
        (last[j - 1] as number) + (same ? 0 : 1),
      )
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (exchanged) least = Math.min(least, (before[j - 2] as number) + 1)
      row.push(least)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] as number
}

/** Options without a prototype, for the runtime to read. */
export function alone<T extends object>(options: T): T {
  return { __proto__: null, ...options }
}

/** Anything that an `await` would unwrap: a promise, a future, any object with a `then` method. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return (
    value !== null &&
    (typeof value === "object" || typeof value === "function") &&
    typeof (value as { then?: unknown }).then === "function"
  )
}
