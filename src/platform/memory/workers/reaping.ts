import { HEADER } from "../layout.ts"
import type { PoolMemory } from "../pool-memory.ts"

/**
 * Marks the time in which the owner of a pool reaps a dead worker: the tasks of that worker are then in no place where
 * other threads would find them.
 */
export class Reaping {
  readonly #memory: PoolMemory
  #depth = 0

  constructor(memory: PoolMemory) {
    this.#memory = memory
  }

  /**
   * Call it before anything of the worker is cleared. Reaping may call user code, which may end another worker: only
   * the outermost begin and end count.
   */
  begin(): void {
    if (this.#depth++ === 0) this.#count()
  }

  /** Call it when every task of the worker is settled or back in the queue. */
  end(): void {
    if (--this.#depth === 0) this.#count()
  }

  #count(): void {
    this.#memory.setHeader(HEADER.REAPS, (this.#memory.header(HEADER.REAPS) + 1) | 0)
  }
}
