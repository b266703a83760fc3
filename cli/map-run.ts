/**
 * One run of `corepool map`: takes inputs, gives them to the pool in batches, prints what comes back. At any time the pool has a few batches
 * for each thread, and with `--keep-order` at most {@link AHEAD} batches wait for an earlier one: inputs are read no faster than
 * that. Nothing is read while the reader of the output is slow.
 */
import { once } from "node:events"
import { BatchSize } from "./batch-size.ts"
import { shown } from "./batch.ts"
import { isReached } from "./halting.ts"
import { type Inputs, NoJson } from "./inputs.ts"
import type { JobLog } from "./joblog.ts"
import type { JobRunner, Outcome } from "./job-runner.ts"
import type { Counts, ProgressLine } from "./progress-line.ts"
import type { Halt } from "./values.ts"

const AHEAD = 1000

export interface RunSettings {
  /** The function as the user wrote it, for the log. */
  readonly command: string
  readonly threads: number
  readonly keepOrder: boolean
  /** Jobs in a batch; by default the run finds it out. */
  readonly batch: number | undefined
  readonly halt: Halt | undefined
  /** Numbers of jobs that are not run. */
  readonly skip: ReadonlySet<number>
}

interface Streams {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

/** How a run has ended: all inputs were used, a halt was reached, or it was stopped from outside. */
export type Ending = "complete" | "halted" | "stopped"

export class MapRun {
  readonly #settings: RunSettings
  readonly #inputs: Inputs
  readonly #runner: JobRunner
  readonly #streams: Streams
  readonly #size: BatchSize
  readonly #running = new Set<Promise<void>>()
  /** With `--keep-order`: the outcomes of batches that have ended before an earlier one, by the number of the batch. */
  readonly #early = new Map<number, Outcome | undefined>()
  readonly #stopped: Promise<readonly unknown[]>
  #stop: () => void = () => undefined
  /** Resolved when the reader of the output has room again. */
  #drained: Promise<unknown> | undefined
  #begun = 0
  #printed = 0
  #taken = 0
  #done = 0
  #failed = 0
  #ending: Ending = "complete"
  /** Both are optional. */
  log: JobLog | undefined
  line: ProgressLine | undefined

  constructor(settings: RunSettings, inputs: Inputs, runner: JobRunner, streams: Streams) {
    this.#settings = settings
    this.#inputs = inputs
    this.#runner = runner
    this.#streams = streams
    // A halt is about single jobs: none may run because it shares a batch with the one that is the reason to halt.
    this.#size = new BatchSize(settings.batch ?? (settings.halt === undefined ? undefined : 1))
    this.#stopped = new Promise((resolve) => (this.#stop = () => resolve([])))
  }

  get counts(): Counts {
    const { total } = this.#inputs
    const left = total === undefined ? undefined : total - this.#settings.skip.size
    return { done: this.#done, failed: this.#failed, total: left }
  }

  /** The number of batches that run or wait for a thread. */
  get running(): number {
    return this.#running.size
  }

  /** Starts no more jobs. Those that run go on. */
  stop(ending: Ending = "stopped"): void {
    if (this.#ending === "complete") this.#ending = ending
    this.#stop()
  }

  /** Runs all jobs. `kill` ends those that run, for a halt that says `now`. */
  async run(kill: () => void): Promise<Ending> {
    try {
      await this.#startAll(kill)
    } finally {
      // Also if an input cannot be read: jobs that have begun finish, and their results are printed.
      while (this.#running.size > 0) await Promise.race(this.#running)
      await this.#drained
    }
    return this.#ending
  }

  async #startAll(kill: () => void): Promise<void> {
    while (this.#ending === "complete") {
      const inputs = await Promise.race([this.#inputs.take(this.#nextSize()), this.#stopped])
      if (inputs.length === 0) break
      for (const [first, some] of this.#toRun(inputs)) {
        await this.#room()
        if (this.#ending !== "complete") break
        this.#start(first, some, kill)
      }
    }
  }

  /** Fewer jobs at the end, so that the last batch does not run alone for long. */
  #nextSize(): number {
    const { current } = this.#size
    const { total } = this.#inputs
    if (total === undefined) return current
    return Math.max(1, Math.min(current, Math.ceil((total - this.#taken) / (2 * this.#settings.threads))))
  }

  /** The numbers of the first jobs, and the inputs, without the jobs that are not run. A wrong input is alone. */
  *#toRun(inputs: readonly unknown[]): Generator<[number, readonly unknown[]], undefined> {
    const { skip } = this.#settings
    const first = this.#taken + 1
    this.#taken += inputs.length
    if (skip.size === 0 && !inputs.some((input) => input instanceof NoJson)) {
      yield [first, inputs]
      return undefined
    }
    let from = 0
    for (let at = 0; at <= inputs.length; at++) {
      const isSkipped = skip.has(first + at)
      const isWrong = inputs[at] instanceof NoJson
      if (at < inputs.length && !isSkipped && !isWrong) continue
      if (at > from) yield [first + from, inputs.slice(from, at)]
      if (isWrong && !isSkipped) yield [first + at, inputs.slice(at, at + 1)]
      from = at + 1
    }
    return undefined
  }

  /** Waits until another batch may be started. */
  async #room(): Promise<void> {
    const { threads, keepOrder, halt } = this.#settings
    const isFull = (): boolean =>
      this.#running.size >= (this.#size.isShort && halt === undefined ? 2 * threads : threads) ||
      (keepOrder && this.#begun - this.#printed >= AHEAD)
    while (isFull()) await Promise.race(this.#running)
    await this.#drained
  }

  #start(first: number, inputs: readonly unknown[], kill: () => void): void {
    const number = this.#begun++
    const running = this.#outcomeOf(first, inputs).then((outcome) => {
      this.#running.delete(running)
      if (outcome !== undefined) this.#count(first, inputs, outcome)
      if (this.#settings.keepOrder) this.#printInOrder(number, outcome)
      else this.#print(outcome)
      const { halt } = this.#settings
      if (halt === undefined || this.#ending !== "complete" || !isReached(halt, this.counts)) return
      this.stop("halted")
      if (halt.when === "now") kill()
    })
    this.#running.add(running)
  }

  async #outcomeOf(first: number, inputs: readonly unknown[]): Promise<Outcome | undefined> {
    const [input] = inputs
    if (!(input instanceof NoJson)) return await this.#runner.run(first, inputs, this.#inputs.spread)
    return this.#runner.refused(first, input.text, new SyntaxError("The input is no JSON value"))
  }

  #count(first: number, inputs: readonly unknown[], { failed, started, took, signals }: Outcome): void {
    this.#done += inputs.length
    this.#failed += failed.length
    this.#size.learn(
      inputs.length,
      took.reduce((sum, ms) => sum + ms, 0),
    )
    if (this.log === undefined) return
    const failures = new Set(failed)
    this.log.write(
      inputs.map((input, at) => {
        const signal = signals.get(at) ?? 0
        const exit = failures.has(at) ? (signal === 0 ? 1 : -1) : 0
        const command = `${this.#settings.command} ${shown(input instanceof NoJson ? input.text : input)}`
        return { seq: first + at, started: started[at] ?? 0, took: took[at] ?? 0, exit, signal, command }
      }),
    )
  }

  #printInOrder(number: number, outcome: Outcome | undefined): void {
    this.#early.set(number, outcome)
    while (this.#early.has(this.#printed)) {
      this.#print(this.#early.get(this.#printed))
      this.#early.delete(this.#printed++)
    }
  }

  #print(outcome: Outcome | undefined): void {
    if (outcome === undefined) return
    this.line?.clear()
    if (outcome.stderr !== "") this.#streams.stderr.write(outcome.stderr)
    if (outcome.stdout === "" || this.#streams.stdout.write(outcome.stdout)) return
    const { stdout } = this.#streams
    this.#drained ??= once(stdout, "drain").then(() => (this.#drained = undefined))
  }
}
