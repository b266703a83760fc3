/** The arguments of a call as a letter. The most common ones, none and one or two numbers, are nothing but words. */
import { NotSerializableError } from "../errors.ts"
import { decode, encodeStructure } from "./codec.ts"
import { Letter, NO_ARGUMENTS, ONE_DOUBLE, ONE_INT, PLAIN_WORDS, TWO_DOUBLES, TWO_INTS } from "./bytes/letter.ts"
import { readPlain } from "./plain-words.ts"

/** As `encode` for a list of arguments; refusals speak of `args[0]`. */
export function encodeArguments(
  args: readonly unknown[],
  attachments?: object[],
  transfer?: ReadonlySet<object>,
  isBulky = false,
): Letter {
  const letter = Letter.blank()
  if (!encodeNumbers(letter, args)) encodeStructure(letter, args, "args", attachments, transfer, isBulky)
  return letter
}

/** False if they are others than none, one or two numbers. */
function encodeNumbers(letter: Letter, args: readonly unknown[]): boolean {
  const { length } = args
  if (length === 0) {
    letter.seal(NO_ARGUMENTS, 0)
    return true
  }
  const first = args[0]
  if (length > 2 || typeof first !== "number") return false
  if (length === 1) {
    if (isInt(first)) {
      letter.words[0] = first
      letter.seal(ONE_INT, 4)
    } else {
      letter.doubles[0] = first
      letter.seal(ONE_DOUBLE, 8)
    }
    return true
  }
  const second = args[1]
  if (typeof second !== "number") return false
  if (isInt(first) && isInt(second)) {
    letter.words[0] = first
    letter.words[1] = second
    letter.seal(TWO_INTS, 8)
  } else {
    letter.doubles[0] = first
    letter.doubles[1] = second
    letter.seal(TWO_DOUBLES, 16)
  }
  return true
}

/** Minus zero is none. */
export function isInt(value: number): boolean {
  return (value | 0) === value && (value !== 0 || 1 / value > 0)
}

export function decodeArguments(letter: Letter, attachments?: readonly object[]): unknown[] {
  switch (letter.kind) {
    case NO_ARGUMENTS:
      return []
    case ONE_INT:
      return [letter.words[0]]
    case ONE_DOUBLE:
      return [letter.doubles[0]]
    case TWO_INTS:
      return [letter.words[0], letter.words[1]]
    case TWO_DOUBLES:
      return [letter.doubles[0], letter.doubles[1]]
    case PLAIN_WORDS:
      return readPlain(letter.words, attachments ?? [])
    default: {
      const args = decode(letter, attachments)
      if (Array.isArray(args)) return args as unknown[]
      throw new NotSerializableError("The value is no list of arguments: the memory was written by something else")
    }
  }
}
