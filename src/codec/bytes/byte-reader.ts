import type { Bytes } from "#host/values/bytes"
import { NotSerializableError } from "../../errors.ts"
import type { BulkSource } from "./bulk.ts"
import type { EncodedValue } from "./encoded-value.ts"
import { LATIN1_TEXT, UTF16_TEXT } from "./tags.ts"
import { latin1, utf16 } from "./texts.ts"

/** How much address space all resizable buffers of one value from another process may reserve, in bytes. */
const MOST_RESERVED = 2 ** 32
/** Each buffer counts at least so much: the operating system limits the number of mappings of a process. */
const LEAST_RESERVED = 2 ** 22

/**
 * Reads what a ByteWriter wrote. It does not trust the bytes: whatever they are, it ends, and takes no more memory than
 * there are bytes.
 */
export class ByteReader {
  protected at = 0
  protected end = 0
  protected source: Bytes
  protected view: DataView
  /** Whether the bytes come from another process. */
  protected isStrange = false
  #attachments: readonly object[] = []
  #bulk: BulkSource | undefined
  /** How much may still be reserved for resizable buffers. */
  #reservable = Infinity

  constructor(encoded: EncodedValue) {
    this.source = encoded.bytes
    this.view = encoded.view
  }

  protected begin(encoded: EncodedValue, attachments: readonly object[], isStrange: boolean): void {
    this.isStrange = isStrange
    this.#reservable = isStrange ? MOST_RESERVED : Infinity
    this.source = encoded.bytes
    this.view = encoded.view
    this.at = 0
    this.end = encoded.length
    this.#attachments = attachments
    this.#bulk = encoded.bulkSource
  }

  /** Drops references to objects of the caller. */
  protected drop(): void {
    this.#attachments = []
    this.#bulk = undefined
  }

  fail(): never {
    throw new NotSerializableError("These bytes are not those of a value: the memory was written by something else")
  }

  /** The attachment with this number. */
  attachment(index: number): object {
    const attachment = this.#attachments[index]
    if (attachment === undefined) {
      throw new NotSerializableError(`The value came without what belongs to it: attachment ${index} is missing`)
    }
    return attachment
  }

  /** Makes sure that so many bytes are left, skips them and returns where they begin. */
  protected pass(size: number): number {
    const { at } = this
    if (size > this.end - at) this.fail()
    this.at = at + size
    return at
  }

  byte(): number {
    if (this.at >= this.end) this.fail()
    return this.source[this.at++] as number
  }

  count(): number {
    const first = this.byte()
    if (first < 0x80) return first
    let value = first & 0x7f
    for (let shift = 7; shift < 35; shift += 7) {
      const next = this.byte()
      value |= (next & 0x7f) << shift
      if (next < 0x80) return value >>> 0
    }
    return this.fail()
  }

  /** A number of bytes that follow. */
  size(): number {
    const size = this.count()
    if (size > this.end - this.at) this.fail()
    return size
  }

  double(): number {
    return this.view.getFloat64(this.pass(8), true)
  }

  /** The next bytes as a buffer of their own. */
  copy(size: number): ArrayBuffer {
    const start = this.pass(size)
    return (this.view.buffer as ArrayBuffer).slice(start, start + size)
  }

  /**
   * Counts a resizable buffer that is about to be made: bytes of another process may reserve only so much and so many.
   */
  reserve(size: number): void {
    this.#reservable -= Math.max(size, LEAST_RESERVED)
    if (!(this.#reservable >= 0)) this.fail()
  }

  /** The next bytes of those that went beside the encoded value. */
  far(size: number): ArrayBuffer {
    return this.#bulk?.next(size) ?? this.fail()
  }

  /** A text, with its tag. */
  text(): string {
    switch (this.byte()) {
      case LATIN1_TEXT:
        return this.latin1()
      case UTF16_TEXT:
        return this.utf16()
      default:
        return this.fail()
    }
  }

  protected latin1(): string {
    const length = this.size()
    return latin1(this.source, this.pass(length), length)
  }

  protected utf16(): string {
    const length = this.size()
    return utf16(this.source, this.pass(length * 2), length)
  }

  protected key(): string {
    const head = this.count()
    const length = head >>> 1
    return (head & 1) === 0
      ? latin1(this.source, this.pass(length), length)
      : utf16(this.source, this.pass(length * 2), length)
  }
}
