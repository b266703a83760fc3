/** What the threads of arena.test.ts do. */
import { Arena } from "#src/memory/structures/arena.js"
import { add, exchange, load, store } from "#src/memory/atomics.js"
import { Dice } from "../support/stress.ts"

/** Words of the control block: whether to stop; how many have begun; from TURNS on, how much each has done. */
export const STOP = 0
export const BEGUN = 1
export const TURNS = 16

/** What a block begins with: how many bytes it holds, and what the others follow from. */
const LENGTH = 0
const SEED = 1
export const PREFACE = 8

export interface Trade {
  readonly buffer: SharedArrayBuffer
  /** Each holds the name of a block that is nobody's, or 0. */
  readonly boxes: Int32Array
  readonly control: Int32Array
  /** So many sizes, each four times the one before. */
  readonly sizes: number
}

function byteAt(seed: number, index: number): number {
  return (seed + index * 7) & 255
}

export class Trader {
  readonly #arena: Arena
  readonly #dice: Dice
  readonly #sizes: number
  readonly #preface = new Int32Array(2)
  readonly #prefaceBytes = new Uint8Array(this.#preface.buffer)
  refused = 0

  constructor({ buffer, sizes }: Pick<Trade, "buffer" | "sizes">, seed: number) {
    this.#arena = new Arena(buffer)
    this.#dice = new Dice(seed)
    this.#sizes = sizes
  }

  /** A block full of bytes that are known by its preface; 0 if there is no room. */
  make(): number {
    const length = PREFACE + this.#dice.roll(100 * 4 ** this.#dice.roll(this.#sizes))
    const block = this.#arena.take(length)
    if (block === 0) {
      this.refused++
      return 0
    }
    const seed = this.#dice.roll(2 ** 30)
    this.#preface[LENGTH] = length
    this.#preface[SEED] = seed
    const bytes = new Uint8Array(length)
    for (let i = 0; i < length; i++) bytes[i] = byteAt(seed, i)
    bytes.set(this.#prefaceBytes)
    this.#arena.write(block, bytes)
    return block
  }

  /** Sees that a block is as somebody made it, and gives it back. */
  consume(block: number): void {
    this.#arena.readInto(this.#prefaceBytes, block, PREFACE)
    const [length = 0, seed = 0] = this.#preface
    const bytes = this.#arena.read(block, length)
    for (let i = PREFACE; i < length; i++) {
      if (bytes[i] !== byteAt(seed, i)) throw new Error(`Byte ${i} of ${length} in block ${block} is another's`)
    }
    if (!this.#arena.give(block)) throw new Error(`Somebody else has given block ${block}`)
  }
}

/** Makes blocks and lays them into boxes, from which it takes what others have made. Tells how often there was no room. */
export function trade(shared: Trade, turns: number, me: number, seed: number): number {
  const { boxes, control } = shared
  const trader = new Trader(shared, seed)
  const dice = new Dice(seed + 1)
  add(control, BEGUN, 1)
  for (let turn = 0; turn < turns && load(control, STOP) === 0; turn++) {
    const block = dice.roll(3) === 0 ? 0 : trader.make()
    const other = exchange(boxes, dice.roll(boxes.length), block)
    if (other !== 0) trader.consume(other)
    store(control, TURNS + me, turn + 1)
  }
  return trader.refused
}
