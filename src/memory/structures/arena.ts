import { add, compareAndSet, compareAndSetLong, load, loadLong, read, write } from "#atomics"
import { rangeError, requireInteger } from "../../checks.ts"
import { GrowingBytes } from "../growing-bytes.ts"
import { GrowingWords } from "../growing-words.ts"
import { allocUninitialized } from "#host/values/bytes"

/*
 * How it works
 *
 * A block has 2^n bytes, from 128 to 16 Mi: its kind. Each kind has a stack of free blocks, linked through LINK. The
 * head of the stack holds the first block and a tag that counts how many were put there (R. K. Treiber, 1986). So a
 * `take` that was held up between reading the link and its compareAndSet notices that the block was gone in the
 * meantime, even if it has come back: exactly 2^32 blocks of this kind would have to come back while it is held up.
 *
 * If no block of its kind is free, `take` cuts the next larger one that is: the upper half becomes free, and so on
 * until the rest is small enough. If there is none either, a fresh block begins at EXTENT. If the buffer must grow for
 * it, it grows before EXTENT changes: a thread that gets the name of a block finds the memory there.
 *
 * How large it becomes. A block is made, by a cut or fresh, only if all others of its kind were in use at a moment of
 * the call. So there never are more blocks of a kind than were in use at one time, and two for each thread: the one it
 * takes, and one left over from a cut. Whatever the order of sizes, the extent is at most the sum, over all kinds, of
 * the most that was in use of that kind at one time, and those few blocks. Small blocks are never joined to larger
 * ones. So a pool that once filled the arena with small blocks finds no room for large ones later, and sends large
 * values as it sends values that are too large for any block.
 *
 * Roads not taken. Joining neighbours: both would have to be taken out of the middle of their stacks, or the stacks
 * would have to be trees of bits, with a dozen changes for each block. Giving out larger blocks whole, instead of
 * cutting them: then threads that need large blocks find them gone, and more are made than by cutting. Kinds in between
 * the powers of two: the unused part of a block lies at its end, where large blocks were never touched and cost
 * addresses only; and cutting such kinds from one another leaves remainders of sizes that are not needed. A list of
 * free blocks for each thread, without atomics: a death would lose it.
 *
 * A death. Stacks, EXTENT and SEAL change by one compareAndSet each, and no thread waits for what comes after it. If a
 * thread dies in `take`, between its compareAndSet and its return, or in `give`, between its change of SEAL and its
 * push, then the block is in no stack and no thread knows of it: it is lost. If the thread was cutting, the part of the
 * block that was not pushed yet is lost. TAKEN may then be off by that block.
 */

/**
 * EXTENT, on a cache line of its own: how much of the memory is, or was, in blocks, in units. Then a line for each
 * kind.
 */
export const ARENA = { EXTENT: 0, KINDS: 16 } as const

/** HEAD is a long: the first free block, and the tag. TAKEN counts those in use. */
export const KIND = { HEAD: 0, TAKEN: 2, SIZE: 16 } as const

/** SEAL: that a block begins here, its kind, and whether it is in use. LINK: the next in the stack, if it is free. */
export const BLOCK = { SEAL: 0, LINK: 1, DATA: 2 } as const

/** The words of the smallest blocks. All blocks consist of units and begin at a multiple of one. */
const UNIT = 32
const KIND_BITS = 5
export const KINDS = 18
const FIRST = Math.ceil((ARENA.KINDS + KINDS * KIND.SIZE) / UNIT) * UNIT

const HEADER_BYTES = BLOCK.DATA * 4
const UNIT_BYTES = UNIT * 4
const LARGEST = roomIn(KINDS - 1)

const FREE = 1 << KIND_BITS
const IN_USE = 2 << KIND_BITS
const SEAL_BITS = ~0xff

const INITIAL_WORDS = 2 ** 14
const RESERVED_WORDS = 2 ** 26

/** Views to take a head apart and put it together, at half the cost of the arithmetic of bigints. */
const long = new BigInt64Array(1)
const halves = new Int32Array(long.buffer)

/**
 * Blocks of bytes in memory that threads share, taken and given back by any thread at any time. Lock-free.
 *
 *     const arena = Arena.reserve()                    // in one thread
 *     const arena = new Arena(buffer)                  // in the others, over its buffer
 *     const block = arena.take(5_000)                  // 0 if there is no room
 *     arena.write(block, bytes)
 *     arena.read(block, 5_000)                         // a copy
 *     arena.give(block)                                // true; false for what is no block in use
 *
 * A block is named by the index of its first word, so its name fits into a word. It is as its last user left it, 0 the
 * first time. The taker of a block tells other threads of it by an atomic access; they see what was written before.
 * Memory that is all 0 is an arena without blocks.
 *
 * Of two threads that give the same block one succeeds, as long as no thread has taken it again in between. After that
 * its name means the new block, and giving it would take it away from its new user: a name of one word has no room for
 * a generation. Let one word, changed by compare-and-set, decide which thread gives a block back.
 *
 * A thread that dies inside `take` or `give` costs at most the block it was taking or giving. What it had taken stays
 * taken, until a thread that knows of it gives it back.
 */
export class Arena {
  /** The most bytes that a block can have. */
  static readonly largest: number = LARGEST

  readonly #memory: GrowingBytes
  /** EXTENT and the lines of the kinds lie at the beginning: these views are never too short. */
  readonly #base: Int32Array
  readonly #longs: BigInt64Array

  /** Over the buffer of an arena, or one that is all 0. The buffer need not be growable. */
  constructor(buffer: SharedArrayBuffer) {
    if (buffer.byteLength < FIRST * 4) throw rangeError("buffer.byteLength", `≥ ${FIRST * 4}`, buffer.byteLength)
    this.#memory = new GrowingBytes(buffer)
    this.#base = new Int32Array(buffer, 0, FIRST)
    this.#longs = new BigInt64Array(buffer, 0, FIRST / 2)
  }

  /**
   * Makes a new arena that can grow to that many bytes; to fewer where the runtime has no such stretch of addresses.
   */
  static reserve(bytes: number = RESERVED_WORDS * 4): Arena {
    const words = Math.ceil(requireInteger("bytes", bytes, FIRST * 4) / 4)
    return new Arena(GrowingWords.reserve(Math.min(INITIAL_WORDS, words), words).buffer)
  }

  /** How many bytes of a buffer are not in blocks. */
  static get overhead(): number {
    return FIRST * 4
  }

  /** Another thread makes the same arena from this buffer. */
  get buffer(): SharedArrayBuffer {
    return this.#memory.buffer
  }

  /** How many bytes are in blocks that are taken, counting whole blocks. */
  get used(): number {
    let units = 0
    for (let kind = 0; kind < KINDS; kind++) units += load(this.#base, lineOf(kind) + KIND.TAKEN) * 2 ** kind
    return units * UNIT_BYTES
  }

  /** How many bytes are in blocks, taken or free. It never gets less. */
  get extent(): number {
    return load(this.#base, ARENA.EXTENT) * UNIT_BYTES
  }

  /** A block for that many bytes; 0 if there is no room, or if they are more than {@link Arena.largest}. */
  take(bytes: number): number {
    if (bytes > LARGEST) return 0
    const kind = kindFor(requireInteger("bytes", bytes, 0))
    const block = this.#pop(kind) || this.#cut(kind) || this.#begin(kind)
    if (block === 0) return 0
    write(this.#memory.words, block + BLOCK.SEAL, seal(block, IN_USE, kind))
    add(this.#base, lineOf(kind) + KIND.TAKEN, 1)
    return block
  }

  /** Gives the block back. False, and no effect, if this is not the name of a block in use. */
  give(block: number): boolean {
    const kind = this.#kindOf(block)
    if (kind < 0) return false
    const inUse = seal(block, IN_USE, kind)
    if (!compareAndSet(this.#memory.words, block + BLOCK.SEAL, inUse, seal(block, FREE, kind))) return false
    add(this.#base, lineOf(kind) + KIND.TAKEN, -1)
    this.#push(block, kind)
    return true
  }

  /** How many bytes the block has: as many as were asked for, or more. */
  roomIn(block: number): number {
    return roomIn(this.#requireKind(block))
  }

  /** Copies the first `length` of these bytes into the block, from `offset` on. */
  write(block: number, bytes: Uint8Array, length: number = bytes.length, offset: number = 0): void {
    const start = this.#place(block, bytes, length, offset)
    const source = length === bytes.length ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, length)
    this.#memory.bytes.set(source, start)
  }

  /** A copy of `length` bytes of the block, from `offset` on. */
  read(block: number, length: number, offset: number = 0): Uint8Array<ArrayBuffer> {
    if (length > LARGEST) throw rangeError("length", `≤ ${LARGEST}`, length)
    const copy = allocUninitialized(requireInteger("length", length, 0))
    this.readInto(copy, block, length, offset)
    return copy
  }

  /** As {@link read}, into existing memory: allocating takes longer than copying a thousand bytes. */
  readInto(target: Uint8Array, block: number, length: number, offset: number = 0): void {
    const start = this.#place(block, target, length, offset)
    target.set(new Uint8Array(this.buffer, start, length))
  }

  /**
   * The byte at which `offset` of the block lies. Throws unless `length` bytes fit into the block from there on, and
   * into the array.
   */
  #place(block: number, array: Uint8Array, length: number, offset: number): number {
    const kind = this.#requireKind(block)
    const room = roomIn(kind)
    requireInteger("offset", offset, 0)
    if (requireInteger("length", length, 0) > array.length) {
      throw rangeError("length", `≤ ${array.length}, the length of the array`, length)
    }
    if (offset + length > room) throw rangeError("offset + length", `≤ ${room}, the room in the block`, offset + length)
    this.#memory.reach(block + 2 ** kind * UNIT)
    return block * 4 + HEADER_BYTES + offset
  }

  #requireKind(block: number): number {
    const kind = this.#kindOf(block)
    if (kind < 0) throw rangeError("block", "a block in use", block)
    return kind
  }

  /** −1 if no block in use begins there. */
  #kindOf(block: number): number {
    if ((block | 0) !== block || block < FIRST || block % UNIT !== 0 || !this.#memory.reach(block + UNIT)) return -1
    const found = read(this.#memory.words, block + BLOCK.SEAL)
    const kind = found & (2 ** KIND_BITS - 1)
    return kind < KINDS && found === seal(block, IN_USE, kind) ? kind : -1
  }

  // ------------------------------------------------------------------ stacks

  #pop(kind: number): number {
    const head = headOf(kind)
    for (;;) {
      const before = loadLong(this.#longs, head)
      long[0] = before
      const block = halves[0] as number
      if (block === 0) return 0
      const tag = halves[1] as number
      this.#memory.reach(block + UNIT)
      // If another thread has taken the block by now, LINK may hold anything; but then the tag in the head has changed.
      const next = read(this.#memory.words, block + BLOCK.LINK)
      if (compareAndSetLong(this.#longs, head, before, longOf(next, tag))) return block
    }
  }

  #push(block: number, kind: number): void {
    const head = headOf(kind)
    for (;;) {
      const before = loadLong(this.#longs, head)
      long[0] = before
      const tag = ((halves[1] as number) + 1) | 0
      write(this.#memory.words, block + BLOCK.LINK, halves[0] as number)
      if (compareAndSetLong(this.#longs, head, before, longOf(block, tag))) return
    }
  }

  // ------------------------------------------------------------------ new blocks

  /** Makes a block of this kind from the smallest larger one that is free; 0 if there is none. */
  #cut(kind: number): number {
    for (let larger = kind + 1; larger < KINDS; larger++) {
      const block = this.#pop(larger)
      if (block === 0) continue
      // The largest part first: if this thread dies, the other threads have it.
      for (let half = larger - 1; half >= kind; half--) {
        const upper = block + 2 ** half * UNIT
        this.#memory.reach(upper + UNIT)
        write(this.#memory.words, upper + BLOCK.SEAL, seal(upper, FREE, half))
        this.#push(upper, half)
      }
      return block
    }
    return 0
  }

  /** Makes a block of this kind from memory that never was in one; 0 if there is not enough. */
  #begin(kind: number): number {
    for (;;) {
      const extent = load(this.#base, ARENA.EXTENT)
      const end = extent + 2 ** kind
      if (!this.#memory.provide(FIRST + end * UNIT)) return 0
      if (compareAndSet(this.#base, ARENA.EXTENT, extent, end)) return FIRST + extent * UNIT
    }
  }
}

/** How many bytes of data a block of this kind can have. */
function roomIn(kind: number): number {
  return 2 ** kind * UNIT_BYTES - HEADER_BYTES
}

function kindFor(bytes: number): number {
  return bytes <= UNIT_BYTES - HEADER_BYTES ? 0 : 32 - Math.clz32((bytes + HEADER_BYTES - 1) / UNIT_BYTES)
}

/** The seal depends on where the block begins, so that data that a user writes into a block does not look like one. */
function seal(block: number, state: number, kind: number): number {
  return (Math.imul(block, 0x9e37_79b1) & SEAL_BITS) | state | kind
}

/** The line of words of a kind. */
function lineOf(kind: number): number {
  return ARENA.KINDS + kind * KIND.SIZE
}

/** The index of its head among the longs. */
function headOf(kind: number): number {
  return (lineOf(kind) + KIND.HEAD) / 2
}

function longOf(block: number, tag: number): bigint {
  halves[0] = block
  halves[1] = tag
  return long[0] as bigint
}
