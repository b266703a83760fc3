import { factsOf, type MeasuredPool, namedPools, type PoolFacts } from "./pool-facts.ts"
import { type Family, type Labels, render, type Sample } from "./text-format.ts"

/**
 * What pools do now and have done so far, in Prometheus' text format, with Micrometer's names: the answer to a request
 * for `/metrics`.
 *
 * Without an argument it reports the pools that were made in this thread and have not terminated. The label `name` is
 * the name of the pool, or its class and a number.
 *
 * @param pools The pools to report, or an object whose keys are their names.
 * @throws TypeError if one of them is no ThreadPoolExecutor and no ForkJoinPool.
 *
 * @example
 * ```ts
 * import { createServer } from "node:http"
 * import { metrics } from "corepool/prometheus"
 *
 * export const server = createServer((request, response) => {
 *   response.setHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
 *   response.end(request.url === "/metrics" ? metrics() : "")
 * })
 * ```
 */
export function metrics(pools?: Iterable<MeasuredPool> | Readonly<Record<string, MeasuredPool>>): string {
  const rows = namedPools(pools).map(([name, pool]) => ({ labels: { name }, facts: factsOf(pool) }))
  return render(
    FAMILIES.map(({ name, type, help, samples }) => ({
      name,
      type,
      help,
      samples: rows.flatMap(({ labels, facts }) => samples(facts, labels)),
    })),
  )
}

// ------------------------------------------------------------------ what is measured

type Row = Pick<Family, "name" | "type" | "help"> & {
  readonly samples: (facts: PoolFacts, labels: Labels) => Sample[]
}

function number(name: string, type: "gauge" | "counter", key: keyof PoolFacts, help: string): Row {
  const samples: Row["samples"] = (facts, labels) => {
    const value = facts[key]
    return typeof value === "number" ? [{ labels, value }] : []
  }
  return { name, type, help, samples }
}

/** A summary in seconds. Its count is that of the tasks that were measured, which are a sample on a busy pool. */
function times(name: string, key: "run" | "wait" | "lateness", help: string): Row {
  const samples: Row["samples"] = (facts, labels) => {
    const measured = facts[key]
    if (measured === undefined) return []
    const { count, mean, p50, p90, p99 } = measured
    const quantiles: [string, number][] = [
      ["0.5", p50],
      ["0.9", p90],
      ["0.99", p99],
    ]
    return [
      ...quantiles.map(([quantile, ms]) => ({ labels: { ...labels, quantile }, value: count === 0 ? NaN : ms / 1000 })),
      { suffix: "_sum", labels, value: (mean * count) / 1000 },
      { suffix: "_count", labels, value: count },
    ]
  }
  return { name, type: "summary", help, samples }
}

const FAMILIES: readonly Row[] = [
  number("executor_pool_size_threads", "gauge", "threads", "The number of threads"),
  number("executor_pool_core_threads", "gauge", "core", "The core number of threads, or the parallelism"),
  number("executor_pool_max_threads", "gauge", "maximum", "The maximum number of threads, if there is one"),
  number("executor_active_threads", "gauge", "active", "The number of threads that run a task"),
  number("executor_running_threads", "gauge", "running", "The number of threads that are not blocked"),
  number("executor_queued_tasks", "gauge", "queued", "The number of tasks that wait for a thread"),
  number("executor_queue_remaining_tasks", "gauge", "remaining", "How many more tasks the queue can take, if bounded"),
  number("executor_completed_tasks_total", "counter", "completed", "The number of tasks that are over"),
  number("executor_rejected_tasks_total", "counter", "rejected", "The number of tasks that the pool has not taken"),
  number("executor_abandoned_tasks", "gauge", "abandoned", "The number of tasks that were given up and still run"),
  number("executor_schedule_fired_total", "counter", "fired", "The number of runs of tasks with a time"),
  number("executor_schedule_missed_total", "counter", "missed", "The number of runs that began when the next was due"),
  number("executor_steals_total", "counter", "steals", "The number of tasks that a thread has taken from another one"),
  times("executor_seconds", "run", "How long tasks ran"),
  times("executor_idle_seconds", "wait", "How long tasks waited for a thread"),
  times("executor_lateness_seconds", "lateness", "How late scheduled tasks began"),
]
