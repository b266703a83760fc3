/**
 * What the calls of each thread of a model gave, in words of the model: they outlive the thread that wrote them. No
 * other thread touches them, so they cost no state, and an entry is written in the same breath as the last step of
 * its call. A call of a killed thread that has no entry may have had its effect, or not.
 */
import { sharedWords, write } from "#atomics"
import assert from "node:assert/strict"

export const YES = -1
export const NO = -2

const LENGTH = 8

export class Logs {
  readonly #words: Int32Array

  constructor(threads: number) {
    this.#words = sharedWords(threads * LENGTH)
  }

  /** Makes the calls and logs the result of each, which must not be 0. */
  record(thread: number, calls: readonly (() => number)[]): void {
    assert.ok(calls.length < LENGTH)
    for (const [i, call] of calls.entries()) {
      const result = call()
      assert.notEqual(result, 0)
      write(this.#words, thread * LENGTH + i, result)
    }
  }

  of(thread: number): number[] {
    const entries = [...this.#words.subarray(thread * LENGTH, (thread + 1) * LENGTH)]
    return entries.slice(0, entries.indexOf(0))
  }
}
