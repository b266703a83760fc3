import { RESULT_OF } from "./internals.ts"
import { requireFunction } from "../checks.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { Shareable } from "../memory/shared/shared-memory.ts"

/**
 * What `AtomicInteger` and `AtomicLong` have in common: a number that all threads share, and that is read and changed
 * at once, so that no change by another thread falls in between or gets lost.
 *
 * **Memory effects.** Every access is sequentially consistent. Java's weaker ones (`lazySet`, `getPlain`,
 * `weakCompareAndSet` and so on) have no counterpart: JavaScript has nothing weaker.
 */
export abstract class AtomicNumber extends Shareable {
  /** The value now. */
  abstract get(): number

  /** Sets the value. */
  abstract set(value: number): void

  /** Sets it and returns the old value. */
  abstract getAndSet(value: number): number

  /** Sets it if it is `expected`, and returns whether it was. */
  abstract compareAndSet(expected: number, value: number): boolean

  /** Sets it if it is `expected`, and returns the old value: `expected` if it was set. */
  compareAndExchange(expected: number, value: number): number {
    for (;;) {
      if (this.compareAndSet(expected, value)) return expected + 0 // without the sign of −0
      const found = this.get()
      if (found !== expected) return found
    }
  }

  /** Adds `delta`, which may be negative, and returns the old value. */
  abstract getAndAdd(delta: number): number

  /** Adds `delta`, which may be negative, and returns the new value. */
  abstract addAndGet(delta: number): number

  /** Adds 1 and returns the old value. */
  abstract getAndIncrement(): number

  /** Subtracts 1 and returns the old value. */
  abstract getAndDecrement(): number

  /** Adds 1 and returns the new value. */
  abstract incrementAndGet(): number

  /** Subtracts 1 and returns the new value. */
  abstract decrementAndGet(): number

  /** @internal The number that the result of a user's function stands for; throws if for none. */
  protected abstract [RESULT_OF](computed: number): number

  /**
   * Sets it to the result of the function, and returns the old value. If another thread changes it meanwhile, the
   * function is called again: it should have no side effects. If it throws, nothing happens.
   */
  getAndUpdate(update: (value: number) => number): number {
    requireFunction("update", update)
    for (;;) {
      const value = this.get()
      if (this.compareAndSet(value, this[RESULT_OF](update(value)))) return value
    }
  }

  /** As `getAndUpdate`, but returns the new value. */
  updateAndGet(update: (value: number) => number): number {
    requireFunction("update", update)
    for (;;) {
      const value = this.get()
      const next = this[RESULT_OF](update(value))
      if (this.compareAndSet(value, next)) return next
    }
  }

  /**
   * Sets it to the function's result for its value and `operand`, in this order, and returns the old value. As with
   * `getAndUpdate` the function may be called more than once.
   */
  getAndAccumulate(operand: number, accumulate: (value: number, operand: number) => number): number {
    requireFunction("accumulate", accumulate)
    return this.getAndUpdate((value) => accumulate(value, operand))
  }

  /** As `getAndAccumulate`, but returns the new value. */
  accumulateAndGet(operand: number, accumulate: (value: number, operand: number) => number): number {
    requireFunction("accumulate", accumulate)
    return this.updateAndGet((value) => accumulate(value, operand))
  }

  /** @internal */
  override get [FACTS](): Facts {
    return { value: this.get() }
  }

  /** The value, in digits. */
  override toString(): string {
    return String(this.get())
  }

  /** So that `counter + 1` and `counter < 10` do what they say. */
  override valueOf(): number {
    return this.get()
  }
}
