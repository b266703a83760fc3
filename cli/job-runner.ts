/**
 * Runs batches of jobs on a pool. A job that ends the wrong way, by its time limit or with its thread, fails alone: the other jobs of its batch run
 * again, one by one, because their results are lost with the thread.
 */
import { AtomicInteger, type ExecutorService, ThreadDeathError, TimeoutError } from "corepool"
import {
  type Batch,
  type BatchResult,
  described,
  failureLine,
  runBatch,
  shown,
  type Style,
  type Target,
} from "./batch.ts"
import type { TimeLimit } from "./values.ts"

export interface RunnerSettings {
  readonly target: Target
  readonly style: Style
  readonly timeout: TimeLimit | undefined
  /** How often a failing job is tried in all. */
  readonly attempts: number
}

/** What became of a batch, as {@link BatchResult}; `signals` has an entry for each job that was ended from outside. */
export interface Outcome extends BatchResult {
  readonly signals: ReadonlyMap<number, number>
}

const NO_SIGNALS: ReadonlyMap<number, number> = new Map()
const SIGTERM = 15
const SIGKILL = 9

export class JobRunner {
  readonly #pool: ExecutorService
  readonly #settings: RunnerSettings
  /** The times of jobs so far, for a limit that is relative to their median. */
  readonly #times: number[] = []
  /** Counters that no batch uses. */
  readonly #counters: AtomicInteger[] = []

  #isKilled = false

  constructor(pool: ExecutorService, settings: RunnerSettings) {
    this.#pool = pool
    this.#settings = settings
  }

  /** Ends the jobs that run, and runs no more. */
  kill(): void {
    this.#isKilled = true
    this.#pool.shutdownNow()
  }

  /** Undefined if the jobs were ended by {@link kill}. */
  async run(first: number, inputs: readonly unknown[], spread: boolean): Promise<Outcome | undefined> {
    const counter = this.#counters.pop() ?? new AtomicInteger()
    try {
      return await this.#attempt({ first, inputs, spread, attempts: this.#settings.attempts }, counter, 1)
    } catch (error) {
      if (this.#isKilled) return undefined
      throw error
    } finally {
      this.#counters.push(counter)
    }
  }

  /** The outcome of a job that cannot run, because its input is wrong. */
  refused(first: number, input: string, error: Error): Outcome {
    return { ...this.#failed({ first, inputs: [input] }, error, 0), signals: NO_SIGNALS }
  }

  async #attempt(batch: Batch, counter: AtomicInteger, attempt: number): Promise<Outcome> {
    const { target, style, timeout, attempts } = this.#settings
    const limit = timeout === undefined ? undefined : this.#limit(timeout)
    const executor = limit === undefined ? this.#pool : this.#pool.with({ timeout: limit })
    const begun = performance.now()
    try {
      const result = await executor.submit(runBatch, target, style, batch, counter)
      if (timeout !== undefined && "ofMedian" in timeout) this.#times.push(...result.took)
      return { ...result, signals: NO_SIGNALS }
    } catch (error) {
      if (this.#isKilled || !(error instanceof TimeoutError || error instanceof ThreadDeathError)) throw error
      if (batch.inputs.length > 1) return await this.#oneByOne(batch, counter, error)
      if (attempt < attempts) return await this.#attempt(batch, counter, attempt + 1)
      return this.#failed(batch, error, performance.now() - begun)
    }
  }

  /** The thread has died in the job that the counter says. */
  async #oneByOne(batch: Batch, counter: AtomicInteger, error: Error): Promise<Outcome> {
    const culprit = counter.get()
    const outcomes: Outcome[] = []
    for (const [at, input] of batch.inputs.entries()) {
      const single = { ...batch, first: batch.first + at, inputs: [input] }
      const isLost = at === culprit && batch.attempts === 1
      outcomes.push(
        isLost ? this.#failed(single, error, 0) : await this.#attempt(single, counter, at === culprit ? 2 : 1),
      )
    }
    return joined(outcomes)
  }

  #failed({ first, inputs }: Pick<Batch, "first" | "inputs">, error: Error, took: number): Outcome {
    const job = { seq: first, input: inputs[0], worker: null }
    const { json } = this.#settings.style
    const signal = error instanceof TimeoutError ? SIGTERM : SIGKILL
    return {
      stdout: json ? `${failureLine(job, error, took)}\n` : "",
      stderr: json ? "" : `corepool: job ${first} (${shown(job.input)}): ${described(error)}\n`,
      failed: [0],
      started: Float64Array.of(Date.now() - took),
      took: Float64Array.of(took),
      signals: new Map([[0, signal]]),
    }
  }

  /** In ms; undefined while too few jobs have ended to know their median. */
  #limit(limit: TimeLimit): number | undefined {
    if ("ms" in limit) return limit.ms
    const { length } = this.#times
    if (length < 3) return undefined
    const sorted = this.#times.sort((a, b) => a - b)
    return Math.max(1, (sorted[Math.floor(length / 2)] as number) * limit.ofMedian)
  }
}

function joined(outcomes: readonly Outcome[]): Outcome {
  const signals = new Map<number, number>()
  for (const [at, outcome] of outcomes.entries()) for (const signal of outcome.signals.values()) signals.set(at, signal)
  return {
    stdout: outcomes.map(({ stdout }) => stdout).join(""),
    stderr: outcomes.map(({ stderr }) => stderr).join(""),
    failed: outcomes.flatMap(({ failed }, at) => (failed.length > 0 ? [at] : [])),
    started: Float64Array.from(outcomes, ({ started }) => started[0] as number),
    took: Float64Array.from(outcomes, ({ took }) => took[0] as number),
    signals,
  }
}
