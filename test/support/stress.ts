/**
 * How much a stress test does. By default a second's worth, as a part of `npm test`; `STRESS=250 npm test -- stress` does
 * 250 times as much. What is random comes from a seed, which the test prints if it fails; `SEED=…` brings it back.
 */
export const STRESS: number = Number(process.env["STRESS"] ?? 1)

export const SEED: number = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Random numbers that a seed determines: xorshift. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0 || 1
  }

  /** An integer from 0 to n − 1. */
  roll(n: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % n
  }
}
