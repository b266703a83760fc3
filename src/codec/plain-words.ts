/**
 * Arguments as plain words: a few numbers, and views of shared memory with offset and length. Most tasks that divide
 * themselves are called with such arguments, and they are called often.
 *
 *     TAGS   the kind of each argument, four bits each, the first in the lowest
 *     then each argument in order: a number in one word or two; a view in three: its kind and the index of its buffer,
 *     its offset in bytes, its length
 */
import { read, write } from "#atomics"
import { push } from "../primordials.ts"
import { isSharedBuffer } from "../memory/shared/shareables.ts"
import { typedArrays } from "./binary.ts"

const INT = 1
const DOUBLE = 2
const TRUE = 3
const FALSE = 4
const NULL = 5
const UNDEFINED = 6
const VIEW = 7

const TAG_BITS = 4
const TAG_MASK = 15
const MOST_ARGUMENTS = 7
/** How many words an argument takes at most. */
const LONGEST = 3

const KIND_BITS = 8

type View = Int8Array | Float64Array // and so on
type ViewConstructor = new (buffer: ArrayBufferLike, offset: number, length: number) => View

/** Classes of views by kind. */
const constructors = typedArrays as unknown as readonly ViewConstructor[]

const kinds = new Map<object, number>(constructors.map((type, kind) => [type.prototype as object, kind]))

const double = new Float64Array(1)
const halves = new Int32Array(double.buffer)

/**
 * Writes the arguments into at most `room` words, and adds shared buffers to `things`. Returns how many words; 0 if
 * other arguments are among them, or too many. Throws the error of a getter that the program has put on a view.
 */
export function writePlain(
  words: Int32Array,
  at: number,
  room: number,
  args: readonly unknown[],
  things: object[],
): number {
  const { length } = args
  if (length > MOST_ARGUMENTS) return 0
  const end = at + room - LONGEST
  let tags = 0
  let next = at + 1
  for (let i = 0; i < length; i++) {
    if (next > end) return 0
    const value = args[i]
    let tag: number
    if (typeof value === "number") {
      if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
        tag = INT
        write(words, next++, value)
      } else {
        tag = DOUBLE
        double[0] = value
        write(words, next++, halves[0] as number)
        write(words, next++, halves[1] as number)
      }
    } else if (typeof value === "object" && value !== null) {
      if (!ArrayBuffer.isView(value)) return 0 // first of all: later checks could be answered by a proxy
      const kind = kinds.get(Object.getPrototypeOf(value) as object)
      if (kind === undefined) return 0
      const { buffer, byteOffset, length: elements } = value as View
      // A task may have broken the getters.
      if (typeof byteOffset !== "number" || typeof elements !== "number" || !isFixed(buffer)) return 0
      let thing = things.indexOf(buffer)
      if (thing < 0) thing = push(things, buffer) - 1
      tag = VIEW
      write(words, next++, kind | (thing << KIND_BITS))
      write(words, next++, byteOffset)
      write(words, next++, elements)
    } else if (typeof value === "boolean") tag = value ? TRUE : FALSE
    else if (value === null) tag = NULL
    else if (value === undefined) tag = UNDEFINED
    else return 0
    tags |= tag << (i * TAG_BITS)
  }
  write(words, at, tags)
  return next - at
}

const fixed = new WeakSet<object>()

/** Whether it is shared and cannot grow. */
function isFixed(buffer: ArrayBufferLike): boolean {
  if (fixed.has(buffer)) return true
  if (!isSharedBuffer(buffer) || (buffer as { growable?: boolean }).growable === true) return false
  fixed.add(buffer)
  return true
}

/** The buffers that {@link writePlain} would have added to `things`. */
export function sharedAmong(args: readonly unknown[]): object[] {
  const things = new Set<object>()
  for (const value of args) if (ArrayBuffer.isView(value)) things.add(value.buffer)
  return [...things]
}

/** The arguments that {@link writePlain} has written. */
export function readPlain(words: Int32Array, things: readonly object[]): unknown[] {
  const args: unknown[] = []
  let next = 1
  let count = 0
  for (let tags = read(words, 0); tags !== 0; tags >>>= TAG_BITS) {
    switch (tags & TAG_MASK) {
      case INT:
        args[count++] = read(words, next++)
        break
      case DOUBLE:
        halves[0] = read(words, next++)
        halves[1] = read(words, next++)
        args[count++] = double[0]
        break
      case VIEW: {
        const kind = read(words, next++)
        const type = constructors[kind & (2 ** KIND_BITS - 1)] as ViewConstructor
        const offset = read(words, next++)
        args[count++] = new type(things[kind >>> KIND_BITS] as SharedMemoryBuffer, offset, read(words, next++))
        break
      }
      case TRUE:
        args[count++] = true
        break
      case FALSE:
        args[count++] = false
        break
      case NULL:
        args[count++] = null
        break
      default:
        args[count++] = undefined
    }
  }
  return args
}

type SharedMemoryBuffer = ConstructorParameters<ViewConstructor>[0]
