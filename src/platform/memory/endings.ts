import { load, store } from "#atomics"
import { LINE } from "../../memory/layout.ts"
import { BASE, COMPLETION_QUEUE, MOST_COMPLETION_QUEUES } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

/**
 * Shutting a pool down, from any thread, and keeping the pool from ending meanwhile.
 *
 * Any thread may shut the pool down, and it may die on the way. From before the state of the pool changes until
 * everything that the thread has taken out of the queue is in the boxes of those who submitted it, ENDS stands in its
 * box:
 *
 *     ENDS := 1;  state := STOP;  slot after slot: CLAIM, out of the queue, TAKEN, CANCELLED, into the box;  ENDS := 0;  may the pool end?
 *
 * The pool does not end while a thread has ENDS, or while anything is in the queue, see {@link mayEnd}. If the thread
 * has died, the owner of the pool does the rest and takes ENDS back, see {@link Endings.inherit}.
 *
 * The last question of that line is not to be left out, by any thread that has had ENDS, whatever for: the last worker
 * may have asked meanwhile, was told no, and has gone.
 */
export class Endings {
  readonly #memory: PoolMemory
  readonly #ends: number
  #depth = 0

  /** `box` is the number of this thread's box. */
  constructor(memory: PoolMemory, completionQueue: number) {
    this.#memory = memory
    this.#ends = boxAt(completionQueue) + COMPLETION_QUEUE.ENDS
  }

  /** The pool does not end before {@link end} has been called as often as this. */
  begin(): void {
    if (++this.#depth === 1) store(this.#memory.words, this.#ends, 1)
  }

  /** After the last one the caller asks whether the pool may end. */
  end(): void {
    if (--this.#depth === 0) store(this.#memory.words, this.#ends, 0)
  }

  /**
   * For the owner: has done what dead threads have left undone, if they have. The owner has ENDS from before their own
   * marks go until that is done, and so has to ask afterwards whether the pool may end, whether or not there was
   * anything.
   */
  inherit(finish: (left: Inheritance) => void): void {
    this.begin()
    const left = inheritance(this.#memory)
    if (left !== undefined) finish(left)
    this.end()
  }
}

/**
 * Whether a pool that is shut down may end, once it has no workers: nothing is in the queue, nor on its way out of it.
 * `isEmpty` says whether the queue was before: a thread that had emptied it by then says so by ENDS until all is handed
 * over. If it may not, the owner is asked to look: it does the rest, should no living thread do so.
 */
export function mayEnd(memory: PoolMemory, isEmpty: boolean): boolean {
  const may = isEmpty && !isEnding(memory)
  if (!may && !memory.isOwner) memory.ringOwner()
  return may
}

/** Whether a thread is shutting the pool down, or a dead one has left something undone. */
export function isEnding({ words, threadContext }: PoolMemory): boolean {
  for (const completionQueue of boxesOf(words)) {
    if (load(words, completionQueue + COMPLETION_QUEUE.ENDS) !== 0) return true
    if (
      load(words, completionQueue + COMPLETION_QUEUE.CLAIM) !== 0 &&
      !threadContext.registry.isAlive(load(words, completionQueue + COMPLETION_QUEUE.TOKEN))
    )
      return true
  }
  return false
}

/** Whether a living thread is about to take this slot out of the queue. */
export function isClaimed({ words, threadContext }: PoolMemory, slot: number): boolean {
  for (const completionQueue of boxesOf(words)) {
    if (
      load(words, completionQueue + COMPLETION_QUEUE.CLAIM) === slot &&
      threadContext.registry.isAlive(load(words, completionQueue + COMPLETION_QUEUE.TOKEN))
    )
      return true
  }
  return false
}

/** What dead threads have left undone. */
export interface Inheritance {
  /** Whether one of them was shutting the pool down. */
  readonly ends: boolean
  /** What they were about to take out of the queue, or had just taken. */
  readonly claims: readonly number[]
}

/** The boxes can be used by other threads from now on. Undefined if there is nothing to do. */
function inheritance({ words, threadContext }: PoolMemory): Inheritance | undefined {
  let ends = false
  const claims: number[] = []
  for (const completionQueue of boxesOf(words)) {
    const claim = load(words, completionQueue + COMPLETION_QUEUE.CLAIM)
    const isEnder = load(words, completionQueue + COMPLETION_QUEUE.ENDS) !== 0
    if (
      (claim === 0 && !isEnder) ||
      threadContext.registry.isAlive(load(words, completionQueue + COMPLETION_QUEUE.TOKEN))
    )
      continue
    if (claim !== 0) claims.push(claim)
    ends ||= isEnder
    store(words, completionQueue + COMPLETION_QUEUE.CLAIM, 0)
    store(words, completionQueue + COMPLETION_QUEUE.ENDS, 0)
  }
  return ends || claims.length > 0 ? { ends, claims } : undefined
}

function boxAt(number: number): number {
  return BASE.COMPLETION_QUEUES + number * LINE
}

/** Where those begin that are in use, or were. */
function* boxesOf(words: Int32Array): Generator<number> {
  for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
    const completionQueue = boxAt(number)
    if (load(words, completionQueue + COMPLETION_QUEUE.TOKEN) === 0) return // they are taken in order
    yield completionQueue
  }
}
