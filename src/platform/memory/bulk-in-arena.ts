import { type BulkSource, wholeWords } from "../../codec/bytes/bulk.ts"
import type { Arena } from "../../memory/structures/arena.ts"

/**
 * The bulk parts that lie behind an encoded value in a block of the arena. They are never decoded in place: `next`
 * returns copies. Their lengths come from the encoded value, which is a copy too.
 */
export class BulkInArena implements BulkSource {
  readonly #arena: Arena
  readonly #block: number
  #at: number

  constructor(arena: Arena, block: number, start: number) {
    this.#arena = arena
    this.#block = block
    this.#at = start
  }

  next(size: number): ArrayBuffer | undefined {
    const at = this.#at
    if (size > this.#arena.roomIn(this.#block) - at) return undefined
    this.#at = at + wholeWords(size)
    return this.#arena.read(this.#block, size, at).buffer
  }
}
