import { load, store } from "#atomics"

/**
 * A ring of entries that one thread writes and others read, and that never makes the writer wait: an entry that was not
 * read in time is overwritten, and the reader counts it as dropped.
 *
 *     HEAD      how many entries have been written, modulo 2^32
 *     entries   of {@link ENTRY} words; entry n is at place n modulo the number of places, which is a power of two
 *
 * How it works. The writer stores the words of an entry, and then counts HEAD up. A reader loads HEAD, loads the words
 * of an entry, and loads HEAD again. The entry is whole if the writer cannot have begun another entry at its place: if
 * fewer than all places have been written since. All accesses are atomic, so no processor changes their order. The
 * reader keeps its position to itself, so there may be several.
 *
 * A death. If the writer dies between any two steps, HEAD does not count the entry that it was writing, and no reader
 * looks at it. The next writer goes on at HEAD.
 */
const HEAD = 0
const ENTRIES = 1

/** The words of an entry: three numbers, and a time in two words. */
export const ENTRY = 5

/** How many words a ring with so many places has. */
export function ringWords(places: number): number {
  return ENTRIES + places * ENTRY
}

const time = new Float64Array(1)
const halves = new Int32Array(time.buffer)

export class EventRingWriter {
  readonly #words: Int32Array
  readonly #places: number
  #head: number

  /** Over words that are all 0, or that another writer, which does not write any more, has left. */
  constructor(words: Int32Array, places: number) {
    this.#words = words
    this.#places = places
    this.#head = load(words, HEAD)
  }

  write(a: number, b: number, c: number, at: number): void {
    const words = this.#words
    const entry = placeOf(this.#head, this.#places)
    time[0] = at
    store(words, entry, a)
    store(words, entry + 1, b)
    store(words, entry + 2, c)
    store(words, entry + 3, halves[0] as number)
    store(words, entry + 4, halves[1] as number)
    this.#head = (this.#head + 1) | 0
    store(words, HEAD, this.#head)
  }
}

export class EventRingReader {
  readonly #words: Int32Array
  readonly #places: number
  #next: number
  /** How many entries were overwritten before this reader came to them. */
  dropped = 0

  /** Reads what is written from now on, or what is in the ring already. */
  constructor(words: Int32Array, places: number, fromStart: boolean) {
    this.#words = words
    this.#places = places
    this.#next = fromStart ? 0 : load(words, HEAD)
  }

  /** Calls `visit` with each entry that has not been read, in their order. */
  read(visit: (a: number, b: number, c: number, at: number) => void): void {
    const words = this.#words
    const end = load(words, HEAD)
    while (this.#next !== end) {
      const behind = (end - this.#next) >>> 0
      if (behind > this.#places) this.#skip(behind - this.#places)
      const entry = placeOf(this.#next, this.#places)
      const a = load(words, entry)
      const b = load(words, entry + 1)
      const c = load(words, entry + 2)
      const low = load(words, entry + 3)
      const high = load(words, entry + 4)
      const isWhole = (load(words, HEAD) - this.#next) >>> 0 < this.#places
      if (!isWhole) {
        this.#skip(1)
        continue
      }
      this.#next = (this.#next + 1) | 0
      halves[0] = low
      halves[1] = high
      visit(a, b, c, time[0] as number)
    }
  }

  #skip(count: number): void {
    this.dropped += count
    this.#next = (this.#next + count) | 0
  }
}

function placeOf(entry: number, places: number): number {
  return ENTRIES + (entry & (places - 1)) * ENTRY
}
