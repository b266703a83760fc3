import { load, store } from "#atomics"
import { push } from "../../../primordials.ts"
import { LINE } from "../../../memory/layout.ts"
import { BASE, COMPLETION_QUEUE, MOST_COMPLETION_QUEUES } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"
import { isTearingDown } from "./teardowns.ts"

/**
 * Shuts a pool down from any thread, and keeps the pool from terminating meanwhile.
 *
 * The thread that shuts the pool down may die on the way. ENDS of its completion queue is set from before the state of
 * the pool changes until all that the thread has taken out of the queue is in the completion queues of the submitters:
 *
 *     ENDS := 1;  state := STOP
 *     for each slot:  CLAIM, out of the queue, TAKEN, CANCELLED, into the completion queue of its submitter
 *     ENDS := 0;  may the pool terminate?
 *
 * The pool does not terminate while any thread has ENDS, or while the queue is not empty: see {@link mayEnd}. If the
 * thread has died, the owner of the pool does the rest and clears ENDS: see {@link Endings.inherit}.
 *
 * Every thread that has had ENDS, for whatever reason, must ask that last question: the last worker may have asked it
 * meanwhile, got the answer no, and left.
 */
export class Endings {
  readonly #memory: PoolMemory
  readonly #box: number
  readonly #ends: number
  #depth = 0

  /** `completionQueue` is the number of this thread's completion queue. */
  constructor(memory: PoolMemory, completionQueue: number) {
    this.#memory = memory
    this.#box = boxAt(completionQueue)
    this.#ends = this.#box + COMPLETION_QUEUE.ENDS
  }

  /** The pool does not terminate before {@link end} has been called as often as this. */
  begin(): void {
    if (++this.#depth === 1) store(this.#memory.words, this.#ends, 1)
  }

  /** After the outermost one the caller has to ask whether the pool may terminate. */
  end(): void {
    if (--this.#depth === 0) store(this.#memory.words, this.#ends, 0)
  }

  /** Resumes the pool by `resume`. If this thread dies meanwhile, the owner of the pool does the rest. */
  resuming(resume: () => void): void {
    const at = this.#box + COMPLETION_QUEUE.RESUMES
    store(this.#memory.words, at, 1)
    try {
      resume()
    } finally {
      store(this.#memory.words, at, 0)
    }
  }

  /**
   * For the owner: calls `finish` with what dead threads have left undone, if anything. The owner has ENDS from before
   * it clears their marks until `finish` returns. It must therefore ask afterwards whether the pool may terminate, even
   * if there was nothing to do.
   */
  inherit(finish: (left: Inheritance) => void): void {
    this.begin()
    const left = inheritance(this.#memory)
    if (left !== undefined) finish(left)
    this.end()
  }
}

/**
 * Whether a pool that is shut down and has no workers may terminate: nothing is in the queue, or on its way out of it,
 * and no thread runs its teardown.
 * `isEmpty` says whether the queue was empty before this call: a thread that had emptied it by then has ENDS until it
 * has handed all over. If the pool may not terminate, this rings the owner, which does the rest if no living thread
 * does.
 */
export function mayEnd(memory: PoolMemory, isEmpty: boolean): boolean {
  const may = isEmpty && !isEnding(memory) && !isTearingDown(memory)
  if (!may && !memory.isOwner) memory.ringOwner()
  return may
}

/** Whether a thread is shutting the pool down, or a dead thread has left something undone. */
export function isEnding({ words, threadContext }: PoolMemory): boolean {
  for (const completionQueue of completionQueuesIn(words)) {
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
  for (const completionQueue of completionQueuesIn(words)) {
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
  /** Whether one of them was resuming the pool. */
  readonly resumes: boolean
  /** The slots that these threads were about to take out of the queue, or had just taken. */
  readonly claims: readonly number[]
}

/**
 * Collects the marks of dead threads and clears them: other threads can use the completion queues from then on.
 * Undefined if there are none.
 */
function inheritance({ words, threadContext }: PoolMemory): Inheritance | undefined {
  let ends = false
  let resumes = false
  const claims: number[] = []
  for (const completionQueue of completionQueuesIn(words)) {
    const claim = load(words, completionQueue + COMPLETION_QUEUE.CLAIM)
    const isEnder = load(words, completionQueue + COMPLETION_QUEUE.ENDS) !== 0
    const isResumer = load(words, completionQueue + COMPLETION_QUEUE.RESUMES) !== 0
    if (
      (claim === 0 && !isEnder && !isResumer) ||
      threadContext.registry.isAlive(load(words, completionQueue + COMPLETION_QUEUE.TOKEN))
    )
      continue
    if (claim !== 0) push(claims, claim)
    ends ||= isEnder
    resumes ||= isResumer
    store(words, completionQueue + COMPLETION_QUEUE.CLAIM, 0)
    store(words, completionQueue + COMPLETION_QUEUE.ENDS, 0)
    store(words, completionQueue + COMPLETION_QUEUE.RESUMES, 0)
  }
  return ends || resumes || claims.length > 0 ? { ends, resumes, claims } : undefined
}

function boxAt(number: number): number {
  return BASE.COMPLETION_QUEUES + number * LINE
}

/** Where the completion queues begin that are in use, or were. */
function* completionQueuesIn(words: Int32Array): Generator<number> {
  for (let number = 1; number <= MOST_COMPLETION_QUEUES; number++) {
    const completionQueue = boxAt(number)
    if (load(words, completionQueue + COMPLETION_QUEUE.TOKEN) === 0) return // queues are taken in order
    yield completionQueue
  }
}
