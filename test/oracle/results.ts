/** What an op did, in the form of the traces: `{}`, `{"returned": v}` or `{"thrown": name, "message"?: m}`. */
import { registerClass } from "#src/codec/revival.js"
import { type Json, type JsonObject, ScenarioError } from "./json.ts"

/** Returned by an op whose method is void in Java. */
export const VOID: unique symbol = Symbol("void")

/** Thrown on purpose by a scenario's own body, `done()`, hook or thread factory. */
export class OwnError extends Error {
  override readonly name = "OwnError"
}
registerClass(OwnError)

/** Performs an op to its end. An op must not hand over a bare future: it would be awaited. */
export async function capture(perform: () => unknown): Promise<JsonObject> {
  let value: unknown
  try {
    value = await perform()
  } catch (error) {
    return thrown(error)
  }
  return value === VOID ? {} : { returned: toJson(value) }
}

/**
 * The name of an error is its class. A `TypeError` or `RangeError` that is not worded like a refused argument was not
 * meant by corepool: it shows in full, so that a slip ("x is not a function") never passes for a refusal.
 */
export function thrown(error: unknown): JsonObject {
  if (error instanceof ScenarioError) throw error
  if (!(error instanceof Error)) throw new ScenarioError(`Something was thrown that is no Error: ${String(error)}`)
  if (error instanceof OwnError) return { thrown: error.name, message: error.message }
  const argument = error instanceof TypeError || error instanceof RangeError
  const refusal = error.message.startsWith("Expected `")
  return { thrown: argument && !refusal ? `${error.name}: ${error.message}` : error.name }
}

/** Java's null is undefined here as a result, null as recorded. */
export function toJson(value: unknown): Json {
  switch (typeof value) {
    case "undefined":
      return null
    case "string":
    case "number":
    case "boolean":
      return value
    case "object":
      if (value === null) return null
      if (Array.isArray(value)) return value.map(toJson)
      return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, toJson(inner)]))
    default:
      throw new ScenarioError(`Not to be compared: ${String(value)}`)
  }
}

/** What a future shows of itself, in the words of the traces. */
export function stateOf(future: { readonly state: string }, started: boolean): string {
  switch (future.state) {
    case "running":
      return started ? "running" : "new"
    case "success":
      return "done:ok"
    case "failed":
      return "done:failed"
    default:
      return future.state
  }
}

/** Java's order of strings, by UTF-16 code units: `t10` before `t2`. */
export function sorted(names: Iterable<string>): string[] {
  return [...names].sort()
}
