import type { Bytes } from "#host/values/bytes"
import type { EncodedValue } from "./encoded-value.ts"
import { type Width, writePacked } from "./packed.ts"
import { BIGINT_64, BIGINT_LONG, DOUBLE_VALUE, INT_VALUE, LATIN1_TEXT, SMALL_INT, UTF16_TEXT } from "./tags.ts"
import { isWide, LONG_TEXT } from "./texts.ts"

/** Up to this length a loop over bytes is faster. */
const FEW_BYTES = 32

/** Writes numbers and texts into an encoded value, one after the other, and makes it larger when needed. */
export class ByteWriter {
  protected at = 0
  #encoded: EncodedValue
  #bytes: Bytes
  #view: DataView
  /** How many bytes there are. Not read from the buffer: a task may have broken `length` of all of them. */
  #capacity: number

  constructor(encoded: EncodedValue) {
    this.#encoded = encoded
    this.#bytes = encoded.bytes
    this.#capacity = encoded.capacity
    this.#view = encoded.view
  }

  protected begin(encoded: EncodedValue): void {
    this.#encoded = encoded
    this.#bytes = encoded.bytes
    this.#capacity = encoded.capacity
    this.#view = encoded.view
    this.at = 0
  }

  /** Makes sure that so many more bytes can be written. */
  protected room(size: number): void {
    if (this.at + size > this.#capacity) {
      this.#encoded.reserve(this.at + size, this.at)
      this.#bytes = this.#encoded.bytes
      this.#capacity = this.#encoded.capacity
      this.#view = this.#encoded.view
    }
  }

  byte(value: number): void {
    if (this.at >= this.#capacity) this.room(1)
    this.#bytes[this.at++] = value
  }

  /** Overwrites two bytes that were written before. */
  protected patchShort(at: number, value: number): void {
    this.#view.setUint16(at, value, true)
  }

  /** From 0 to 2³² − 1. */
  count(value: number): void {
    this.room(5)
    const bytes = this.#bytes
    let rest = value
    while (rest >= 0x80) {
      bytes[this.at++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    bytes[this.at++] = rest
  }

  double(value: number): void {
    this.room(8)
    this.#view.setFloat64(this.at, value, true)
    this.at += 8
  }

  number(value: number): void {
    this.room(9)
    const { at } = this
    if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
      if (value >= 0 && value < SMALL_INT) {
        this.#bytes[at] = SMALL_INT | value
        this.at = at + 1
      } else {
        this.#bytes[at] = INT_VALUE
        this.#view.setInt32(at + 1, value, true)
        this.at = at + 5
      }
    } else {
      this.#bytes[at] = DOUBLE_VALUE
      this.#view.setFloat64(at + 1, value, true)
      this.at = at + 9
    }
  }

  bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) === value) {
      this.room(9)
      this.#bytes[this.at] = BIGINT_64
      this.#view.setBigInt64(this.at + 1, value, true)
      this.at += 9
      return
    }
    this.byte(BIGINT_LONG)
    this.byte(value < 0n ? 1 : 0)
    this.text((value < 0n ? -value : value).toString(16))
  }

  /** A text, with a tag that says of which kind. */
  text(value: string): void {
    const { length } = value
    const start = this.at
    this.room(length + 6)
    this.#bytes[start] = LATIN1_TEXT
    if (length < 0x80) {
      this.#bytes[start + 1] = length
      this.at = start + 2
    } else {
      this.at = start + 1
      this.count(length)
    }
    if (this.#narrow(value)) return
    this.at = start
    this.byte(UTF16_TEXT)
    this.count(length)
    this.#wide(value)
  }

  /** A text without a tag; the lowest bit of the length says of which kind. */
  protected key(value: string): void {
    const start = this.at
    this.count(value.length * 2)
    if (this.#narrow(value)) return
    this.at = start
    this.count(value.length * 2 + 1)
    this.#wide(value)
  }

  /** Copies these bytes as they are. */
  bytes(source: Uint8Array, length: number = source.length): void {
    this.room(length)
    const { at } = this
    if (length > FEW_BYTES) this.#bytes.set(source, at)
    else for (let i = 0; i < length; i++) this.#bytes[at + i] = source[i] as number
    this.at = at + length
  }

  /** The elements of an array, all of the same width; false, with nothing written, if an element does not fit. */
  protected packed(array: readonly unknown[], width: Width): boolean {
    this.room(array.length * width)
    if (!writePacked(this.#view, this.at, array, width)) return false
    this.at += array.length * width
    return true
  }

  /** A copy of the bytes written from there on. */
  protected bytesFrom(start: number): Uint8Array {
    return Uint8Array.from(this.#bytes.subarray(start, this.at))
  }

  /** False if a character does not fit into a byte; `at` is unchanged then. */
  #narrow(value: string): boolean {
    const { length } = value
    this.room(length)
    const { at } = this
    const bytes = this.#bytes
    if (length >= LONG_TEXT) {
      if (isWide(value)) return false
      bytes.write(value, at, length, "latin1")
    } else {
      for (let i = 0; i < length; i++) {
        const code = value.charCodeAt(i)
        if (code > 255) return false
        bytes[at + i] = code
      }
    }
    this.at = at + length
    return true
  }

  #wide(value: string): void {
    const size = value.length * 2
    this.room(size)
    this.#bytes.write(value, this.at, size, "utf16le")
    this.at += size
  }
}
