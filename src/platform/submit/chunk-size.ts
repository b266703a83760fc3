/** Milliseconds: a chunk should take about as long, so that handing it over costs little beside it. */
const AIM = 1
/** Milliseconds: an item that takes as long is a chunk by itself. */
const LONG = 0.1

/**
 * How many items of `map` make one task. The number grows from one while chunks take much less than a millisecond. It
 * falls at once when they take longer: to as many as fit into a millisecond, to one if an item takes 0.1 ms.
 */
export class ChunkSize {
  readonly #most: number
  #size = 1

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#size
  }

  note(items: number, time: number): void {
    const each = time / items
    if (each >= LONG) this.#size = 1
    else if (time > 2 * AIM) this.#size = Math.max(1, Math.floor(AIM / each))
    // Chunks from before the last growth say nothing about the present size.
    else if (items >= this.#size && time < AIM / 2) this.#size = Math.min(4 * this.#size, this.#most)
  }
}
