import { sharedWords } from "#atomics"
import { growTo, mostBytesOf, wordsOf } from "./growth.ts"
import { noteReservation, reserve } from "./reservation.ts"

/** Words that threads share and whose number can grow (growth.ts). Any thread may make them grow. */
export class GrowingWords {
  readonly #buffer: SharedArrayBuffer
  #words: Int32Array

  private constructor(words: Int32Array) {
    this.#words = words
    this.#buffer = words.buffer as SharedArrayBuffer
  }

  /**
   * Reserves `words` words at first, all 0, and room for `maximum`; less room where the runtime has no such stretch of
   * addresses.
   */
  static reserve(words: number, maximum: number): GrowingWords {
    for (let room = maximum; ; room = Math.max(room / 2, words)) {
      try {
        return new GrowingWords(wordsOf(reserve(words * 4, room * 4)))
      } catch (error) {
        if (room <= words) throw error
      }
    }
  }

  /** The words in a buffer that another thread sent. */
  static over(buffer: SharedArrayBuffer): GrowingWords {
    noteReservation(buffer)
    return new GrowingWords(wordsOf(buffer))
  }

  /** A fixed number of words: for models, which know all their memory from the beginning. */
  static fixed(words: number): GrowingWords {
    return new GrowingWords(sharedWords(words))
  }

  get buffer(): SharedArrayBuffer {
    return this.#buffer
  }

  get words(): Int32Array {
    return this.#words
  }

  /** How many words there can be. */
  get maximum(): number {
    return mostBytesOf(this.#buffer) / 4
  }

  /**
   * Makes `words` have at least `count` words, at most the maximum. Throws RangeError if the machine has no more
   * memory.
   */
  reach(count: number): void {
    if (count <= this.#words.length) return
    if (!growTo(this.#buffer, count * 4)) throw new RangeError(`There is no memory for ${count} words`)
    this.#words = wordsOf(this.#buffer)
  }
}
