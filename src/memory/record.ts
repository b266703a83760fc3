import { compareAndSet, load, read, store, write } from "#atomics"

/** A record in shared memory: a view, and where in it the record begins. Its words are numbered from there. */
export class MemoryRecord {
  readonly #words: Int32Array
  readonly #base: number

  constructor(words: Int32Array, base: number) {
    this.#words = words
    this.#base = base
  }

  load(word: number): number {
    return load(this.#words, this.#base + word)
  }

  store(word: number, value: number): void {
    store(this.#words, this.#base + word, value)
  }

  compareAndSet(word: number, expected: number, value: number): boolean {
    return compareAndSet(this.#words, this.#base + word, expected, value)
  }

  /** A plain read: for words that no other thread can be writing now. */
  read(word: number): number {
    return read(this.#words, this.#base + word)
  }

  write(word: number, value: number): void {
    write(this.#words, this.#base + word, value)
  }
}
