import { OwnSet } from "../../primordials.ts"
import { Timer } from "../../time/timer.ts"
import { guarded } from "./guard.ts"

export interface Chore {
  /** In ms from now. */
  readonly dueIn: number
  run(): void
}

/**
 * The work that a thread has to do for others at certain times: terminate tasks that do not stop, and find out which
 * threads have stopped. A thread also does it while it blocks and no timer goes off, since the end of that wait may
 * depend on it.
 */
export class Chores {
  readonly #chores = new OwnSet<Chore>()

  add(chore: Chore): void {
    this.#chores.add(chore)
  }

  delete(chore: Chore): void {
    this.#chores.delete(chore)
  }

  /** When the next chore is due, in ms from now. */
  get dueIn(): number {
    let soonest = Infinity
    for (const { dueIn } of this.#chores) soonest = Math.min(soonest, dueIn)
    return soonest
  }

  /** Runs the chores that are due. */
  run(): void {
    for (const chore of [...this.#chores]) if (chore.dueIn <= 0) guarded(() => chore.run())
  }
}

/** Has a chore done at its time: by a timer, and as one of the thread's chores while the thread blocks. */
export class ChoreTimer {
  readonly #chores: Chores
  readonly #chore: Chore
  #timer: Timer | undefined

  constructor(chores: Chores, chore: Chore) {
    this.#chores = chores
    this.#chore = chore
  }

  /** Call it when the time of the chore has changed. The timer does not keep the process alive. */
  wind(hasWork: boolean): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (!hasWork) this.#chores.delete(this.#chore)
    else {
      this.#chores.add(this.#chore)
      this.#timer = new Timer(Math.max(this.#chore.dueIn, 0), true, () => this.#chore.run())
    }
  }
}
