/**
 * States are remembered by 64-bit fingerprints, as two halves of 32 bits: the states themselves would not fit into
 * memory. Two different states with one fingerprint would hide the second; among a million states that happens once in
 * about thirty million explorations.
 */

export function mix(hash: number, value: number): number {
  let h = Math.imul(hash ^ Math.imul(value, 0xcc9e2d51), 0x1b873593)
  h = Math.imul(h ^ (h >>> 15), 0x85ebca6b)
  return h ^ (h >>> 13)
}

export function mixOther(hash: number, value: number): number {
  let h = Math.imul(hash + 0x9e3779b9, 0x2c1b3c6d) ^ Math.imul(value + 0x165667b1, 0x297a2d39)
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  return h ^ (h >>> 14)
}

/** A set of fingerprints: a hash table of pairs in one array, open addressing, at most half full. */
export class Fingerprints {
  #pairs = new Int32Array(2 ** 13)
  #mask: number = 2 ** 12 - 1
  #size = 0

  get size(): number {
    return this.#size
  }

  /** False if it was there already. */
  add(high: number, low: number): boolean {
    // Two zeros mark a free place; who has that fingerprint gets another.
    const nonZero = high === 0 && low === 0 ? 1 : low
    if (!this.#put(high, nonZero)) return false
    if (++this.#size * 2 > this.#mask) this.#grow()
    return true
  }

  #put(high: number, low: number): boolean {
    const pairs = this.#pairs
    for (let place = low & this.#mask; ; place = (place + 1) & this.#mask) {
      const thereHigh = pairs[2 * place]
      const thereLow = pairs[2 * place + 1]
      if (thereHigh === high && thereLow === low) return false
      if (thereHigh === 0 && thereLow === 0) {
        pairs[2 * place] = high
        pairs[2 * place + 1] = low
        return true
      }
    }
  }

  #grow(): void {
    const old = this.#pairs
    this.#pairs = new Int32Array(old.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let at = 0; at < old.length; at += 2) {
      const high = old[at] as number
      const low = old[at + 1] as number
      if (high !== 0 || low !== 0) this.#put(high, low)
    }
  }
}
