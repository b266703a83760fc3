import { growTo, wordsOf } from "./growth.ts"

/**
 * Memory that threads share and that any of them may make larger at any time, without a lock. It is accessed as words
 * and as bytes. The views have a fixed length, which is fast, and each thread takes longer ones when it needs them
 * (growth.ts): call {@link GrowingBytes.reach} first, and keep no view.
 */
export class GrowingBytes {
  readonly buffer: SharedArrayBuffer
  #words: Int32Array
  #bytes: Uint8Array

  /** Over the buffer of such a memory, or one that does not grow. */
  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.#words = wordsOf(buffer)
    this.#bytes = bytesOf(buffer)
  }

  get words(): Int32Array {
    return this.#words
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Whether the memory has that many words by now; if so, the views have them too. */
  reach(words: number): boolean {
    if (words <= this.#words.length) return true
    if (words * 4 > this.buffer.byteLength) return false
    this.#words = wordsOf(this.buffer)
    this.#bytes = bytesOf(this.buffer)
    return true
  }

  /**
   * As {@link reach}, but grows the memory if it can; false if it cannot have that many, or the machine has no more.
   */
  provide(words: number): boolean {
    return this.reach(words) || (growTo(this.buffer, words * 4) && this.reach(words))
  }
}

function bytesOf(buffer: SharedArrayBuffer): Uint8Array {
  return new Uint8Array(buffer, 0, buffer.byteLength)
}
