/**
 * Values as bytes, for memory that threads share.
 *
 * The receiver gets a copy, as by `structuredClone`. Beyond that errors keep their name, their stack, their cause and
 * their own fields. Errors of the language and of corepool keep their class, and so do instances of registered classes
 * (revival.ts). A value that cannot be copied is refused with a NotSerializableError that names it and its place.
 *
 * Objects that can be posted, but not written as bytes, go beside the bytes, if the caller passes a list for them:
 *
 *     const attachments: object[] = []
 *     const encoded = encode(value, attachments, new Set(transferList))   // sender
 *     port.postMessage(attachments, transferList)                         // if there are any
 *     decode(encoded, attachments)                                        // receiver
 *
 * Attachments are shared memory, shared objects (a lock arrives as a lock), objects to be moved, and objects that only
 * the runtime can copy, such as a Blob. Long stretches of bytes can go beside the encoded value, too, so that they are
 * copied only once: bulk.ts.
 */
import { Stack } from "../primordials.ts"
import { show } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { Decoder } from "./decoder.ts"
import { Encoder } from "./encoder.ts"
import { isError, isInstance, messageOf, textOf } from "../user-values.ts"
import * as letters from "./bytes/encoded-value.ts"
import { EncodedValue } from "./bytes/encoded-value.ts"
import { isWide, latin1, LONG_TEXT, utf16 } from "./bytes/texts.ts"

/**
 * The caller must {@link EncodedValue.release} the result. If this throws, nothing was attached; but a shared object in
 * the value may have been marked as one that other threads use. With `isBulky` the result may not contain all bytes:
 * see bulk.ts.
 */
export function encode(
  value: unknown,
  attachments?: object[],
  transfer?: ReadonlySet<object>,
  isBulky = false,
): EncodedValue {
  const encoded = EncodedValue.blank()
  switch (typeof value) {
    case "number":
      encodeNumber(encoded, value)
      break
    case "string":
      encodeText(encoded, value)
      break
    case "boolean":
      encoded.seal(value ? letters.TRUE : letters.FALSE, 0)
      break
    case "undefined":
      encoded.seal(letters.UNDEFINED, 0)
      break
    default:
      if (value === null) encoded.seal(letters.NULL, 0)
      else encodeStructure(encoded, value, "", attachments, transfer, isBulky)
  }
  return encoded
}

/** The value that was encoded with these attachments. Throws only NotSerializableError, whatever the bytes are. */
export function decode(encoded: EncodedValue, attachments: readonly object[] = [], isStrange = false): unknown {
  switch (encoded.kind) {
    case letters.UNDEFINED:
      return undefined
    case letters.NULL:
      return null
    case letters.FALSE:
      return false
    case letters.TRUE:
      return true
    case letters.INT:
      return encoded.words[0]
    case letters.DOUBLE:
      return encoded.doubles[0]
    case letters.LATIN1:
      return latin1(encoded.bytes, 0, encoded.length)
    case letters.UTF16:
      return utf16(encoded.bytes, 0, encoded.length >> 1)
    case letters.TREE:
    case letters.GRAPH:
      return decodeStructure(encoded, attachments, isStrange)
    default:
      throw new NotSerializableError(
        `No value is of the kind ${encoded.kind}: the memory was written by something else`,
      )
  }
}

/** The value as another thread would receive it. */
export function copyOf(value: unknown): unknown {
  const encoded = encode(value)
  const copy = decode(encoded)
  encoded.release()
  return copy
}

/** Bytes that begin with their kind, for memory that stores nothing but bytes. */
export function encodeToBytes(value: unknown, attachments?: object[], transfer?: ReadonlySet<object>): Uint8Array {
  const encoded = encode(value, attachments, transfer)
  const bytes = new Uint8Array(1 + encoded.length)
  bytes[0] = encoded.kind
  bytes.set(encoded.bytes.subarray(0, encoded.length), 1)
  encoded.release()
  return bytes
}

export function decodeFromBytes(bytes: Uint8Array, attachments: readonly object[] = NOTHING): unknown {
  return decodeKind(bytes, attachments, false)
}

/**
 * The same for bytes of another process, which may be anything: nothing in them can name memory, objects or resources
 * of this process. The memory that they can reserve is limited, too.
 */
export function decodeFromStranger(bytes: Uint8Array): unknown {
  return decodeKind(bytes, NOTHING, true)
}

function decodeKind(bytes: Uint8Array, attachments: readonly object[], isStrange: boolean): unknown {
  const length = Math.max(bytes.length - 1, 0)
  const encoded = EncodedValue.toRead(bytes[0] ?? 0, length)
  encoded.bytes.set(bytes.subarray(1))
  try {
    // A shorter number would contain bytes that the memory held before.
    if ((encoded.kind === letters.INT && length !== 4) || (encoded.kind === letters.DOUBLE && length !== 8)) {
      throw new NotSerializableError("These bytes are not those of a number: they were written by something else")
    }
    return decode(encoded, attachments, isStrange)
  } finally {
    encoded.release()
  }
}

const NOTHING: readonly object[] = []

function encodeNumber(encoded: EncodedValue, value: number): void {
  if (Object.is(value | 0, value)) {
    encoded.words[0] = value
    encoded.seal(letters.INT, 4)
  } else {
    encoded.doubles[0] = value
    encoded.seal(letters.DOUBLE, 8)
  }
}

function encodeText(encoded: EncodedValue, value: string): void {
  const { length } = value
  if (length < LONG_TEXT && encodeShort(encoded, value)) return
  const wide = isWide(value)
  const size = wide ? length * 2 : length
  if (size > encoded.capacity) encoded.reserve(size, 0)
  encoded.bytes.write(value, 0, size, wide ? "utf16le" : "latin1")
  encoded.seal(wide ? letters.UTF16 : letters.LATIN1, size)
}

function encodeShort(encoded: EncodedValue, value: string): boolean {
  const { length } = value
  const { bytes } = encoded
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    if (code > 255) return false
    bytes[i] = code
  }
  encoded.seal(letters.LATIN1, length)
  return true
}

// ------------------------------------------------------------------ structures

/** Encoders and decoders that are not in use. User code that runs while one is in use may need another one. */
const encoders = new Stack<Encoder>()
const decoders = new Stack<Decoder>()

/** `name` is the name of the value in error messages. */
export function encodeStructure(
  encoded: EncodedValue,
  value: unknown,
  name: string,
  attachments: object[] | undefined,
  transfer: ReadonlySet<object> | undefined,
  isBulky: boolean,
): void {
  const encoder = encoders.pop() ?? new Encoder(encoded)
  try {
    encoder.encode(encoded, value, name, attachments, transfer, isBulky ? encoded.bulk : undefined)
  } catch (error) {
    encoded.release()
    if (error instanceof NotSerializableError) throw error
    const why = isOverflow(error) ? "it is nested too deeply" : `copying it threw ${describeThrown(error)}`
    throw new NotSerializableError(`The value${encoder.place} cannot be sent to another thread: ${why}`, {
      cause: error,
    })
  } finally {
    encoders.push(encoder)
  }
}

function decodeStructure(encoded: EncodedValue, attachments: readonly object[], isStrange: boolean): unknown {
  const decoder = decoders.pop() ?? new Decoder(encoded)
  try {
    return decoder.decode(encoded, attachments, isStrange)
  } catch (error) {
    if (error instanceof NotSerializableError) throw error
    const why = isOverflow(error) ? "it is nested too deeply" : messageOf(error)
    throw new NotSerializableError(`The value cannot be read: ${why}`, { cause: error })
  } finally {
    decoders.push(decoder)
  }
}

/** `error` was thrown by user code: a getter, or `encode` of a registered class. */
function describeThrown(error: unknown): string {
  return isError(error) ? textOf(error) : show(error)
}

function isOverflow(error: unknown): boolean {
  return isInstance(error, RangeError) && /call stack/i.test(messageOf(error))
}
