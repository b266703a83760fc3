/** Tasks of suite "scheduled" on worker threads: calls with plain data, which write into memory that the threads share. */
import type { Callable, ThreadFactory } from "corepool"
import type { TimedLegacy } from "./inheritance.ts"
import { PoolThreads, RESTLESS_AFTER_MS } from "./pool-threads.ts"
import { TimedMemory } from "./timed-memory.ts"
import type { TimedPart } from "./timed-part.ts"
import type { Entry, TimedCompany, TimedStage } from "./timed-stage.ts"
import { timedCallOf } from "./timed-tasks.ts"

export class WorkerTimedStage implements TimedStage {
  readonly #memory = new TimedMemory()
  readonly #threads: PoolThreads
  readonly #answering: Promise<void>

  /**
   * `blocks` is how its tasks sleep, `tick` the length of a tick in real ms: ops are half a tick away from whatever happens by
   * itself, so what takes longer than a quarter takes for ever.
   */
  constructor(company: TimedCompany, blocks: boolean, tick: number) {
    this.#threads = new PoolThreads({
      pool: () => company.pool,
      tasks: "timed-tasks.js",
      legacy: (): TimedLegacy => ({ memory: this.#memory.buffer, blocks }),
      short: tick / 4,
      inside: () => this.#memory.inside,
      isNoHurry: () => isNothingDue(company.pool),
      patience: RESTLESS_AFTER_MS,
    })
    this.#answering = this.#memory.answer((number) => company.cancel(number))
  }

  factory(): ThreadFactory {
    return this.#threads.factory()
  }

  callable(part: TimedPart): Callable<unknown> {
    return timedCallOf(part)
  }

  news(): Entry[] {
    return this.#memory.news()
  }

  async quiet(signature: () => string): Promise<void> {
    await this.#threads.quiet(() => `${signature()} ${this.#memory.length}`)
  }

  async close(): Promise<void> {
    this.#memory.stopAnswering()
    await this.#answering
    await this.#threads.ended()
  }
}

/**
 * Whether a thread that has yet to begin would do nothing but wait. To start it takes a good part of a tick, and there may be
 * more ops at this moment of the scenario's.
 */
function isNothingDue({ queue, isShutdown, poolSize, corePoolSize }: TimedCompany["pool"]): boolean {
  if (isShutdown || poolSize > Math.max(corePoolSize, 1)) return false
  const first = queue.peek() as { readonly delay: number } | undefined
  return first === undefined ? corePoolSize > 0 : first.delay > 0
}
