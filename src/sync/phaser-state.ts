import { compareAndSet, compareAndSetLong, exchange, exchangeLong, load, loadLong, store } from "#atomics"
import { MAX_VALUE } from "../checks.ts"
import { wholeLines } from "../memory/layout.ts"
import type { SharedMemory } from "../memory/shared/shared-memory.ts"
import { QUEUE } from "../memory/wait/wait-queue.ts"

export const MAX_PARTIES = 65_535

/**
 * The queue of the waiting flows comes first; a phaser with a parent leaves it empty, for all flows wait at the root.
 */
const STATE = wholeLines(QUEUE.SIZE)
const COMPLETER = STATE + 2
const ARRIVED_IN = STATE + 3
export const WORDS: number = STATE + 4

const NO_PHASE = -1
const TERMINATED = 1 << 31

/** The fields of the word, and the word itself. */
export interface Tally {
  readonly raw: bigint
  /** Negative if terminated. */
  readonly phase: number
  readonly parties: number
  readonly unarrived: number
}

export function tallyOf(phase: number, parties: number, unarrived: number): Tally {
  return { raw: (BigInt(phase) << 32n) | BigInt(parties * 0x1_0000 + unarrived), phase, parties, unarrived }
}

/** At the beginning of a phase: no party has arrived. */
export function freshTally(phase: number, parties: number): Tally {
  return tallyOf(phase, parties, parties === 0 ? 1 : parties)
}

function read(raw: bigint): Tally {
  const counts = Number(BigInt.asUintN(32, raw))
  return { raw, phase: Number(raw >> 32n), parties: counts >>> 16, unarrived: counts & 0xff_ff }
}

/** Whether there is no party that could arrive. */
export function isEmpty({ parties, unarrived }: Tally): boolean {
  return parties === 0 && unarrived !== 0
}

export function arrivedIn(tally: Tally): number {
  return isEmpty(tally) ? 0 : tally.parties - tally.unarrived
}

export function unarrivedIn(tally: Tally): number {
  return isEmpty(tally) ? 0 : tally.unarrived
}

export function nextPhase(phase: number): number {
  return (phase + 1) & MAX_VALUE
}

export function terminated(phase: number): number {
  return phase | TERMINATED
}

/**
 * The state of a phaser: one word of 64 bits, as in the JDK, so that one compare-and-set decides which arrival was the
 * last, in which phase, and how many are expected in the next.
 *
 *     bit 63        terminated
 *     62 … 32       phase
 *     31 … 16       parties
 *     15 … 0        unarrived
 *
 * Without parties, `unarrived` is 1: so 0 always means that all have arrived and the phase is about to end.
 *
 * There are two further words. COMPLETER names the thread that made `unarrived` 0 and now has to end the phase. It is
 * written before that, so it may name a thread that was about to complete the phase and did not; it means something
 * only while `unarrived` is 0. ARRIVED_IN is for a child: the phase in which it has last arrived at its parent.
 */
export class PhaserState {
  readonly #memory: SharedMemory
  readonly #words: Int32Array
  readonly #longs: BigInt64Array

  constructor(memory: SharedMemory) {
    this.#memory = memory
    this.#words = memory.words
    this.#longs = new BigInt64Array(memory.words.buffer)
  }

  /** Initialises a new phaser. */
  begin(tally: Tally): void {
    exchangeLong(this.#longs, STATE / 2, tally.raw)
    store(this.#words, ARRIVED_IN, NO_PHASE)
  }

  look(): Tally {
    return read(loadLong(this.#longs, STATE / 2))
  }

  /** True if the state was still `seen` and is now `next`. */
  replace(seen: Tally, next: Tally): boolean {
    return compareAndSetLong(this.#longs, STATE / 2, seen.raw, next.raw)
  }

  /** As {@link replace}, for an arrival that completes a phase: if it returns true, COMPLETER names this thread. */
  complete(seen: Tally, next: Tally): boolean {
    const before = load(this.#words, COMPLETER)
    const { token } = this.#memory.threadContext
    if (!compareAndSet(this.#words, COMPLETER, before, token)) return false
    if (this.replace(seen, next)) return true
    // Another thread may just have become the completer, and this one has overwritten its token.
    compareAndSet(this.#words, COMPLETER, token, before)
    return false
  }

  /** The completer is done: its death would do no harm. */
  completed(): void {
    compareAndSet(this.#words, COMPLETER, this.#memory.threadContext.token, 0)
  }

  /** Whether this very thread is just ending the phase. */
  get isCompletedHere(): boolean {
    return this.look().unarrived === 0 && load(this.#words, COMPLETER) === this.#memory.threadContext.token
  }

  /** Whether the thread that has to end the phase, if there is one, is dead. */
  get isCompleterDead(): boolean {
    const completer = load(this.#words, COMPLETER)
    return completer !== 0 && !this.#memory.threadContext.registry.isAlive(completer)
  }

  /** Notes that a child arrives at its parent; false if it has done so before in this phase. */
  arrivesFirst(phase: number): boolean {
    return exchange(this.#words, ARRIVED_IN, phase) !== phase
  }
}
