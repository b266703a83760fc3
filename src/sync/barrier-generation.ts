import { load, read, store, write } from "#atomics"
import { push } from "../primordials.ts"
import type { ThreadContext } from "../memory/thread/thread-context.ts"
import { wholeLines } from "../memory/layout.ts"
import { FREE, WAITING } from "../memory/thread/node-pool.ts"
import type { SharedMemory } from "../memory/shared/shared-memory.ts"
import { NODE } from "../memory/thread/thread-registry.ts"
import type { WaitNode } from "../memory/wait/wait-node.ts"
import { QUEUE } from "../memory/wait/wait-queue.ts"

export const BARRIER = {
  GUARD: 0,
  ARRIVED: 1,
  TRIPPER: 2,
  ENDING: 3,
  BROKEN: 4,
  GENERATION: 5,
  DEATHS_SEEN: 6,
  PARTIES: 7,
  HAS_ACTION: 8,
  SIZE: 9,
} as const
/** After these words come two queues, which are for barrier-core.ts as GUARD is, and then the slots. */
export const INNER: number = wholeLines(BARRIER.SIZE)
export const OUTER: number = INNER + wholeLines(QUEUE.SIZE)
const SLOTS = OUTER + wholeLines(QUEUE.SIZE)
const SLOT = { NODE: 0, THREAD: 1, SIZE: 2 } as const

/** How a generation ends: values of ENDING, and what is written into nodes. */
export const TRIP = 1
export const BREAK = 2
export const RESET = 3

/**
 * The word of a node where that is written. A node of a barrier is in no queue, and does not need its mode otherwise.
 */
const FATE = NODE.MODE

/** A node whose wait is over, and its thread. */
export interface Released {
  readonly thread: number
  readonly node: number
}

/**
 * The words of a cyclic barrier: which flows have arrived, and how a generation of flows that wait together ends.
 *
 * A generation ends in one of three ways: it trips, it breaks, or it is reset, which is a break that leaves no trace.
 * Every waiting flow has a node, and a slot here that names the node. To end the generation is to write the outcome
 * into each node. A flow could not look it up in the barrier: by the time it looks, the barrier may have been through
 * any number of generations.
 *
 *     ARRIVED     how many slots are taken; each holds the number of a node and the token of its thread
 *     TRIPPER     the token of the thread that runs the action, or 0; the generation is complete then
 *     ENDING      how the generation is just being ended, or 0
 *     BROKEN      1 until it is reset
 *     GENERATION  changes when all nodes of a generation have been written, and not before
 *
 * One thread at a time, the holder of the guard, changes them: see barrier-core.ts. If it dies during a change, the
 * next holder completes that change. Slots are emptied from the last to the first, each after its node was written, and
 * to write the same node again does no harm: a node does not go back to its thread until GENERATION has changed.
 */
export class BarrierGeneration {
  readonly #threadContext: ThreadContext
  readonly #words: Int32Array
  readonly parties: number
  readonly hasAction: boolean
  #released: Released[] = []

  constructor(memory: SharedMemory) {
    this.#threadContext = memory.threadContext
    this.#words = memory.words
    this.parties = load(this.#words, BARRIER.PARTIES)
    this.hasAction = load(this.#words, BARRIER.HAS_ACTION) !== 0
  }

  /** How many words a barrier for that many parties consists of. */
  static size(parties: number): number {
    return SLOTS + parties * SLOT.SIZE
  }

  /** Initialises fresh words as a barrier. */
  static begin(words: Int32Array, parties: number, hasAction: boolean): void {
    store(words, BARRIER.PARTIES, parties)
    store(words, BARRIER.HAS_ACTION, hasAction ? 1 : 0)
  }

  // ------------------------------------------------------------------ for all threads

  /** The number of the generation. No thread writes to the node of an earlier generation any more. */
  get number(): number {
    return load(this.#words, BARRIER.GENERATION)
  }

  get isBroken(): boolean {
    return load(this.#words, BARRIER.BROKEN) !== 0
  }

  get arrived(): number {
    return load(this.#words, BARRIER.ARRIVED)
  }

  /** The thread that runs the action. */
  get tripper(): number {
    return load(this.#words, BARRIER.TRIPPER)
  }

  /** Whether no thread has died since the last {@link look}. */
  get isUpToDate(): boolean {
    return load(this.#words, BARRIER.DEATHS_SEEN) === this.#threadContext.registry.deaths
  }

  /** Whether the generation of this node has ended; then {@link hasTripped} is valid. */
  isOver(node: WaitNode): boolean {
    return node.state === FREE
  }

  hasTripped(node: WaitNode): boolean {
    return read(this.#threadContext.registry.reach(node.index), node.index + FATE) === TRIP
  }

  // ------------------------------------------------------------------ for the holder of the guard

  add(node: WaitNode): void {
    const position = read(this.#words, BARRIER.ARRIVED)
    const slot = SLOTS + position * SLOT.SIZE
    write(this.#words, slot + SLOT.NODE, node.index)
    write(this.#words, slot + SLOT.THREAD, this.#threadContext.token)
    store(this.#words, BARRIER.ARRIVED, position + 1)
  }

  /** This thread runs the action; the generation stays as it is until the action ends. */
  beginAction(): void {
    store(this.#words, BARRIER.TRIPPER, this.#threadContext.token)
  }

  end(how: number): void {
    const words = this.#words
    store(words, BARRIER.ENDING, how)
    for (let left = read(words, BARRIER.ARRIVED) - 1; left >= 0; left--) {
      this.#tell(left, how)
      store(words, BARRIER.ARRIVED, left)
    }
    store(words, BARRIER.TRIPPER, 0)
    store(words, BARRIER.BROKEN, how === BREAK ? 1 : 0)
    store(words, BARRIER.GENERATION, (read(words, BARRIER.GENERATION) + 1) | 0)
    store(words, BARRIER.ENDING, 0)
  }

  /** Called after the last holder of the guard died with it. */
  recover(): void {
    const ending = read(this.#words, BARRIER.ENDING)
    // It is not known what else the dead thread was doing. In any case it had come to this barrier, and will not come
    // again.
    this.end(ending === 0 ? BREAK : ending)
  }

  /** Breaks the generation if a thread that belongs to it has died. */
  look(): void {
    const { deaths } = this.#threadContext.registry
    if (deaths === read(this.#words, BARRIER.DEATHS_SEEN)) return
    if (this.#hasLostSomebody()) this.end(BREAK)
    store(this.#words, BARRIER.DEATHS_SEEN, deaths)
  }

  /** The nodes of generations that have ended since the last call, first come first: to be woken. */
  takeReleased(): Released[] {
    const released = this.#released
    if (released.length === 0) return released
    this.#released = []
    return released.reverse()
  }

  // ------------------------------------------------------------------ inside

  #tell(position: number, fate: number): void {
    const slot = SLOTS + position * SLOT.SIZE
    const node = read(this.#words, slot + SLOT.NODE)
    const thread = read(this.#words, slot + SLOT.THREAD)
    const words = this.#threadContext.registry.reach(node)
    // A thread that died after that may have written this node before. If the node's own thread has died too, the node
    // may belong to another thread by now. Checking STATE before THREAD reveals that, because a thread writes THREAD
    // before STATE.
    if (load(words, node + NODE.STATE) !== WAITING || load(words, node + NODE.THREAD) !== thread) return
    write(words, node + FATE, fate)
    store(words, node + NODE.STATE, FREE)
    push(this.#released, { thread, node })
  }

  #hasLostSomebody(): boolean {
    const { registry } = this.#threadContext
    const tripper = read(this.#words, BARRIER.TRIPPER)
    if (tripper !== 0 && !registry.isAlive(tripper)) return true
    for (let position = read(this.#words, BARRIER.ARRIVED) - 1; position >= 0; position--) {
      if (!registry.isAlive(read(this.#words, SLOTS + position * SLOT.SIZE + SLOT.THREAD))) return true
    }
    return false
  }
}
