/** The arguments of a call as an encoded value. The most common ones, none and one or two numbers, are plain words. */
import { NotSerializableError } from "../errors.ts"
import { decode, encodeStructure } from "./codec.ts"
import {
  EncodedValue,
  NO_ARGUMENTS,
  ONE_DOUBLE,
  ONE_INT,
  PLAIN_WORDS,
  TWO_DOUBLES,
  TWO_INTS,
} from "./bytes/encoded-value.ts"
import { readPlain } from "./plain-words.ts"

/** As `encode` for a list of arguments; error messages name them `args[0]` and so on. */
export function encodeArguments(
  args: readonly unknown[],
  attachments?: object[],
  transfer?: ReadonlySet<object>,
  isBulky = false,
): EncodedValue {
  const encoded = EncodedValue.blank()
  if (!encodeNumbers(encoded, args)) encodeStructure(encoded, args, "args", attachments, transfer, isBulky)
  return encoded
}

/** NO_ARGUMENTS, ONE_INT or TWO_INTS if these are the arguments, by far the most frequent ones; otherwise 0. */
export function kindOfFew(args: readonly unknown[]): number {
  const { length } = args
  if (length === 0) return NO_ARGUMENTS
  if (length > 2) return 0
  const first = args[0]
  if (typeof first !== "number" || !isInt(first)) return 0
  if (length === 1) return ONE_INT
  const second = args[1]
  return typeof second === "number" && isInt(second) ? TWO_INTS : 0
}

/** False if the arguments are others than none, one or two numbers. */
function encodeNumbers(encoded: EncodedValue, args: readonly unknown[]): boolean {
  const { length } = args
  if (length === 0) {
    encoded.seal(NO_ARGUMENTS, 0)
    return true
  }
  const first = args[0]
  if (length > 2 || typeof first !== "number") return false
  if (length === 1) {
    if (isInt(first)) {
      encoded.words[0] = first
      encoded.seal(ONE_INT, 4)
    } else {
      encoded.doubles[0] = first
      encoded.seal(ONE_DOUBLE, 8)
    }
    return true
  }
  const second = args[1]
  if (typeof second !== "number") return false
  if (isInt(first) && isInt(second)) {
    encoded.words[0] = first
    encoded.words[1] = second
    encoded.seal(TWO_INTS, 8)
  } else {
    encoded.doubles[0] = first
    encoded.doubles[1] = second
    encoded.seal(TWO_DOUBLES, 16)
  }
  return true
}

/** Minus zero is not an int. */
export function isInt(value: number): boolean {
  return (value | 0) === value && (value !== 0 || 1 / value > 0)
}

export function decodeArguments(encoded: EncodedValue, attachments?: readonly object[]): unknown[] {
  switch (encoded.kind) {
    case NO_ARGUMENTS:
      return []
    case ONE_INT:
      return [encoded.words[0]]
    case ONE_DOUBLE:
      return [encoded.doubles[0]]
    case TWO_INTS:
      return [encoded.words[0], encoded.words[1]]
    case TWO_DOUBLES:
      return [encoded.doubles[0], encoded.doubles[1]]
    case PLAIN_WORDS:
      return readPlain(encoded.words, attachments ?? [])
    default: {
      const args = decode(encoded, attachments)
      if (Array.isArray(args)) return args as unknown[]
      throw new NotSerializableError("The value is no list of arguments: the memory was written by something else")
    }
  }
}
