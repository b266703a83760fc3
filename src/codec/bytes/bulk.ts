import { allocUninitialized } from "../../memory/uninitialized.ts"
import { bufferOf, sizeOf } from "./views.ts"

/** Shorter ones are copied twice in less time than it takes to speak of them. */
export const BULKY = 2048

/** Where the bytes are that went beside a letter. */
export interface BulkSource {
  /** The next so many bytes, in a buffer that nobody else has; undefined if there are not so many. */
  next(size: number): ArrayBuffer | undefined
}

/**
 * Long stretches of bytes in a value, those of buffers and of views. They are not written into the letter, from where
 * they would be copied once more into shared memory, and on the other side once more out of a letter, but go beside it:
 *
 *     const letter = encode(value, attachments, transfer, true)    // here: letter.bulk is to be copied, before anything else happens
 *     letter.bulkSource = source                                   // there: hands it out again, in the same order
 *     decode(letter, attachments)
 */
export class Bulk {
  readonly #parts: Uint8Array[] = []
  readonly #sizes: number[] = []
  #size = 0

  get count(): number {
    return this.#parts.length
  }

  add(bytes: Uint8Array, size: number): void {
    this.#parts.push(bytes)
    this.#sizes.push(size)
    this.#size += wholeWords(size)
  }

  /** Keeps only the first so many. */
  cut(count: number): void {
    while (this.#sizes.length > count) this.#size -= wholeWords(this.#sizes.pop() as number)
    this.#parts.length = count
  }

  /** How many bytes that is, each part in whole words. */
  get size(): number {
    return this.#size
  }

  /**
   * Whether all of it is still there. Code of the user's that has run meanwhile may have transferred a buffer, or made
   * it shorter.
   */
  get isWhole(): boolean {
    return this.#parts.every((part, i) => sizeOf(part) === this.#sizes[i])
  }

  /** Hands out each part, and how far from the beginning it belongs. Of what is not there any more, zeros are left. */
  forEach(visit: (part: Uint8Array, at: number) => void): void {
    let at = 0
    for (const [i, size] of this.#sizes.entries()) {
      const part = this.#parts[i] as Uint8Array
      visit(sizeOf(part) === size ? part : new Uint8Array(size), at)
      at += wholeWords(size)
    }
  }

  /** Copies, each in a buffer of its own. */
  copies(): ArrayBuffer[] {
    const copies: ArrayBuffer[] = []
    this.forEach((part) => {
      const copy = allocUninitialized(sizeOf(part))
      copy.set(part)
      copies.push(bufferOf(copy) as ArrayBuffer)
    })
    return copies
  }
}

/** What is handed out are the copies themselves. */
export function bulkOf(copies: readonly ArrayBuffer[]): BulkSource {
  let next = 0
  return {
    next(size) {
      const copy = copies[next++]
      return copy?.byteLength === size ? copy : undefined
    },
  }
}

/** As they lie in memory. */
export function wholeWords(bytes: number): number {
  return Math.ceil(bytes / 4) * 4
}
