/**
 * Memory that threads share and that any of them may make larger at any time, without a lock. It is seen as words and
 * as bytes. As in growing-words.ts the views have a fixed length, which is fast, and each thread takes longer ones when
 * it needs them: ask {@link GrowingBytes.reach} first, and keep no view.
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

  /** Whether there are so many words by now; sees to it that the views have them. */
  reach(words: number): boolean {
    if (words <= this.#words.length) return true
    if (words * 4 > this.buffer.byteLength) return false
    this.#words = wordsOf(this.buffer)
    this.#bytes = bytesOf(this.buffer)
    return true
  }

  /** As {@link reach}, but makes them if it can; false if there cannot be so many, or the machine has no more. */
  provide(words: number): boolean {
    if (this.reach(words)) return true
    const { buffer } = this
    const bytes = words * 4
    if (!buffer.growable || bytes > buffer.maxByteLength) return false
    const ample = Math.min(Math.max(bytes, buffer.byteLength * 2), buffer.maxByteLength)
    return this.#grow(ample, words) || this.#grow(bytes, words)
  }

  #grow(bytes: number, words: number): boolean {
    try {
      this.buffer.grow(bytes)
    } catch (error) {
      // There is no more; or another thread has just made it larger than we asked for, and then all is well.
      if (!(error instanceof RangeError)) throw error
    }
    return this.reach(words)
  }
}

function wordsOf(buffer: SharedArrayBuffer): Int32Array {
  return new Int32Array(buffer, 0, Math.floor(buffer.byteLength / 4))
}

function bytesOf(buffer: SharedArrayBuffer): Uint8Array {
  return new Uint8Array(buffer, 0, buffer.byteLength)
}
