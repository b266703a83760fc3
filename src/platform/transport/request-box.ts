import { load, read, store, write } from "#atomics"

const TASK = 0
const POOL = 1
export const REQUEST_BOX = 3

/** The identity of a pool has 53 bits: the lower 21 of them are in the second word of POOL, the others in the first. */
const LOW = 2 ** 21

/** The task whose attachments a thread asks for, named as in a message. */
export type Request = readonly [pool: number, task: number]

/**
 * A place for one request from one thread to another, in three words. A worker asks for the attachments of one task
 * after the other, so the place is nearly always free: a message would cost both threads far more time. If it is not
 * free, the asking thread sends a message.
 *
 *     TASK   the handle of a task; 0 if the place is free
 *     POOL   the identity of its pool, two words, written before TASK
 *
 * Only the asking thread puts a request in, and only the asked thread takes it out. TASK is written last and cleared
 * last, so neither ever sees a half of one: whichever of them dies at any moment, there is a whole request, or none.
 */
export class RequestBox {
  readonly #words: Int32Array
  readonly #base: number

  /** Over {@link REQUEST_BOX} words, at first 0. */
  constructor(words: Int32Array, base: number) {
    this.#words = words
    this.#base = base
  }

  /** For the asking thread; false if the request before has not been taken out. */
  put(pool: number, task: number): boolean {
    if (load(this.#words, this.#base + TASK) !== 0) return false
    write(this.#words, this.#base + POOL, Math.floor(pool / LOW) | 0)
    write(this.#words, this.#base + POOL + 1, pool % LOW)
    store(this.#words, this.#base + TASK, task)
    return true
  }

  /** For the asked thread. */
  take(): Request | undefined {
    const task = load(this.#words, this.#base + TASK)
    if (task === 0) return undefined
    const pool = (read(this.#words, this.#base + POOL) >>> 0) * LOW + read(this.#words, this.#base + POOL + 1)
    store(this.#words, this.#base + TASK, 0)
    return [pool, task]
  }
}
