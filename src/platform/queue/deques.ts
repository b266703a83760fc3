import { load, read, store, write } from "#atomics"
import { LINE, wholeLines } from "../../memory/layout.ts"
import { reserveWords } from "../../memory/reservation.ts"
import { SlotDeque } from "./slot-deque.ts"

const COUNT = 0
const ASYNC = 1
const CAPACITY = 2

/** The words of a worker's place, beside its line of the worker table (platform/memory/layout.ts). */
export const PLACE = {
  /** 1 if this worker, when it forks, has to look for threads to wake, or have a thread made. */
  CALL: 0,
  /** While it sleeps in a join: the number of the worker whose tasks it would help with; else 0. */
  HELPS: 1,
  /** The bell that wakes it. */
  BELL: 2,
  /** 1 while the worker is blocked and can do nothing for the pool. */
  BLOCKED: 3,
  /** How many tasks of other threads the worker has begun, in two words. */
  STEALS: 4,
  /** While it sleeps in a join: the slot of the joined task; 0 if there is none, or the task has no slot. */
  JOINS: 6,
  /** 1 if another worker has asked this one for arguments, and this one has not looked since. */
  ASKED: 7,
  /** The number of the completion queue in which the worker finds its tasks that thieves have finished. */
  COMPLETION_QUEUE: 8,
  /** Odd while the worker settles those tasks: see quiescence.ts. */
  SETTLES: 9,
  SIZE: 10,
} as const

const HIGH = 2 ** 32

/** A program that fills a deque needs no more threads: the worker then runs at once what it forks. */
export const DEQUE_CAPACITY: number = 2 ** 13

/**
 * The memory that a ForkJoinPool has beyond that of other pools: a place for each worker, with its deque and the words
 * that other threads read.
 *
 *     COUNT, ASYNC, CAPACITY       how many places; in which order workers take their own tasks; cells of a deque
 *     for each worker, by number:  CALL …, then its deque
 */
export class Deques {
  readonly words: Int32Array
  /** How many places there are; worker numbers go from 1 to this. */
  readonly count: number
  /** Whether workers take the oldest of their own tasks first, and not the newest. */
  readonly isAsync: boolean
  readonly #capacity: number
  readonly #deques: (SlotDeque | undefined)[] = []

  constructor(words: Int32Array) {
    this.words = words
    this.count = load(words, COUNT)
    this.isAsync = load(words, ASYNC) === 1
    this.#capacity = load(words, CAPACITY)
  }

  static allocate(count: number, isAsync: boolean, capacity: number = DEQUE_CAPACITY): Int32Array {
    const words = reserveWords(LINE + count * strideFor(capacity))
    store(words, COUNT, count)
    store(words, ASYNC, isAsync ? 1 : 0)
    store(words, CAPACITY, capacity)
    return words
  }

  /** Where the place of a worker is. */
  placeOf(worker: number): number {
    return LINE + (worker - 1) * strideFor(this.#capacity)
  }

  /** The deque of a worker, as this thread sees it. */
  of(worker: number): SlotDeque {
    return (this.#deques[worker] ??= new SlotDeque(this.words, this.placeOf(worker) + LINE, this.#capacity))
  }

  load(worker: number, word: number): number {
    return load(this.words, this.placeOf(worker) + word)
  }

  store(worker: number, word: number, value: number): void {
    store(this.words, this.placeOf(worker) + word, value)
  }

  /** A thread is about to sleep: workers 1 to `workers` have to wake it when they fork. */
  askForCalls(workers: number): void {
    for (let worker = 1; worker <= workers; worker++) this.store(worker, PLACE.CALL, 1)
  }

  /** Called by the worker itself. */
  countSteal(worker: number): void {
    const at = this.placeOf(worker) + PLACE.STEALS
    const low = (read(this.words, at) + 1) | 0
    write(this.words, at, low)
    if (low === 0) write(this.words, at + 1, read(this.words, at + 1) + 1)
  }

  /** How many tasks workers have begun that they had not forked themselves. */
  get steals(): number {
    let steals = 0
    for (let worker = 1; worker <= this.count; worker++) {
      const at = this.placeOf(worker) + PLACE.STEALS
      steals += read(this.words, at + 1) * HIGH + (read(this.words, at) >>> 0)
    }
    return steals
  }
}

function strideFor(capacity: number): number {
  return LINE + wholeLines(SlotDeque.wordsFor(capacity))
}
