import { Bytes } from "#host/values/bytes"
import { Stack } from "../../primordials.ts"
import { NotSerializableError } from "../../errors.ts"
import { Bulk, type BulkSource } from "./bulk.ts"
import { bufferOf, sizeOfBuffer } from "./views.ts"

/** Kinds of values. A kind fits into a byte and is never 0: memory that was never written holds no value. */
export const NO_VALUE = 0
export const UNDEFINED = 1
export const NULL = 2
export const FALSE = 3
export const TRUE = 4
export const INT = 5
export const DOUBLE = 6
export const LATIN1 = 7
export const UTF16 = 8
/** Tagged bytes: see tags.ts. */
export const TREE = 9
/** The same, with at least one reference to something that came before. */
export const GRAPH = 10

/** Kinds of lists of arguments; others are a TREE or a GRAPH. */
export const NO_ARGUMENTS = 16
export const ONE_INT = 17
export const ONE_DOUBLE = 18
export const TWO_INTS = 19
export const TWO_DOUBLES = 20
/** Up to seven numbers and views of shared memory: see plain-words.ts. */
export const PLAIN_WORDS = 21

const ROOM = 512
/** The length is stored in a word. */
const LONGEST = 2 ** 31 - 8
/** Larger ones are left to the garbage collector, and so are more than MOST_KEPT. */
const LONGEST_KEPT = 2 ** 18
const MOST_KEPT = 16

const kept = new Stack<EncodedValue>()

/**
 * A value on its way between threads: its kind and its bytes, in memory of this thread. `encode` writes it, `decode`
 * reads it. In between its words are copied into shared memory and out of it.
 *
 *     const encoded = encode(value)                                   // sender
 *     words.set(encoded.words.subarray(0, count), index)              // and encoded.kind, encoded.length
 *     encoded.release()
 *
 *     const encoded = EncodedValue.toRead(kind, length)               // receiver
 *     encoded.words.set(words.subarray(index, index + count))
 *     const value = decode(encoded)
 *     encoded.release()
 *
 * `count` is the number of words that `length` bytes need; the bytes after `length` in the last word mean nothing.
 *
 * Encoded values are reused: call {@link EncodedValue.release} when the bytes are no longer needed. One for the whole
 * thread would not do: a flow that waits for a lock between encoding and copying lets other flows of its thread go on.
 */
export class EncodedValue {
  kind: number = UNDEFINED
  /** In bytes. */
  length = 0
  /** Bytes of the value that are not in this one, after `encode`. */
  readonly bulk: Bulk = new Bulk()
  /** Where these bytes come from, for `decode`. */
  bulkSource: BulkSource | undefined
  /** The size of its memory in bytes. */
  capacity: number
  // Four views of all its memory; `reserve` replaces them.
  words: Int32Array
  bytes: Bytes
  doubles: Float64Array
  view: DataView

  private constructor(memory: ArrayBuffer) {
    this.capacity = sizeOfBuffer(memory)
    this.words = new Int32Array(memory)
    this.bytes = Bytes.from(memory)
    this.doubles = new Float64Array(memory)
    this.view = new DataView(memory)
  }

  /** An encoded value to write into. */
  static blank(): EncodedValue {
    return kept.pop() ?? new EncodedValue(memoryFor(ROOM))
  }

  /** An encoded value into which the caller copies one of this kind and length, and which it then decodes. */
  static toRead(kind: number, length: number): EncodedValue {
    const encoded = EncodedValue.blank()
    encoded.kind = kind
    encoded.length = length
    if (length > encoded.capacity) encoded.reserve(length, 0)
    return encoded
  }

  /** An encoded value in this memory, which was that of another one. */
  static over(memory: ArrayBuffer, kind: number, length: number): EncodedValue {
    const encoded = new EncodedValue(memory)
    encoded.seal(kind, length)
    return encoded
  }

  /** Makes room for so many bytes in total and keeps the first `used` of them. Replaces all views. */
  reserve(total: number, used: number): void {
    requireShort(total)
    const larger = new EncodedValue(memoryFor(Math.min(Math.max(total, used * 2, ROOM), LONGEST)))
    // Not by subarray(): that of Node's buffers uses `length`, which a task may have broken.
    larger.bytes.set(new Uint8Array(bufferOf(this.bytes), 0, used))
    this.capacity = larger.capacity
    this.words = larger.words
    this.bytes = larger.bytes
    this.doubles = larger.doubles
    this.view = larger.view
  }

  seal(kind: number, length: number): void {
    this.kind = kind
    this.length = length
  }

  /** Copies of the bytes beside the value, which no longer belong to it. */
  takeBulk(): ArrayBuffer[] {
    const copies = this.bulk.copies()
    this.bulk.cut(0)
    return copies
  }

  /** The bytes are no longer needed: keeps the object for reuse. */
  release(): void {
    if (this.bulk.count > 0) this.bulk.cut(0)
    this.bulkSource = undefined
    if (this.capacity <= LONGEST_KEPT && kept.size < MOST_KEPT) kept.push(this)
  }
}

/** Throws if these are more bytes than a value may have. */
export function requireShort(bytes: number): void {
  if (bytes > LONGEST) throw new NotSerializableError("The value takes more than 2 GB as bytes")
}

/** Memory of whole doubles. */
function memoryFor(room: number): ArrayBuffer {
  return new ArrayBuffer((room + 7) & ~7)
}
