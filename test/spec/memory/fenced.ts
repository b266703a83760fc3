/** Words for a structure with a fence around: what lies outside must not change. */
import { RING } from "#src/memory/structures/ring.js"
import assert from "node:assert/strict"

export const MEMORIES: Readonly<Record<string, (words: number) => Int32Array>> = {
  ordinary: (words) => new Int32Array(words),
  shared: (words) => new Int32Array(new SharedArrayBuffer(words * 4)),
}

const FENCE = 32
const POST = 0x5afe

export class Fenced {
  readonly words: Int32Array
  readonly index = FENCE
  readonly #length: number

  constructor(length: number, memory: (words: number) => Int32Array = MEMORIES["shared"] as never) {
    this.#length = length
    this.words = memory(length + 2 * FENCE).fill(POST)
    this.words.fill(0, FENCE, FENCE + length)
  }

  assertUntouched(): void {
    assert.ok(this.words.subarray(0, FENCE).every((word) => word === POST))
    assert.ok(this.words.subarray(FENCE + this.#length).every((word) => word === POST))
  }
}

/** Where it gets interesting: the sign changes, everything wraps, laps of 4, 8 and 12 bits wrap. */
export const POSITIONS: readonly number[] = [0, 2 ** 31 - 4, 2 ** 32 - 4, 2 ** 12 - 4, 2 ** 16 - 4, -(2 ** 16) - 4]

/** Makes an empty ring look as if so many values had gone through it; a multiple of the capacity. */
export function startRingAt(
  words: Int32Array,
  index: number,
  position: number,
  capacity: number,
  maxValue: number,
): void {
  words[index + RING.HEAD] = position
  words[index + RING.TAIL] = position
  words[index + RING.HOLES] = position
  const lap = (position >>> Math.log2(capacity)) << Math.ceil(Math.log2(maxValue + 1))
  for (let cell = 0; cell < capacity; cell++) words[index + RING.CELLS + cell] = lap
}
