import { allocUninitialized } from "#host/values/bytes"
import { pop, push } from "../../primordials.ts"
import { bufferOf, sizeOf } from "./views.ts"

/** Shorter stretches are copied twice in less time than it takes to put them aside. */
export const BULKY = 2048

/** The bytes that went beside an encoded value. */
export interface BulkSource {
  /** The next so many bytes, in a buffer of their own; undefined if there are fewer. */
  next(size: number): ArrayBuffer | undefined
}

/**
 * Long stretches of bytes in a value, those of buffers and of views. They go beside the encoded value, not into it, and
 * so are copied only once on each side:
 *
 *     const encoded = encode(value, attachments, transfer, true)   // sender: copy encoded.bulk at once
 *     encoded.bulkSource = source                                  // receiver: returns the parts in this order
 *     decode(encoded, attachments)
 */
export class Bulk {
  /** How many parts there are. */
  count = 0
  readonly #parts: Uint8Array[] = []
  readonly #sizes: number[] = []
  #size = 0

  add(bytes: Uint8Array, size: number): void {
    this.count++
    push(this.#parts, bytes)
    push(this.#sizes, size)
    this.#size += wholeWords(size)
  }

  /** Keeps only the first so many parts. */
  cut(count: number): void {
    while (this.#sizes.length > count) this.#size -= wholeWords(pop(this.#sizes) as number)
    this.#parts.length = count
    this.count = count
  }

  /** How many bytes all parts take, each rounded up to whole words. */
  get size(): number {
    return this.#size
  }

  /**
   * Whether all parts are still there. User code that has run meanwhile may have transferred a buffer, or made it
   * shorter.
   */
  get isWhole(): boolean {
    return this.#parts.every((part, i) => sizeOf(part) === this.#sizes[i])
  }

  /** Visits each part with its offset. A part that is no longer there is visited as zeros. */
  forEach(visit: (part: Uint8Array, at: number) => void): void {
    let at = 0
    for (const [i, size] of this.#sizes.entries()) {
      const part = this.#parts[i] as Uint8Array
      visit(sizeOf(part) === size ? part : new Uint8Array(size), at)
      at += wholeWords(size)
    }
  }

  /** Copies of the parts, each in a buffer of its own. */
  copies(): ArrayBuffer[] {
    const copies: ArrayBuffer[] = []
    this.forEach((part) => {
      const copy = allocUninitialized(sizeOf(part))
      copy.set(part)
      push(copies, bufferOf(copy) as ArrayBuffer)
    })
    return copies
  }
}

/** A source that returns these buffers themselves. */
export function bulkOf(copies: readonly ArrayBuffer[]): BulkSource {
  let next = 0
  return {
    next(size) {
      const copy = copies[next++]
      return copy?.byteLength === size ? copy : undefined
    },
  }
}

/** The size rounded up to whole words, as it is laid out in memory. */
export function wholeWords(bytes: number): number {
  return Math.ceil(bytes / 4) * 4
}
