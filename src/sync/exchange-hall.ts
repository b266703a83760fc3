import { compareAndSet, load, read, store, write } from "#atomics"
import { IllegalStateError, NotSerializableError } from "../errors.ts"
import { acquiring } from "../lock/acquiring.ts"
import type { Flow } from "../memory/flow/flow.ts"
import { type Steps, TIMEOUT } from "../memory/flow/waiting.ts"
import { LINE, wholeLines } from "../memory/layout.ts"
import type { GrowableMemory } from "../memory/shared/growable-memory.ts"
import { FREE } from "../memory/thread/node-pool.ts"
import { NODE } from "../memory/thread/thread-registry.ts"
import { EXCLUSIVE, QUEUE, WaitQueue } from "../memory/wait/wait-queue.ts"
import type { Visitor } from "./visitor.ts"

const GUARD = wholeLines(QUEUE.SIZE)
const OFFER = GUARD + 1
/** Where the next new block will be. */
const TOP = GUARD + 2
/** Two words, by which all objects over this memory know that it is the same. */
const IDENTITY = GUARD + 3
const BLOCKS = GUARD + LINE

const BLOCK = { SIZE: 0, LENGTH: 1, OWNER: 2, STATE: 3, RESULT: 4, NODE: 5, DATA: 6 } as const

/** Values of STATE. Other values mean nothing to other threads. */
const OFFERED = 1
const MATCHED = 2
const WITHDRAWN = 3

/** Sizes of blocks: powers of two up to a MiB, and whole MiB above. */
const SMALLEST = 64
const MEBI = 2 ** 18
export const INITIAL_WORDS: number = BLOCKS + 2 * SMALLEST
export const MOST_WORDS: number = 2 ** 26

function sizeFor(bytes: number): number {
  const words = BLOCK.DATA + Math.ceil(bytes / 4)
  if (words > MEBI) return Math.ceil(words / MEBI) * MEBI
  return Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(words)))
}

/** The thread and the wait node to wake. */
export interface Partner {
  readonly thread: number
  readonly node: number
}

/** What a visitor knows of its own thread. Both are called under the guard. */
export interface Neighbours {
  /** Exchanges with a flow of this thread that waits; returns what wakes that flow. Undefined if none waits. */
  meet(): (() => void) | undefined
  /** The visitor waits in the hall from now on. */
  offered(): void
}

/**
 * Where threads meet to exchange bytes. At most one flow waits in the hall; the next flow that comes takes it as its
 * partner.
 *
 * How it works
 *
 * The bytes that each flow gives lie in a *block* of the memory. A thread that allocates a block, or looks for a
 * partner, holds GUARD, which names the thread, for as long as it takes to copy the bytes, and never across a wait.
 * OFFER is the block of the waiting flow, or 0. The STATE of that block decides the outcome of its wait, once:
 *
 *     OFFERED -> MATCHED     by the partner, under the guard: what it gives in return lies ready in the block RESULT
 *     OFFERED -> WITHDRAWN   by the waiting flow (or another flow of its thread), without the guard
 *
 * A block is in use while its OWNER is alive and has not let go of it, and so is the RESULT of a block whose owner is
 * yet to fetch it. All other blocks are free, and are used again by size: a block never changes its size, of which
 * there are few, so there is nothing to be split or joined.
 *
 * Death. Every step leaves things in order. The guard of a dead thread is taken over, and there is nothing to repair: a
 * block that the dead thread was about to fill is free, since its owner is dead. An offer of a dead thread is no offer.
 * A flow whose thread dies after the match has exchanged, as far as its partner can tell.
 */
export class ExchangeHall {
  readonly #memory: GrowableMemory
  readonly #words: Int32Array
  /** The flows that wait for the guard. */
  readonly queue: WaitQueue

  constructor(memory: GrowableMemory) {
    this.#memory = memory
    this.#words = memory.words
    this.queue = new WaitQueue(memory.threadContext, memory.words, 0, memory)
  }

  /** Initialises a new hall. */
  begin(): void {
    store(this.#words, TOP, BLOCKS)
    store(this.#words, IDENTITY, Math.floor(Math.random() * 2 ** 32) | 0)
    store(this.#words, IDENTITY + 1, Math.floor(Math.random() * 2 ** 20))
  }

  get identity(): number {
    return (load(this.#words, IDENTITY) >>> 0) + load(this.#words, IDENTITY + 1) * 2 ** 32
  }

  /** Whether a flow waits, as far as can be seen without the guard. */
  get hasOffer(): boolean {
    const offer = load(this.#words, OFFER)
    return offer !== 0 && this.isOffered(offer)
  }

  /** How many words all blocks together occupy, in use or not. */
  get extent(): number {
    return load(this.#words, TOP) - BLOCKS
  }

  // ------------------------------------------------------------------ a visit

  /** Waits for a partner. When it returns, or throws, the visitor has to {@link depart}. */
  *visiting(visitor: Visitor, bytes: Uint8Array, flow: Flow, neighbours?: Neighbours): Steps<void> {
    if (!this.tryEnter() && !(yield* acquiring(this.queue, flow, EXCLUSIVE, true, () => this.tryEnter()))) return
    this.#meet(visitor, bytes, neighbours)
    while (visitor.block !== 0 && this.isOffered(visitor.block)) if ((yield visitor.node) === TIMEOUT) return
  }

  /** Under the guard: takes a partner, or offers the bytes. */
  #meet(visitor: Visitor, bytes: Uint8Array, neighbours: Neighbours | undefined): void {
    let wake: (() => void) | undefined
    try {
      wake = neighbours?.meet()
      const match = wake === undefined ? this.match(bytes) : undefined
      if (match !== undefined) {
        const { thread, node } = match.partner
        visitor.bytes = match.bytes
        wake = () => this.#memory.threadContext.wake(thread, node)
      } else if (wake === undefined) {
        visitor.block = this.publish(bytes, visitor.node.index)
        neighbours?.offered()
      }
    } finally {
      this.leave()
    }
    wake?.()
  }

  /** The wait is over, in whatever way. If a partner came in time after all, the visitor has its bytes. */
  depart(visitor: Visitor): void {
    const { node, block } = visitor
    if (block !== 0 && !this.withdraw(block)) visitor.bytes = this.fetch(block)
    store(this.#memory.threadContext.registry.words, node.index + NODE.STATE, FREE)
    node.end()
  }

  // ------------------------------------------------------------------ the guard

  tryEnter(): boolean {
    const guard = load(this.#words, GUARD)
    if (guard !== 0 && this.#isAlive(guard)) return false
    return compareAndSet(this.#words, GUARD, guard, this.#memory.threadContext.token)
  }

  leave(): void {
    store(this.#words, GUARD, 0)
    this.queue.wakeFirst()
  }

  // ------------------------------------------------------------------ under the guard

  /** Exchanges bytes with the waiting flow, and returns what that flow gives. Undefined if no flow waits. */
  match(bytes: Uint8Array): { readonly bytes: Uint8Array; readonly partner: Partner } | undefined {
    const offer = this.#offer()
    if (offer === 0) return undefined
    const words = this.#memory.reach(offer + BLOCK.DATA)
    const partner = { thread: read(words, offer + BLOCK.OWNER), node: read(words, offer + BLOCK.NODE) }
    const result = this.#fill(bytes)
    write(words, offer + BLOCK.RESULT, result)
    const matched = compareAndSet(words, offer + BLOCK.STATE, OFFERED, MATCHED)
    store(words, OFFER, 0)
    this.#letGo(result)
    // The owner may let go of the block at any time, but while this thread has the guard no other can use it again.
    return matched ? { bytes: this.#bytesOf(offer), partner } : undefined
  }

  /** Offers these bytes to others; returns the block. Only if no flow waits. */
  publish(bytes: Uint8Array, node: number): number {
    const block = this.#fill(bytes)
    const words = this.#memory.reach(block + BLOCK.DATA)
    write(words, block + BLOCK.NODE, node)
    store(words, block + BLOCK.STATE, OFFERED)
    store(words, OFFER, block)
    return block
  }

  /**
   * The block of the waiting flow; 0 if there is none. Forgets the offer of a dead thread, and of a flow that gave up.
   */
  #offer(): number {
    const offer = load(this.#words, OFFER)
    if (offer === 0) return 0
    const words = this.#memory.reach(offer + BLOCK.DATA)
    if (load(words, offer + BLOCK.STATE) === OFFERED && this.#isAlive(load(words, offer + BLOCK.OWNER))) return offer
    store(words, OFFER, 0)
    return 0
  }

  /** A block of this thread with these bytes. */
  #fill(bytes: Uint8Array): number {
    const block = this.#allocate(bytes.length)
    const words = this.#memory.reach(block + BLOCK.DATA)
    store(words, block + BLOCK.STATE, 0)
    write(words, block + BLOCK.LENGTH, bytes.length)
    store(words, block + BLOCK.OWNER, this.#memory.threadContext.token)
    this.#memory.writeBytes(block + BLOCK.DATA, bytes)
    return block
  }

  /** The smallest of the free blocks that are large enough, or a new one. */
  #allocate(bytes: number): number {
    const size = sizeFor(bytes)
    const awaited = new Set(this.#each((block) => (this.#isAwaiting(block) ? this.#word(block, BLOCK.RESULT) : 0)))
    let best = 0
    for (const block of this.#each((each) =>
      awaited.has(each) || this.#isAlive(this.#word(each, BLOCK.OWNER)) ? 0 : each,
    )) {
      const room = this.#word(block, BLOCK.SIZE)
      if (room >= size && (best === 0 || room < this.#word(best, BLOCK.SIZE))) best = block
    }
    return best === 0 ? this.#append(size, bytes) : best
  }

  #append(size: number, bytes: number): number {
    if (BLOCKS + size > MOST_WORDS) {
      throw new NotSerializableError(`A value of ${bytes} bytes is too large to be exchanged between threads`)
    }
    const top = load(this.#words, TOP)
    if (!this.#memory.grow(top + size)) {
      throw new IllegalStateError(
        `Too much is being exchanged at the same time: there is no room for ${bytes} more bytes`,
      )
    }
    store(this.#memory.reach(top + size), top + BLOCK.SIZE, size)
    store(this.#words, TOP, top + size)
    return top
  }

  #isAwaiting(block: number): boolean {
    return this.#word(block, BLOCK.STATE) === MATCHED && this.#isAlive(this.#word(block, BLOCK.OWNER))
  }

  /** The results of the function for all blocks, without zeros. */
  #each(look: (block: number) => number): number[] {
    const found: number[] = []
    const top = load(this.#words, TOP)
    for (let block = BLOCKS; block < top; block += this.#word(block, BLOCK.SIZE)) {
      const value = look(block)
      if (value !== 0) found.push(value)
    }
    return found
  }

  // ------------------------------------------------------------------ for the waiting flow, without the guard

  /** Whether the block still waits for a partner. */
  isOffered(block: number): boolean {
    return this.#word(block, BLOCK.STATE) === OFFERED
  }

  /** Withdraws the offer; false if it has a partner. */
  withdraw(block: number): boolean {
    const words = this.#memory.reach(block + BLOCK.DATA)
    if (!compareAndSet(words, block + BLOCK.STATE, OFFERED, WITHDRAWN)) return false
    this.#letGo(block)
    return true
  }

  /** The bytes that the partner gave. To be called once. */
  fetch(block: number): Uint8Array {
    const bytes = this.#bytesOf(this.#word(block, BLOCK.RESULT))
    this.#letGo(block)
    return bytes
  }

  #letGo(block: number): void {
    store(this.#memory.reach(block + BLOCK.DATA), block + BLOCK.OWNER, 0)
  }

  #bytesOf(block: number): Uint8Array {
    return this.#memory.readBytes(block + BLOCK.DATA, this.#word(block, BLOCK.LENGTH))
  }

  #word(block: number, word: number): number {
    return load(this.#memory.reach(block + BLOCK.DATA), block + word)
  }

  #isAlive(token: number): boolean {
    return token !== 0 && this.#memory.threadContext.registry.isAlive(token)
  }
}
