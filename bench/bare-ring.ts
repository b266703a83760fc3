/**
 * The words that the bare loop of platform-floor.ts shares with its workers. HEAD and TAIL count the tasks taken and
 * submitted; DONE is the record that was done last, plus 1, which links to the one before; IDLE is 1 while a worker
 * sleeps on TAIL. A record has a line of its own.
 */
export const HEAD = 0
export const TAIL = 16
export const DONE = 32
export const IDLE = 48
const RECORDS = 64

/** The words of a record. SCRATCH is where the atomic operations happen that nothing needs here. */
export const A = 0
export const B = 1
export const RESULT = 2
export const NEXT = 3
export const SCRATCH = 4
const RECORD_SIZE = 16

/** How many tasks may be under way: a power of two. */
const CAPACITY = 2 ** 17

export function newRing(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4 * (RECORDS + CAPACITY * RECORD_SIZE)))
}

/** The record of the task with this number. */
export function recordOf(task: number): number {
  return task & (CAPACITY - 1)
}

export function wordsOf(record: number): number {
  return RECORDS + record * RECORD_SIZE
}

export interface Operations {
  readonly loads: number
  readonly stores: number
  /** By compareExchange. */
  readonly changes: number
}

/** What a task of corepool takes: see `npm run bench -- contention`. */
export const OF_SUBMITTER: Operations = { loads: 10, stores: 2, changes: 2 }
export const OF_WORKER: Operations = { loads: 17, stores: 3, changes: 6 }

/** Does so many atomic operations in the record. */
export function operate(words: Int32Array, record: number, { loads, stores, changes }: Operations): void {
  const scratch = wordsOf(record) + SCRATCH
  for (let i = 0; i < loads; i++) Atomics.load(words, scratch)
  for (let i = 0; i < stores; i++) Atomics.store(words, scratch, 0)
  for (let i = 0; i < changes; i++) Atomics.compareExchange(words, scratch, 0, 0)
}
