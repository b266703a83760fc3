/**
 * Values as bytes, for memory that threads share.
 *
 * What arrives is a copy, as by `structuredClone`. Beyond that errors keep their name, their stack, their cause and
 * their own fields, and those of the language and of corepool their class. What cannot be copied is refused with a
 * NotSerializableError that names it: functions, symbols, promises, ports, and whatever refers to shared memory, which
 * cannot be written down as bytes.
 *
 * Numbers, booleans and short strings are written by ourselves: the runtime's own serializer takes microseconds for them.
 */
import { deserialize, serialize } from "node:v8"
import { show } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { DOUBLE, FALSE, INT, LATIN1, Letter, NULL, PACKED, STRUCTURED, TRUE, UNDEFINED } from "./letter.ts"
import { pack, unpack } from "./packing.ts"

/** Beyond this the serializer is faster. */
const SHORT = 256

/** The letter is the caller's to {@link Letter.release}. */
export function encode(value: unknown): Letter {
  const letter = Letter.blank()
  switch (typeof value) {
    case "number":
      encodeNumber(letter, value)
      break
    case "string":
      if (!encodeShort(letter, value)) letter.copy(STRUCTURED, serialize(value))
      break
    case "boolean":
      letter.seal(value ? TRUE : FALSE, 0)
      break
    case "undefined":
      letter.seal(UNDEFINED, 0)
      break
    default:
      if (value === null) letter.seal(NULL, 0)
      else encodeStructure(letter, value)
  }
  return letter
}

/** The bytes may be those of the value from now on: do not change them. */
export function decode(letter: Letter): unknown {
  switch (letter.kind) {
    case UNDEFINED:
      return undefined
    case NULL:
      return null
    case FALSE:
      return false
    case TRUE:
      return true
    case INT:
      return letter.words[0]
    case DOUBLE:
      return letter.doubles[0]
    case LATIN1:
      return letter.bytes.toString("latin1", 0, letter.length)
    case STRUCTURED:
      return deserialize(letter.bytes.subarray(0, letter.length))
    case PACKED:
      return unpack(deserialize(letter.bytes.subarray(0, letter.length)))
    default:
      throw new NotSerializableError(`No value is of the kind ${letter.kind}: the memory was written by something else`)
  }
}

/** What becomes of a value on its way to another thread. */
export function copyOf(value: unknown): unknown {
  const letter = encode(value)
  const read = Letter.toRead(letter.kind, letter.length)
  read.words.set(letter.words.subarray(0, (letter.length + 3) >> 2))
  const copy = decode(read)
  letter.release()
  read.release()
  return copy
}

/** The same as bytes that say themselves what kind they are, for memory that knows nothing but bytes. */
export function encodeToBytes(value: unknown): Uint8Array {
  const letter = encode(value)
  const bytes = new Uint8Array(1 + letter.length)
  bytes[0] = letter.kind
  bytes.set(letter.bytes.subarray(0, letter.length), 1)
  letter.release()
  return bytes
}

export function decodeFromBytes(bytes: Uint8Array): unknown {
  const letter = Letter.toRead(bytes[0] ?? 0, bytes.length - 1)
  letter.bytes.set(bytes.subarray(1))
  const value = decode(letter)
  letter.release()
  return value
}

function encodeNumber(letter: Letter, value: number): void {
  if (Object.is(value | 0, value)) {
    letter.words[0] = value
    letter.seal(INT, 4)
  } else {
    letter.doubles[0] = value
    letter.seal(DOUBLE, 8)
  }
}

function encodeShort(letter: Letter, value: string): boolean {
  const { length } = value
  if (length > SHORT) return false
  const { bytes } = letter
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    if (code > 255) return false
    bytes[i] = code
  }
  letter.seal(LATIN1, length)
  return true
}

function encodeStructure(letter: Letter, value: unknown): void {
  try {
    const packed = pack(value)
    if (packed === undefined) letter.copy(STRUCTURED, serialize(value))
    else letter.copy(PACKED, serialize(packed))
  } catch (error) {
    letter.release()
    if (error instanceof NotSerializableError) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new NotSerializableError(`${show(value)} cannot be sent to another thread: ${why}`, { cause: error })
  }
}
