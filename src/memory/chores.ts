/**
 * What a thread has to do at certain times, for others: to end tasks that do not stop, to find out that threads have. While it
 * blocks, no timer goes off, and what it blocks for may depend on that.
 */
import { guarded } from "./guard.ts"

export interface Chore {
  /** In ms from now. */
  readonly dueIn: number
  run(): void
}

export class Chores {
  readonly #chores = new Set<Chore>()

  add(chore: Chore): void {
    this.#chores.add(chore)
  }

  delete(chore: Chore): void {
    this.#chores.delete(chore)
  }

  /** When the next one is due, in ms from now. */
  get dueIn(): number {
    let soonest = Infinity
    for (const { dueIn } of this.#chores) soonest = Math.min(soonest, dueIn)
    return soonest
  }

  /** Does what is due. */
  run(): void {
    for (const chore of [...this.#chores]) if (chore.dueIn <= 0) guarded(() => chore.run())
  }
}
