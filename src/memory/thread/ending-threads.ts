import { push } from "../../primordials.ts"
import { type Chore, type Chores, ChoreTimer } from "../flow/chores.ts"
import { LifeProbe } from "./life.ts"
import type { ThreadRegistry } from "./thread-registry.ts"

/**
 * When a thread is probed for the first time, in ms. Most threads take longer than that to end, and few take more than
 * ten times as long.
 */
const SOON = 0.5

/**
 * The threads that were asked to end and are not yet known to have stopped. Each is probed (life.ts) until it has
 * stopped, and then reaped: by a timer, and as a chore while this thread blocks.
 */
export class EndingThreads implements Chore {
  readonly #registry: ThreadRegistry
  readonly #timer: ChoreTimer
  #probes: LifeProbe[] = []

  constructor(registry: ThreadRegistry, chores: Chores) {
    this.#registry = registry
    this.#timer = new ChoreTimer(chores, this)
  }

  /**
   * The runtime has been asked to end the thread. This marks it in the thread registry, too, and reaps it when it has
   * stopped.
   */
  add(token: number): void {
    if (!this.#registry.markTerminating(token) || this.#probes.some((probe) => probe.token === token)) return
    push(this.#probes, new LifeProbe(this.#registry, token, SOON))
    this.#wind()
  }

  get dueIn(): number {
    return this.#probes.reduce((soonest, { dueIn }) => Math.min(soonest, dueIn), Infinity)
  }

  run(): void {
    const stopped: number[] = []
    this.#probes = this.#probes.filter((probe) => {
      const hasStopped = probe.ask()
      if (hasStopped) push(stopped, probe.token)
      return !hasStopped
    })
    this.#wind()
    for (const token of stopped) this.#registry.reap(token)
  }

  /** The timer does not keep the process alive: a wait for something that the thread holds does so, if it should. */
  #wind(): void {
    this.#timer.wind(this.#probes.length > 0)
  }
}
