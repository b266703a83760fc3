/** A stage of worker threads: tasks are calls with plain data, and all else is in memory that the threads share. */
import type { Callable, Runnable, Thread, ThreadFactory } from "corepool"
import { prioritize } from "#src/executor/task-marks.js"
import type { JsonObject } from "../json.ts"
import { sorted } from "../results.ts"
import type { StageLegacy } from "./inheritance.ts"
import type { Ending, Part, Wings, Word } from "./part.ts"
import { callOf, driversWings } from "./pool-tasks.ts"
import { PoolThreads, RESTLESS_AFTER_MS } from "./pool-threads.ts"
import { VoidReplay } from "../suites/scenario-clock.ts"
import type { Company, Stage } from "./stage.ts"
import { StageMemory } from "./stage-memory.ts"

/** A short time-out in a scenario is this much longer here, and twice that in each further attempt. */
const SLOWER = 50

/** By then a short time-out lasts a minute. A machine that starts no thread in a quarter of that is not worth waiting for. */
const MOST_ATTEMPTS = 6

/** In ms. What takes longer takes for ever. */
const SHORT = 1000

let stages = 0

export class WorkerStage implements Stage, Wings {
  readonly #number = ++stages
  readonly #company: Company
  readonly #memory = StageMemory.create()
  readonly #parts = new Set<Part>()
  readonly #threads: PoolThreads
  /** What {@link page} has shown: how often each task has started, and ended in each way. */
  readonly #shown = new Map<string, number>()

  readonly #attempt: number

  /** `blocks` is how its tasks wait, `patience` how long everything may take, in ms. */
  constructor(company: Company, blocks: boolean, { patience = RESTLESS_AFTER_MS, attempt = 1 } = {}) {
    this.#company = company
    this.#attempt = attempt
    this.#threads = new PoolThreads({
      pool: () => company.pool,
      tasks: "pool-tasks.js",
      legacy: (): StageLegacy => ({ ...this.#memory.shared, pool: company.pool.handle, blocks }),
      short: SHORT,
      inside: () => this.#inside,
      isNoHurry: () => false,
      patience,
    })
    driversWings.set(this.#number, this)
  }

  factory(uncaught?: (thread: Thread, error: unknown) => void): ThreadFactory {
    return this.#threads.factory(uncaught)
  }

  get threadsMade(): number {
    return this.#threads.made
  }

  callable(part: Part): Callable<unknown> {
    this.#parts.add(part)
    for (const child of part.spawns) this.#parts.add(child)
    return callOf(this.#number, part)
  }

  /** Tasks that can be told to another thread have no `compareTo`; they have a priority, of which the highest comes first. */
  runnable(part: Part, priority: number): Runnable {
    const call = this.callable(part)
    prioritize(call, -priority)
    return call
  }

  /** A thread has to be started before a task is, which takes some time. */
  shortTime(ms: number): number {
    return ms * SLOWER * 2 ** (this.#attempt - 1)
  }

  checkStarts(shortMs: number): void {
    const slowest = this.#threads.slowestStart
    const limit = this.shortTime(shortMs)
    if (slowest <= limit / 4) return
    const measured = `a thread has begun after ${slowest} ms, with a time-out of ${limit} ms`
    if (this.#attempt >= MOST_ATTEMPTS) throw new Error(`Threads begin too late, again and again: ${measured}`)
    throw new VoidReplay(measured)
  }

  tell(part: Part, word: Word): void {
    this.#memory.tell(part, word)
  }

  hasStarted(part: Part): boolean {
    return this.#memory.startsOf(part) > 0
  }

  page(): JsonObject {
    const parts = [...this.#parts]
    const starts = parts.flatMap((part) => this.#fresh(part.name, this.#memory.startsOf(part)))
    const ends = parts.flatMap((part) =>
      this.#memory.endsOf(part).flatMap(([how, times]) => this.#fresh(`${part.name}:${how}`, times)),
    )
    return { newStarts: sorted(starts), newEnds: sorted(ends) }
  }

  /** The entry as often as it has become true since the last call. */
  #fresh(entry: string, times: number): string[] {
    const shown = this.#shown.get(entry) ?? 0
    this.#shown.set(entry, times)
    return Array.from({ length: times - shown }, () => entry)
  }

  /** What was given time to happen by `settleMs` is waited for: a thread with a short timer is not at rest. */
  async quiet(signature: () => string): Promise<void> {
    await this.#threads.quiet(signature)
  }

  async close(): Promise<void> {
    for (const part of this.#parts) this.tell(part, "release")
    try {
      await this.#threads.ended()
    } finally {
      driversWings.delete(this.#number)
    }
  }

  /** How many tasks are at their gates. */
  get #inside(): number {
    let count = 0
    for (const part of this.#parts) {
      count += this.#memory.startsOf(part)
      for (const [, times] of this.#memory.endsOf(part)) count -= times
    }
    return count
  }

  // ------------------------------------------------------------------ for tasks that the driver runs

  isPoolThread(): boolean {
    return false
  }

  started(part: Part): void {
    this.#memory.started(part)
  }

  ended(part: Part, how: Ending): void {
    this.#memory.ended(part, how)
  }

  execute(part: Part): void {
    this.#company.execute(part)
  }

  pass(part: Part): Promise<Word | "interrupted"> {
    return this.#memory.hear(part)
  }
}
