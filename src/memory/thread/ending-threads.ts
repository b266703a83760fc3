import { Timer } from "../../time/timer.ts"
import type { Chore, Chores } from "../flow/chores.ts"
import { LifeProbe } from "./life.ts"
import type { ThreadRegistry } from "./thread-registry.ts"

/**
 * When a thread is asked for first, in ms. Most take longer than that to end, and few take more than ten times as long.
 */
const SOON = 0.5

/**
 * Threads that were told to end, and are not yet known to have stopped. Each is asked for (life.ts) until it has, and
 * then buried: by a timer, and while this thread blocks.
 */
export class EndingThreads implements Chore {
  readonly #registry: ThreadRegistry
  readonly #chores: Chores
  #probes: LifeProbe[] = []
  #timer: Timer | undefined

  constructor(registry: ThreadRegistry, chores: Chores) {
    this.#registry = registry
    this.#chores = chores
  }

  /** The thread was told to end, by the runtime: it is now told so by the space, too, and buried when it has. */
  add(token: number): void {
    if (!this.#registry.markTerminating(token) || this.#probes.some((probe) => probe.token === token)) return
    this.#probes.push(new LifeProbe(this.#registry, token, SOON))
    this.#wind()
  }

  get dueIn(): number {
    return this.#probes.reduce((soonest, { dueIn }) => Math.min(soonest, dueIn), Infinity)
  }

  run(): void {
    const stopped: number[] = []
    this.#probes = this.#probes.filter((probe) => {
      const hasStopped = probe.ask()
      if (hasStopped) stopped.push(probe.token)
      return !hasStopped
    })
    this.#wind()
    for (const token of stopped) this.#registry.reap(token)
  }

  #wind(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#probes.length === 0) this.#chores.delete(this)
    else {
      this.#chores.add(this)
      // Who waits for what the thread holds keeps the process alive, if that is to be.
      this.#timer = new Timer(Math.max(this.dueIn, 0), true, () => this.run())
    }
  }
}
