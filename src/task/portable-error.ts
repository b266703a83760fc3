import { encode } from "../codec/codec.ts"
import { NotSerializableError } from "../errors.ts"
import { signStack } from "../future/merge-stacks.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import { isError, messageOf } from "../user-values.ts"

/**
 * The error of a task, to be sent to another thread as a part of a value: signed with the name of this thread. If it
 * cannot be sent, an error that says why.
 */
export function portableError(error: unknown): unknown {
  signStack(error, currentFlow().owner?.name ?? "")
  try {
    encode(error, []).release()
    return error
  } catch (cause) {
    return errorInstead(error, cause)
  }
}

/** An error that says why a thrown value cannot be sent. */
export function errorInstead(thrown: unknown, cause: unknown): NotSerializableError {
  // For example the message of a proxy of an error: the more the message says, the better.
  const what = isError(thrown) ? ` (${messageOf(thrown)})` : ""
  return new NotSerializableError(`What was thrown${what} cannot be sent: ${messageOf(cause)}`)
}
