import { decodeFromBytes, encodeToBytes } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"
import { signStack } from "../future/merge-stacks.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { isError, messageOf, setOwn } from "../user-values.ts"
import type { LastOutcome } from "./chunk-outcome.ts"
import { passOnTransfers, requireAmong, requirePresent, transferListOf } from "./transfer.ts"

/**
 * The result of an item, to be sent to another thread by itself. If it cannot be sent, an error that says why; `title`
 * is the name of the task in its message.
 */
export function packedResult(result: unknown, title: string, item: number): LastOutcome {
  try {
    return packed(result, false)
  } catch (cause) {
    return packedError(refusalOf(title, cause, item))
  }
}

/** The same for the error of an item. It is signed with the name of this thread. */
export function packedError(error: unknown): LastOutcome {
  signStack(error, currentFlow().owner?.name ?? "")
  try {
    return packed(error, true)
  } catch (cause) {
    return packed(sendableInstead(error, cause), true)
  }
}

function packed(value: unknown, isErrorOfItem: boolean): LastOutcome {
  const things: object[] = []
  const toMove = transferListOf(value)
  const bytes = encodeToBytes(value, things, toMove && new Set(toMove))
  if (toMove !== undefined) requireMovable(toMove, things)
  const last: LastOutcome = { isError: isErrorOfItem, bytes, things }
  passOnTransfers(last, [value])
  return last
}

function requireMovable(toMove: readonly object[], things: readonly object[]): void {
  try {
    requirePresent("list", toMove)
    requireAmong("list", toMove, things, "the result")
  } catch (cause) {
    throw new NotSerializableError(messageOf(cause), { cause })
  }
}

/** The result of the item; or its error, or why it cannot be read. */
export function unpack(last: LastOutcome): { readonly value: unknown } | { readonly error: unknown } {
  let value: unknown
  try {
    value = "bytes" in last ? decodeFromBytes(last.bytes, last.things) : last.value
  } catch (error) {
    return { error }
  }
  return last.isError ? { error: value } : { value }
}

/** The error of a task whose result cannot be sent for this reason. The item is one of `map`. */
export function refusalOf(title: string, error: unknown, item?: number): unknown {
  if (!(error instanceof NotSerializableError)) return error
  const { message, cause } = error
  const why = message.replace(/^(?:An? |The |Function )/, (word) => word.toLowerCase())
  const what = item === undefined ? title : `${title} for \`items[${item}]\``
  return new NotSerializableError(
    `The result of ${what} cannot be sent: ${why}`,
    cause === undefined ? undefined : { cause },
  )
}

/** So many fields of a thrown object are looked at. */
const MOST_FIELDS = 100

/**
 * What is sent in place of a thrown value that cannot be sent. For an object that is no error: an object with its
 * fields that can be copied, as an error keeps those, too. If there is none, an error that says why. Never throws.
 */
export function sendableInstead(thrown: unknown, cause: unknown): unknown {
  try {
    return copyablePartOf(thrown) ?? errorInstead(thrown, cause)
  } catch {
    return errorInstead(thrown, cause) // its keys cannot be read
  }
}

function copyablePartOf(thrown: unknown): object | undefined {
  if (typeof thrown !== "object" || thrown === null || isError(thrown) || Array.isArray(thrown)) return undefined
  const part = {}
  let isEmpty = true
  for (const key of Object.keys(thrown).slice(0, MOST_FIELDS)) {
    try {
      const value = (thrown as Record<string, unknown>)[key] // once: a getter may give another value the next time
      encodeToBytes(value)
      if (setOwn(part, key, value, true)) isEmpty = false
    } catch {
      // A function, say, or a getter that throws: the field is left out.
    }
  }
  return isEmpty ? undefined : part
}

/** An error that says why a thrown value cannot be sent. */
function errorInstead(thrown: unknown, cause: unknown): NotSerializableError {
  // For example the message of a proxy of an error: the more the message says, the better.
  const what = isError(thrown) ? ` (${messageOf(thrown)})` : ""
  return new NotSerializableError(`What was thrown${what} cannot be sent: ${messageOf(cause)}`)
}
