import { HEADER } from "./layout.ts"
import type { PoolMemory } from "./pool-memory.ts"

/**
 * What the owner of a pool says while it deals with what a dead worker had: the tasks are in no place then where others
 * would find them.
 */
export class Reaping {
  readonly #memory: PoolMemory
  #depth = 0

  constructor(memory: PoolMemory) {
    this.#memory = memory
  }

  /**
   * Before anything of the worker is cleared. The user's code may be called, and end another worker: only the outermost
   * counts.
   */
  begin(): void {
    if (this.#depth++ === 0) this.#count()
  }

  /** All that the worker had is settled, or in the queue. */
  end(): void {
    if (--this.#depth === 0) this.#count()
  }

  #count(): void {
    this.#memory.setHeader(HEADER.REAPS, (this.#memory.header(HEADER.REAPS) + 1) | 0)
  }
}
