/**
 * Words that threads share and that can become more. The buffer reserves address space for all it may ever hold, which
 * costs nothing, and grows into it. A view of fixed length is as fast as over an ordinary buffer (one that follows the
 * length is four times slower), so each thread holds a fixed view and takes a longer one when it needs it.
 * Any thread may make them more.
 */
import { sharedWords } from "#atomics"

export class GrowingWords {
  readonly #buffer: SharedArrayBuffer
  #words: Int32Array

  private constructor(words: Int32Array) {
    this.#words = words
    this.#buffer = words.buffer as SharedArrayBuffer
  }

  /** So many words at first, all 0, and room for `maximum`; less room where the runtime has no such stretch of addresses. */
  static reserve(words: number, maximum: number): GrowingWords {
    for (let room = maximum; ; room = Math.max(room / 2, words)) {
      try {
        return GrowingWords.over(new SharedArrayBuffer(words * 4, { maxByteLength: room * 4 }))
      } catch (error) {
        if (room <= words) throw error
      }
    }
  }

  /** Those in a buffer that another thread sent. */
  static over(buffer: SharedArrayBuffer): GrowingWords {
    return new GrowingWords(new Int32Array(buffer, 0, buffer.byteLength / 4))
  }

  /** Words that never become more: for models, which know all their memory from the beginning. */
  static fixed(words: number): GrowingWords {
    return new GrowingWords(sharedWords(words))
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer
  }

  get words(): Int32Array {
    return this.#words
  }

  /** How many there can be. */
  get maximum(): number {
    return (this.#buffer.growable ? this.#buffer.maxByteLength : this.#buffer.byteLength) / 4
  }

  /** Sees to it that `words` has so many, at most the maximum. */
  reach(count: number): void {
    if (count <= this.#words.length) return
    const bytes = count * 4
    if (this.#buffer.byteLength < bytes) this.#grow(bytes)
    this.#words = new Int32Array(this.#buffer, 0, this.#buffer.byteLength / 4)
  }

  #grow(bytes: number): void {
    const target = Math.min(Math.max(bytes, this.#buffer.byteLength * 2), this.#buffer.maxByteLength)
    try {
      this.#buffer.grow(target)
    } catch (error) {
      if (this.#buffer.byteLength < bytes) throw error // otherwise another thread was faster, and asked for more
    }
  }
}
