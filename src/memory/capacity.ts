/** How much the structures of this folder can be asked to hold. */
import { rangeError, requireInteger } from "../checks.ts"

/** The most of anything: 16 million. It leaves 8 bits of a word for tags and generations. */
export const MAX_CAPACITY_BITS = 24

/**
 * Checks the capacity of a circular array. With a power of two, positions run through its cells also when they wrap.
 */
export function requirePowerOfTwo(name: string, value: number): number {
  requireInteger(name, value, 2)
  if ((value & (value - 1)) !== 0 || value > 2 ** MAX_CAPACITY_BITS) {
    throw rangeError(name, `a power of two from 2 to 2^${MAX_CAPACITY_BITS}`, value)
  }
  return value
}

/** Checks the largest of the numbers that share their words with laps, tags or generations: from 1 to 2^bits − 1. */
export function requireBits(name: string, value: number, bits: number): number {
  requireInteger(name, value, 1)
  if (value >= 2 ** bits) throw rangeError(name, `an integer < 2^${bits}`, value)
  return value
}

/** How many bits it takes to write the numbers from 0 to `largest`. */
export function bitsFor(largest: number): number {
  return 32 - Math.clz32(largest)
}
