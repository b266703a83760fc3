/**
 * How `console.log` and `util.inspect` show the objects of corepool: one line with the class, the state and the sizes.
 *
 *     ThreadPoolExecutor@1 { state: 'running', poolSize: 2, activeCount: 1, queued: 5, completedTaskCount: 10 }
 *
 * A class lists by {@link FACTS} what is shown. Fields that a subclass of the program has added follow. Node, Bun and
 * Deno all call the method {@link INSPECT} with the same three arguments.
 */
import { shorten } from "./checks.ts"
import { identityOf } from "./identity.ts"
import { isError, propertyOf, textOf } from "./user-values.ts"

export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom")

/**
 * What is shown of an object: names and values. A fact that is undefined is not shown, and neither is a field of the
 * same name.
 */
export const FACTS: unique symbol = Symbol("facts")

export type Facts = Readonly<Record<string, unknown>>

interface Options {
  readonly colors?: boolean
  readonly compact?: boolean | number
  readonly maxArrayLength?: number | null
  readonly maxStringLength?: number | null
}

/**
 * What the runtime gives to the method: how many levels may still be shown, the options of its `inspect`, and that
 * function.
 */
export type InspectArguments = [
  depth?: number | null,
  options?: Options,
  inspect?: (value: unknown, options: object) => string,
]

/** The longest text of a single value; more would not be one readable line. */
const LONGEST_VALUE = 120

/**
 * The line for this object. Never throws: where code of the program throws, the value is left out or shown as plain
 * text.
 */
export function inspected(self: object, [depth, options = {}, inspect]: InspectArguments): string {
  const name = identityOf(self)
  const left = typeof depth === "number" ? depth : Infinity
  if (left < 0) return `[${name}]`
  const show = (value: unknown): string => shown(value, left - 1, options, inspect)
  const parts = [...factsOf(self)].map(([key, value]) => `${key}: ${show(value)}`)
  if (parts.length === 0) return `${name} {}`
  return options.compact === false ? `${name} {\n  ${parts.join(",\n  ")}\n}` : `${name} { ${parts.join(", ")} }`
}

/** The facts of the class, and then the fields of the object. */
function factsOf(self: object): Map<string, unknown> {
  const facts = new Map(Object.entries((propertyOf(self, FACTS) ?? {}) as Facts))
  for (const [key, value] of fieldsOf(self)) if (!facts.has(key)) facts.set(key, value)
  for (const [key, value] of facts) if (value === undefined) facts.delete(key)
  return facts
}

/** The fields that can be read without running the program's code. */
function* fieldsOf(self: object): Iterable<[string, unknown]> {
  try {
    for (const [key, field] of Object.entries(Object.getOwnPropertyDescriptors(self))) {
      if (field.enumerable === true && "value" in field) yield [key, field.value]
    }
  } catch {
    // a proxy that does not tell its keys
  }
}

function shown(value: unknown, depth: number, options: Options, inspect: InspectArguments[2]): string {
  if (isError(value)) return `[${oneLine(textOf(value))}]`
  if (inspect === undefined) return oneLine(textOf(value))
  const limits = {
    ...options,
    depth,
    breakLength: Infinity,
    compact: options.compact !== false,
    maxArrayLength: Math.min(options.maxArrayLength ?? Infinity, 10),
    maxStringLength: Math.min(options.maxStringLength ?? Infinity, LONGEST_VALUE),
  }
  try {
    const text = inspect(value, limits)
    if (options.compact === false) return text.replaceAll("\n", "\n  ")
    if (!text.includes("\n") && text.length <= LONGEST_VALUE) return text
    // Without colours: cutting a coloured text would colour all that follows.
    return oneLine(inspect(value, { ...limits, colors: false }))
  } catch {
    return textOf(value) // its own inspection has thrown
  }
}

function oneLine(text: string): string {
  return shorten(text.replaceAll(/\s*\n\s*/g, " "), LONGEST_VALUE)
}
