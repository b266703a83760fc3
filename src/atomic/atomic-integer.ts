import { RESULT_OF } from "./internals.ts"
import { add, compareAndSet, exchange, load, store } from "#atomics"
import { MAX_VALUE, rangeError, typeError } from "../checks.ts"
import { LINE } from "../memory/layout.ts"
import { type Shared, SharedMemory } from "../memory/shared/shared-memory.ts"
import { AtomicNumber } from "./atomic-number.ts"

const MIN_VALUE = -(2 ** 31)

/** Alone on its cache line: another object's words beside it would slow both down. */
const WORDS = LINE
const VALUE = 0

/**
 * An integer of 32 bits that all threads share.
 *
 * Sums wrap around as in Java: one more than 2³¹ − 1 is −2³¹. So do the results of functions given to `updateAndGet`
 * and the like. What is passed in must be an integer from −2³¹ to 2³¹ − 1: a `TypeError` or `RangeError` otherwise.
 * `AtomicLong` holds larger ones.
 *
 * **Memory effects.** Every access is sequentially consistent: what a thread wrote to shared memory before it changed
 * the number is visible to each thread that has read that change.
 *
 * @example
 * ```ts
 * import { AtomicInteger, Executors } from "corepool"
 *
 * const served = new AtomicInteger()
 * await using pool = Executors.newFixedThreadPool(2)
 * const serve = (counter: AtomicInteger): number => counter.incrementAndGet()
 * await Promise.all([pool.submit(serve, served), pool.submit(serve, served)])
 * console.log(served.get()) // => 2
 * ```
 */
export class AtomicInteger extends AtomicNumber {
  readonly #words: Int32Array

  /** `initial` is its first value; default 0. */
  constructor(initial?: number)
  /** @internal */
  constructor(initial: number | SharedMemory)
  constructor(initial: number | SharedMemory = 0) {
    const memory = initial instanceof SharedMemory ? initial : create(initial)
    super("AtomicInteger", memory)
    this.#words = memory.words
  }

  /** The same integer that another thread has posted. */
  static from(shared: Shared): AtomicInteger {
    return new AtomicInteger(SharedMemory.open("AtomicInteger", shared))
  }

  get(): number {
    return load(this.#words, VALUE)
  }

  set(value: number): void {
    store(this.#words, VALUE, requireInt("value", value))
  }

  getAndSet(value: number): number {
    return exchange(this.#words, VALUE, requireInt("value", value))
  }

  compareAndSet(expected: number, value: number): boolean {
    return compareAndSet(this.#words, VALUE, requireInt("expected", expected), requireInt("value", value))
  }

  getAndAdd(delta: number): number {
    return add(this.#words, VALUE, requireInt("delta", delta))
  }

  addAndGet(delta: number): number {
    return (add(this.#words, VALUE, requireInt("delta", delta)) + delta) | 0
  }

  getAndIncrement(): number {
    return add(this.#words, VALUE, 1)
  }

  getAndDecrement(): number {
    return add(this.#words, VALUE, -1)
  }

  incrementAndGet(): number {
    return (add(this.#words, VALUE, 1) + 1) | 0
  }

  decrementAndGet(): number {
    return (add(this.#words, VALUE, -1) - 1) | 0
  }

  /**
   * @internal `value => value + 1` does what `incrementAndGet` does, so it wraps; a number that is not exact any more
   * has no low bits.
   */
  protected override [RESULT_OF](computed: number): number {
    if (typeof computed !== "number") throw typeError("result of the function", "an integer", computed)
    if (!Number.isSafeInteger(computed)) {
      throw rangeError("result of the function", "an integer from −(2⁵³ − 1) to 2⁵³ − 1", computed)
    }
    return computed | 0
  }
}

function requireInt(name: string, value: number): number {
  const demand = "an integer from −2³¹ to 2³¹ − 1"
  if (typeof value !== "number") throw typeError(name, demand, value)
  if (!Number.isInteger(value) || value < MIN_VALUE || value > MAX_VALUE) throw rangeError(name, demand, value)
  return value
}

function create(initial: number): SharedMemory {
  requireInt("initial", initial)
  const memory = SharedMemory.allocate(WORDS)
  store(memory.words, VALUE, initial)
  return memory
}
