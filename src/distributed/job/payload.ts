/**
 * Values on their way between machines: arguments, results and errors, as text in a job.
 *
 * The text is base64 of a version byte and the bytes that corepool's codec makes of a value. These bytes are
 * self-contained: keys, classes and shapes are written by name, each time, so that any other process can read them.
 * Only copies travel. Objects that threads of one process share (SharedArrayBuffers, locks, queues, pools, ports) are
 * refused with NotSerializableError.
 *
 * Text from a queue is not trusted. Reading any text gives a value or throws NotSerializableError. It calls no function
 * but `decode` of classes that this program has registered, and takes time and memory in proportion to the text.
 */
import { Bytes } from "#host/values/bytes"
import { shorten } from "../../checks.ts"
import { decodeFromStranger, encodeToBytes } from "../../codec/codec.ts"
import { NotSerializableError } from "../../errors.ts"
import type { CarriedStores } from "../../executor/propagation.ts"
import { messageOf } from "../../user-values.ts"

/** The version of the bytes. A release that reads a newer version reads the older ones, too. */
export const PAYLOAD_VERSION = 1

/** How many bytes the arguments of a task, or its result, may take unless the program says otherwise. */
export const MAX_PAYLOAD: number = 2 ** 20

/** The arguments of a task, for a job. Throws NotSerializableError if they cannot be copied, or are too large. */
export function encodeArguments(task: string, args: readonly unknown[], maxPayload: number = MAX_PAYLOAD): string {
  return args.length === 0 ? "" : encodePayload(`arguments of the task \`${task}\``, args, maxPayload)
}

/**
 * Throws NotSerializableError if the text is not that of a list of arguments, or of a version that this release does
 * not know.
 */
export function decodeArguments(task: string, text: string): unknown[] {
  if (text === "") return []
  const args = decodePayload(`arguments of the task \`${task}\``, text)
  if (Array.isArray(args)) return args as unknown[]
  throw new NotSerializableError(`The arguments of the task \`${task}\` cannot be read: they are no list`)
}

/** The stores that go with a job. Throws NotSerializableError with the name of the storage, if one cannot be copied. */
export function encodeStores(stores: CarriedStores | undefined, maxPayload: number = MAX_PAYLOAD): string | undefined {
  if (stores === undefined) return undefined
  for (const [name, store] of Object.entries(stores)) {
    encodePayload(`store of the AsyncLocalStorage ${JSON.stringify(name)}`, store, maxPayload)
  }
  return encodePayload("stores of AsyncLocalStorages", stores, maxPayload)
}

/** Throws NotSerializableError if the text is not that of stores. */
export function decodeStores(text: string): CarriedStores {
  const stores = decodePayload("stores that go with the task", text)
  if (typeof stores === "object" && stores !== null && !Array.isArray(stores)) return stores as CarriedStores
  throw new NotSerializableError("The stores that go with the task cannot be read: they are no object")
}

/**
 * The result of a task, for the end of its job. Throws NotSerializableError if it cannot be copied, or is too large.
 */
export function encodeResult(task: string, value: unknown, maxPayload: number = MAX_PAYLOAD): string {
  return value === undefined ? "" : encodePayload(`result of the task \`${task}\``, value, maxPayload)
}

export function decodeResult(task: string, text: string): unknown {
  return text === "" ? undefined : decodePayload(`result of the task \`${task}\``, text)
}

/** @internal For failure.ts. `what` is the value's name in a refusal: `result of the task …`. */
export function encodePayload(what: string, value: unknown, maxPayload: number): string {
  let bytes: Uint8Array
  try {
    bytes = encodeToBytes(value)
  } catch (error) {
    throw new NotSerializableError(`The ${what} cannot be sent to another machine: ${reasonOf(error)}`, {
      cause: error,
    })
  }
  if (bytes.length > maxPayload) {
    throw new NotSerializableError(
      `The ${what} ${what.startsWith("arguments") ? "take" : "takes"} ${bytes.length} bytes, more than \`maxPayload\` (${maxPayload}): send where the data is, not the data, or raise \`maxPayload\``,
    )
  }
  const text = Bytes.allocUnsafe(1 + bytes.length)
  text[0] = PAYLOAD_VERSION
  text.set(bytes, 1)
  return text.toString("base64")
}

/** The codec's message without its advice for threads, to which more can be sent. */
function reasonOf(error: unknown): string {
  return messageOf(error).replace(/: (?:post it|send what it belongs to)\b.*$/s, "")
}

/** @internal For failure.ts. */
export function decodePayload(what: string, text: string): unknown {
  const bytes = typeof (text as unknown) === "string" ? Bytes.from(text, "base64") : Bytes.alloc(0)
  const version = bytes[0]
  if (version !== PAYLOAD_VERSION) throw new NotSerializableError(`The ${what} cannot be read: ${whyNot(version)}`)
  try {
    return decodeFromStranger(bytes.subarray(1))
  } catch (error) {
    throw new NotSerializableError(`The ${what} cannot be read: ${shorten(messageOf(error))}`, { cause: error })
  }
}

function whyNot(version: number | undefined): string {
  if (version === undefined || version === 0) return "it was not written by corepool"
  return `it is of version ${version}, and this release of corepool knows version ${PAYLOAD_VERSION}. Update the process that reads it first`
}
