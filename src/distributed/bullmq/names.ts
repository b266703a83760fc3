/**
 * How ids, priorities and texts of corepool are written for BullMQ.
 *
 * Ids. BullMQ refuses ids with a colon and ids of digits alone; on Redis an id such as `meta` would be a key of the
 * queue itself; PostgreSQL refuses the character 0 and lone surrogates. So an id begins with a dot, and each such
 * character is written as `%` and four hexadecimal digits.
 *
 * Names of queues are written the same way, without the dot: dashboards show them.
 *
 * Priorities. Those of users are around 0, and the higher one is first. Those of BullMQ are from 0 to 2²¹ − 1, and the
 * lower one is first.
 *
 * Texts. PostgreSQL cannot store the character 0 and lone surrogates. A text with such a character is marked and
 * written as ids are.
 */
import { rangeError } from "../../checks.ts"

const HALVES = "[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]"
const FORBIDDEN = new RegExp(`[%:\0]|${HALVES}`, "g")
const UNSTORABLE = new RegExp(`\0|${HALVES}`)
const MARK = "\u0001%"
/** Marks of corepool begin with it. */
const FIRST_OF_MARKS = "\u0001"

/** The middle of BullMQ's priorities, and how far corepool's go from it to both sides. */
const MIDDLE = 2 ** 20
export const HIGHEST_PRIORITY: number = MIDDLE - 1

/** BullMQ refuses names with a colon. */
export function toQueueName(name: string): string {
  return escaped(name)
}

export function toJobId(id: string): string {
  return `.${escaped(id)}`
}

/** Undefined if corepool has not added the job. */
export function fromJobId(jobId: string | undefined): string | undefined {
  return jobId?.startsWith(".") === true ? unescaped(jobId.slice(1)) : undefined
}

export function toBullPriority(priority: number): number {
  if (!Number.isInteger(priority) || Math.abs(priority) > HIGHEST_PRIORITY) {
    throw rangeError("priority", `an integer from ${-HIGHEST_PRIORITY} to ${HIGHEST_PRIORITY}`, priority)
  }
  return MIDDLE - priority
}

export function toStorable(text: string): string {
  return UNSTORABLE.test(text) || text.startsWith(FIRST_OF_MARKS) ? MARK + escaped(text) : text
}

export function fromStorable(text: string): string {
  return text.startsWith(MARK) ? unescaped(text.slice(MARK.length)) : text
}

/**
 * A value as JSON. JSON has escapes for all characters, but PostgreSQL refuses some of them: a value with such an
 * escape is written as a text in a text.
 */
export function toStorableJson(value: unknown): string {
  const json = JSON.stringify(value) ?? "null"
  const mustWrap = /\\u(?:0000|d[89a-f])/i.test(json) || json.startsWith(`{"${WRAPPED}":`)
  return mustWrap ? JSON.stringify({ [WRAPPED]: json }) : json
}

/** Undefined if it is no JSON: any process that can write into the queue may have written it. */
export function fromStorableJson(json: string): unknown {
  return unwrapped(parsed(json))
}

/** The same for a value that is parsed already. */
export function unwrapped(value: unknown): unknown {
  const text = (value as Record<string, unknown> | null | undefined)?.[WRAPPED]
  return typeof text === "string" ? parsed(text) : value
}

/** A value that is a text, unless another program has written it. */
export function textIn(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "")
}

/** The value; undefined if the text is no JSON. */
export function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? "")
  } catch {
    return undefined
  }
}

const WRAPPED = "$json"

function escaped(text: string): string {
  return text.replace(FORBIDDEN, (character) => `%${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

function unescaped(text: string): string {
  return text.replace(/%([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}
