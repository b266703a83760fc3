import { RESULT_OF } from "./internals.ts"
import { compareAndSetLong, exchangeLong, loadLong } from "#atomics"
import { rangeError, typeError } from "../checks.ts"
import { LINE } from "../memory/layout.ts"
import { type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { AtomicNumber } from "./atomic-number.ts"

/*
 * Why numbers: with bigints for results, `bytes.get() / 1024` is a TypeError, and so is `JSON.stringify`. And a wrap at
 * 2⁶³ is a mistake in Java too: at a billion a second it takes 292 years to come to it, and 104 days to 2⁵³ here.
 *
 * Why a loop: a single 64-bit add would take half as long (17 ns, and a 32-bit add 8 ns, where this takes 35 to 45).
 * But it finds out only afterwards that the sum is out of range, and would then have to subtract again. A thread that
 * dies in between does not, and all threads would see a value that must not be seen.
 *
 * Why not two words of 32 bits, the upper one counting the carries of the lower: that works for a number that only ever
 * grows by one (memory/structures/counter.ts), but not if it can be set, and a thread that dies before its carry leaves
 * the number wrong for ever.
 */

/** Alone on its cache line. */
const WORDS = LINE
const VALUE = 0

const DEMAND = "an integer from −(2⁵³ − 1) to 2⁵³ − 1"

/**
 * An integer that all threads share and that may be as large as JavaScript can count, up to 2⁵³ − 1 either way.
 *
 * Java's has 64 bits and wraps around. This one holds ordinary numbers, which are exact up to 2⁵³ − 1: an operation
 * with a larger result throws a `RangeError` and changes nothing. `AtomicInteger` is several times faster.
 *
 * **Memory effects.** As for `AtomicInteger`: every access is sequentially consistent.
 */
export class AtomicLong extends AtomicNumber {
  readonly #longs: BigInt64Array

  /** `initial` is its first value; default 0. */
  constructor(initial?: number)
  /** @internal */
  constructor(initial: number | SharedMemory)
  constructor(initial: number | SharedMemory = 0) {
    const memory = initial instanceof SharedMemory ? initial : create(initial)
    super("AtomicLong", memory)
    this.#longs = longsOf(memory)
  }

  /** The same integer that another thread has posted. */
  static from(shared: Shared): AtomicLong {
    return new AtomicLong(SharedMemory.open("AtomicLong", shared))
  }

  get(): number {
    return Number(loadLong(this.#longs, VALUE))
  }

  set(value: number): void {
    exchangeLong(this.#longs, VALUE, longOf("value", value))
  }

  getAndSet(value: number): number {
    return Number(exchangeLong(this.#longs, VALUE, longOf("value", value)))
  }

  compareAndSet(expected: number, value: number): boolean {
    return compareAndSetLong(this.#longs, VALUE, longOf("expected", expected), longOf("value", value))
  }

  getAndAdd(delta: number): number {
    return this.#add(longOf("delta", delta), delta) - delta
  }

  addAndGet(delta: number): number {
    return this.#add(longOf("delta", delta), delta)
  }

  getAndIncrement(): number {
    return this.#add(1n, 1) - 1
  }

  getAndDecrement(): number {
    return this.#add(-1n, -1) + 1
  }

  incrementAndGet(): number {
    return this.#add(1n, 1)
  }

  decrementAndGet(): number {
    return this.#add(-1n, -1)
  }

  /**
   * Adds, and returns the sum. Both summands are exact, and so is their sum, or it is out of range and detected as
   * such.
   */
  #add(delta: bigint, amount: number): number {
    const longs = this.#longs
    for (;;) {
      const value = loadLong(longs, VALUE)
      const sum = Number(value) + amount
      if (!Number.isSafeInteger(sum)) throw rangeError("sum", DEMAND, sum)
      if (compareAndSetLong(longs, VALUE, value, value + delta)) return sum
    }
  }

  /** @internal */
  protected override [RESULT_OF](computed: number): number {
    requireSafe("result of the function", computed)
    return computed + 0 // −0 is 0
  }
}

function requireSafe(name: string, value: number): void {
  if (typeof value !== "number") throw typeError(name, DEMAND, value)
  if (!Number.isSafeInteger(value)) throw rangeError(name, DEMAND, value)
}

function longOf(name: string, value: number): bigint {
  requireSafe(name, value)
  return BigInt(value)
}

function longsOf(memory: SharedMemory): BigInt64Array {
  return new BigInt64Array(memory.words.buffer)
}

function create(initial: number): SharedMemory {
  const value = longOf("initial", initial)
  const memory = SharedMemory.allocate(WORDS)
  exchangeLong(longsOf(memory), VALUE, value)
  return memory
}
