import type { Attributes, BatchObservableResult, Histogram, Meter, Observable } from "@opentelemetry/api"
import { ForkJoinPool } from "../forkjoin/fork-join-pool.ts"
import { type Counts, middleOf, type Recorder } from "../memory/structures/histogram.ts"
import { ENGINE } from "../pool/internals.ts"
import type { PoolEngine } from "../pool/engine/pool-engine.ts"
import { factsOf, type MeasuredPool, type PoolFacts } from "../prometheus/pool-facts.ts"

/** How many measured times of a pool are reported at each collection. If there are more, a part is left out, evenly. */
const MOST_TIMES = 2000

const NAME = "corepool.executor.name"
const TYPE = "corepool.executor.type"
const STATE = "corepool.executor.thread.state"

/** Says which pools to report, with their names. */
export type PoolList = () => readonly (readonly [name: string, pool: MeasuredPool])[]

/** A metric that is reported at each collection. If it has several values, each has attributes of its own. */
interface Row {
  readonly name: string
  readonly type: "counter" | "level"
  readonly unit: string
  readonly description: string
  readonly values: (facts: PoolFacts) => readonly (readonly [value: number | undefined, more?: Attributes])[]
}

/** The names are those of OpenTelemetry's `jvm.executor`, below `corepool.executor`. */
const ROWS: readonly Row[] = [
  {
    name: "thread.count",
    type: "level",
    unit: "{thread}",
    description: "The number of threads that run a task, and of those that wait for one",
    values: ({ threads, active }) => [
      [active, { [STATE]: "active" }],
      [Math.max(0, threads - active), { [STATE]: "idle" }],
    ],
  },
  level("thread.core", "{thread}", "The core number of threads, or the parallelism", ({ core }) => core),
  level("thread.limit", "{thread}", "The maximum number of threads, if there is one", ({ maximum }) => maximum),
  level("queue.size", "{task}", "The number of tasks that wait for a thread", ({ queued }) => queued),
  level("queue.capacity", "{task}", "The number of tasks that can wait, if bounded", ({ remaining, queued }) =>
    remaining === undefined ? undefined : remaining + queued,
  ),
  counter("task.completed", "{task}", "The number of tasks that are over, however they ended", (it) => it.completed),
  counter("task.rejected", "{task}", "The number of tasks that the pool has not taken", (it) => it.rejected),
  level("task.abandoned", "{task}", "The number of tasks that were given up and still run", (it) => it.abandoned),
  counter("schedule.fired", "{run}", "The number of runs of tasks with a time", (it) => it.fired),
  counter("schedule.missed", "{run}", "The number of runs that began when the next one was due", (it) => it.missed),
  counter("steal.count", "{task}", "The number of tasks that a thread has taken from another one", (it) => it.steals),
]

function level(name: string, unit: string, description: string, value: (facts: PoolFacts) => number | undefined): Row {
  return { name, type: "level", unit, description, values: (facts) => [[value(facts)]] }
}

function counter(
  name: string,
  unit: string,
  description: string,
  value: (facts: PoolFacts) => number | undefined,
): Row {
  return { ...level(name, unit, description, value), type: "counter" }
}

/**
 * Reports the figures of pools to a meter, until it is ended. The meter calls back when it collects; between two
 * collections nothing is done.
 *
 * OpenTelemetry has no histogram that calls back. So at each collection this class records, one by one, the times that
 * the pools have measured since the last collection. Pools count times in classes, so each is recorded as the middle of
 * its class.
 */
export class PoolMetrics {
  readonly #pools: PoolList
  readonly #instruments: ReadonlyMap<Observable, Row>
  readonly #durations: Histogram
  readonly #waits: Histogram
  readonly #before = new WeakMap<Recorder, Counts>()
  readonly end: () => void

  constructor(meter: Meter, pools: PoolList) {
    this.#pools = pools
    this.#instruments = new Map(ROWS.map((row) => [instrumentOf(meter, row), row]))
    this.#durations = meter.createHistogram(nameOf("task.duration"), {
      unit: "s",
      description: "How long tasks ran, of those that were measured",
    })
    this.#waits = meter.createHistogram(nameOf("task.wait"), {
      unit: "s",
      description: "How long tasks waited for a thread, of those that were measured",
    })
    for (const [, pool] of pools()) for (const recorder of recordersOf(pool)) this.#fresh(recorder)
    const observe = (result: BatchObservableResult): void => this.#observe(result)
    const instruments = [...this.#instruments.keys()]
    meter.addBatchObservableCallback(observe, instruments)
    this.end = () => meter.removeBatchObservableCallback(observe, instruments)
  }

  #observe(result: BatchObservableResult): void {
    for (const [name, pool] of this.#pools()) {
      const facts = factsOf(pool)
      const attributes = { [NAME]: name, [TYPE]: typeOf(pool) }
      for (const [instrument, { values }] of this.#instruments) {
        for (const [value, more] of values(facts)) {
          if (value !== undefined) result.observe(instrument, value, { ...attributes, ...more })
        }
      }
      const [run, wait] = recordersOf(pool)
      if (run !== undefined) this.#record(this.#durations, run, attributes)
      if (wait !== undefined) this.#record(this.#waits, wait, attributes)
    }
  }

  #record(histogram: Histogram, recorder: Recorder, attributes: Attributes): void {
    const fresh = this.#fresh(recorder)
    const total = fresh.reduce((sum, n) => sum + n, 0)
    const share = Math.min(1, MOST_TIMES / total)
    for (const [index, n] of fresh.entries()) {
      const seconds = middleOf(index) / 1000
      for (let i = Math.ceil(n * share); i > 0; i--) histogram.record(seconds, attributes)
    }
  }

  /** How many times of each class were recorded since the last call. */
  #fresh(recorder: Recorder): number[] {
    const counts = [...recorder.counts]
    const before = this.#before.get(recorder)
    this.#before.set(recorder, counts)
    return Array.from(counts, (n = 0, at) => Math.max(0, n - (before?.[at] ?? 0)))
  }
}

function instrumentOf(meter: Meter, { name, type, unit, description }: Row): Observable {
  const full = nameOf(name)
  return type === "counter"
    ? meter.createObservableCounter(full, { unit, description })
    : meter.createObservableUpDownCounter(full, { unit, description })
}

function nameOf(name: string): string {
  return `corepool.executor.${name}`
}

function typeOf(pool: MeasuredPool): string {
  if (pool instanceof ForkJoinPool) return "fork_join"
  return pool.threadFactory.isVirtual ? "virtual" : "platform"
}

/** Where the pool records how long its tasks run and wait; a fork/join pool does not. */
function recordersOf(pool: MeasuredPool): Recorder[] {
  if (pool instanceof ForkJoinPool) return []
  const { times } = (pool as unknown as { readonly [ENGINE]: PoolEngine })[ENGINE]
  return [times.run, times.wait]
}
