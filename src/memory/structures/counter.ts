import { add, load } from "#atomics"

/**
 * A counter of up to 2⁵³ in two Int32 words, so that it can lie in shared memory beside the control
 * word and be raised by any thread. (A BigInt64 word would be one instruction, but reading it
 * allocates, and statistics are read often.)
 */
export class Counter {
  readonly #words: Int32Array
  readonly #low: number
  readonly #high: number

  /** Occupies `words[index]` (low half, unsigned) and `words[index + 1]` (high half). */
  constructor(words: Int32Array, index: number) {
    this.#words = words
    this.#low = index
    this.#high = index + 1
  }

  increment(): void {
    // { high, low: −1 } -> { high + 1, low: 0 }: the thread that wraps the low half carries.
    if (add(this.#words, this.#low, 1) === -1) add(this.#words, this.#high, 1)
  }

  /** Adds `amount` at once, up to 2³¹ − 1 at a time. */
  add(amount: number): void {
    const before = add(this.#words, this.#low, amount) >>> 0
    if (before + amount >= 2 ** 32) add(this.#words, this.#high, 1)
  }

  /**
   * The count. Exact on one thread; between threads a reader that falls between the two halves of a
   * carry sees 2³² too few, once in four billion increments and for as long as the carry takes.
   */
  get value(): number {
    for (;;) {
      const high = load(this.#words, this.#high)
      const low = load(this.#words, this.#low) >>> 0
      // A whole carry between the two loads would show the new low half with the old high half.
      if (load(this.#words, this.#high) === high) return high * 2 ** 32 + low
    }
  }
}
