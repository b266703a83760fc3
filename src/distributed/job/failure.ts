/**
 * How a job has failed, as the text that the engine keeps as its reason.
 *
 *     RangeError: too hot                  for people: dashboards show it
 *     corepool:error:AQkcCQ…               for corepool: the kind, and the error as payload.ts writes it
 *
 * The error arrives with its class (if this program knows it), fields, cause and `errors`, and with the stack of the
 * machine on which it was thrown. The submitting executor adds its own stack below that, as between threads.
 */
import { shorten } from "../../checks.ts"
import {
  CancellationError,
  NodeDeathError,
  NotSerializableError,
  TimeoutError,
  UnknownTaskError,
} from "../../errors.ts"
import { signStack } from "../../future/merge-stacks.ts"
import { isError, messageOf, propertyOf, setOwn, textOf } from "../../user-values.ts"
import { decodePayload, encodePayload, MAX_PAYLOAD } from "./payload.ts"

/** Why a job has failed: by its own error, because a process cancelled it, or because it could not be run. */
export type FailureKind = "error" | "cancelled" | "timeout" | "unknown-task" | "node-death"

/** How a job has failed. */
export interface Failure {
  readonly kind: FailureKind
  /** The error of the future, or the cause of its cancellation. */
  readonly error: unknown
}

const KINDS: readonly FailureKind[] = ["error", "cancelled", "timeout", "unknown-task", "node-death"]
const MARK = "corepool:"
/** How many characters of the line for people. */
const LONGEST_LINE = 300

/**
 * The reason for the engine. `where` names the thread and the machine on which the error was thrown, for the stack.
 * Never throws: for an error that cannot be sent, its description is sent.
 */
export function encodeFailure(
  error: unknown,
  kind: FailureKind = "error",
  where?: string,
  maxPayload: number = MAX_PAYLOAD,
): string {
  if (where !== undefined) signStack(error, where)
  const [line = ""] = describe(error).split(/[\r\n]/)
  return `${shorten(line, LONGEST_LINE)}\n${MARK}${kind}:${payloadOf(error, maxPayload)}`
}

function payloadOf(error: unknown, maxPayload: number): string {
  try {
    return encodePayload("error", error, maxPayload)
  } catch (cause) {
    const shown = new Error(shorten(describe(error)))
    setOwn(shown, "stack", `${shown.message}\n    (the error itself could not be sent: ${messageOf(cause)})`, false)
    return encodePayload("error", shown, Infinity)
  }
}

/** Like `String(error)`, without calling code of the program. */
function describe(error: unknown): string {
  if (!isError(error)) return messageOf(error)
  const name = propertyOf(error, "name")
  const message = messageOf(error)
  const title = typeof name === "string" && name !== "" ? name : "Error"
  return message === "" ? title : `${title}: ${message}`
}

/**
 * The failure that a reason describes. A reason not written by corepool becomes an error of that text. Never throws.
 */
export function decodeFailure(reason: unknown): Failure {
  const lines = typeof reason === "string" ? reason.split("\n") : []
  const [mark, kind, payload] = lines.at(-1)?.split(":") ?? []
  if (lines.length !== 2 || `${mark}:` !== MARK || !isKind(kind) || payload === undefined) {
    return { kind: "error", error: new Error(shorten(textOf(reason))) }
  }
  try {
    return { kind, error: decodePayload("error", payload) }
  } catch (cause) {
    return { kind, error: madeOf(kind, lines[0] as string, cause) }
  }
}

function isKind(kind: string | undefined): kind is FailureKind {
  return KINDS.some((each) => each === kind)
}

/** Replaces an error that this program cannot read: its class is not registered here, or it is of a later release. */
function madeOf(kind: FailureKind, line: string, cause: unknown): Error {
  const options = { cause }
  switch (kind) {
    case "cancelled":
      return new CancellationError(line, options)
    case "timeout":
      return new TimeoutError(line, options)
    case "unknown-task":
      return new UnknownTaskError(line, options)
    case "node-death":
      return new NodeDeathError(line, options)
    case "error":
      return new NotSerializableError(`The task has failed with an error that cannot be read here: ${line}`, options)
  }
}
