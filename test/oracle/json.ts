/** JSON as recorded in the traces, and how to take it apart without trusting it. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [member: string]: Json | undefined
}

/** The scenario itself is wrong, or the replayer is: never to be taken for a result of corepool's. */
export class ScenarioError extends Error {
  override readonly name = "ScenarioError"
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function fault(from: JsonObject, member: string, demand: string): ScenarioError {
  return new ScenarioError(`\`${member}\` should be ${demand} in ${JSON.stringify(from)}`)
}

export function object(from: JsonObject, member: string): JsonObject {
  const value = from[member]
  if (!isObject(value)) throw fault(from, member, "an object")
  return value
}

export function string(from: JsonObject, member: string): string {
  const value = from[member]
  if (typeof value !== "string") throw fault(from, member, "a string")
  return value
}

/** null and absent alike are undefined. */
export function maybeString(from: JsonObject, member: string): string | undefined {
  return from[member] == null ? undefined : string(from, member)
}

export function integer(from: JsonObject, member: string): number {
  const value = from[member]
  if (typeof value !== "number") throw fault(from, member, "a number")
  return value
}

/** null and absent alike are undefined. */
export function maybeInteger(from: JsonObject, member: string): number | undefined {
  return from[member] == null ? undefined : integer(from, member)
}

/** Absent is false. */
export function flag(from: JsonObject, member: string): boolean {
  const value = from[member] ?? false
  if (typeof value !== "boolean") throw fault(from, member, "true or false")
  return value
}

/** Absent is empty. */
export function list(from: JsonObject, member: string): readonly Json[] {
  const value = from[member] ?? []
  if (!Array.isArray(value)) throw fault(from, member, "a list")
  return value as readonly Json[]
}

/** Absent is empty. */
export function strings(from: JsonObject, member: string): readonly string[] {
  return list(from, member).map((value) => {
    if (typeof value !== "string") throw fault(from, member, "a list of strings")
    return value
  })
}

/** Absent is empty. */
export function objects(from: JsonObject, member: string): readonly JsonObject[] {
  return list(from, member).map((value) => {
    if (!isObject(value)) throw fault(from, member, "a list of objects")
    return value
  })
}

export function parseObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new ScenarioError(`Not a JSON object: ${text.slice(0, 80)}`)
  return value
}
