/**
 * A value on its way between threads: its kind and its bytes, in memory of this thread. It is written by `encode`, copied
 * into shared memory and out of it as words, and read by `decode`.
 *
 * Letters are used again: say {@link Letter.release} when the bytes are not needed any more. Not one for all, because
 * whoever waits for a lock between encoding and copying lets other flows of its thread go on.
 */
import { Buffer } from "node:buffer"

/** Kinds of values. From STRUCTURED on, what is decoded may refer to the bytes it was decoded from. */
export const UNDEFINED = 1
export const NULL = 2
export const FALSE = 3
export const TRUE = 4
export const INT = 5
export const DOUBLE = 6
export const LATIN1 = 7
export const STRUCTURED = 8
export const PACKED = 9

const ROOM = 512
/** A letter that had to be longer is left to the garbage collector, and so are more than a few. */
const LONGEST_KEPT = 2 ** 16
const MOST_KEPT = 16

const kept: Letter[] = []

export class Letter {
  kind: number = UNDEFINED
  /** In bytes. */
  length = 0
  #words: Int32Array
  #bytes: Buffer
  #doubles: Float64Array
  readonly #reusable: boolean

  private constructor(room: number, reusable: boolean) {
    this.#reusable = reusable
    const memory = new ArrayBuffer((room + 7) & ~7)
    this.#words = new Int32Array(memory)
    this.#bytes = Buffer.from(memory)
    this.#doubles = new Float64Array(memory)
  }

  /** One to write into. */
  static blank(): Letter {
    return kept.pop() ?? new Letter(ROOM, true)
  }

  /** One to copy a value of this kind and length into, and then to be decoded. */
  static toRead(kind: number, length: number): Letter {
    const letter = kind >= STRUCTURED ? new Letter(length, false) : Letter.blank()
    letter.kind = kind
    letter.length = length
    if (length > letter.#bytes.length) letter.#grow(length)
    return letter
  }

  get words(): Int32Array {
    return this.#words
  }

  get doubles(): Float64Array {
    return this.#doubles
  }

  get bytes(): Buffer {
    return this.#bytes
  }

  /** Takes over all of these bytes. */
  copy(kind: number, bytes: Uint8Array): void {
    if (bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes)
    this.seal(kind, bytes.length)
  }

  seal(kind: number, length: number): void {
    this.kind = kind
    this.length = length
  }

  /** The bytes are not needed any more. */
  release(): void {
    if (this.#reusable && this.#bytes.length <= LONGEST_KEPT && kept.length < MOST_KEPT) kept.push(this)
  }

  #grow(length: number): void {
    const larger = new Letter(length, true)
    this.#words = larger.#words
    this.#bytes = larger.#bytes
    this.#doubles = larger.#doubles
  }
}
