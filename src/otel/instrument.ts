import type { MeterProvider, TracerProvider } from "@opentelemetry/api"
import { requireBoolean, requireOptions, typeError } from "../checks.ts"
import { infoOfPool } from "../pool/live-pools.ts"
import { type MeasuredPools, namedPools } from "../prometheus/pool-facts.ts"
import { propertyOf } from "../user-values.ts"
import { requireApi } from "./api.ts"
import { carryContext } from "./carrier.ts"
import { PoolMetrics } from "./pool-metrics.ts"
import { TaskSpans } from "./task-spans.ts"

/** The options of {@link instrument}: what to report, and to which providers. */
export interface InstrumentOptions {
  /** The package `@opentelemetry/api`, for a program in which it cannot be found: one that is bundled into one file. */
  readonly api?: object
  /** Gets the metrics; default the provider that the SDK has registered. */
  readonly meterProvider?: object
  /** Makes the spans; default the provider that the SDK has registered. */
  readonly tracerProvider?: object
  /** Whether there are spans; default true. */
  readonly spans?: boolean
  /** Whether there are metrics; default true. */
  readonly metrics?: boolean
  /** The pools to report, or an object whose keys are their names; default all pools of this thread. */
  readonly pools?: MeasuredPools
}

/**
 * Reports what pools do to OpenTelemetry, until the returned object is disposed of.
 *
 * Call it once, after the SDK has been registered. It needs the package `@opentelemetry/api`, which comes with the SDK.
 *
 * - Metrics are those of the pools of this thread, by the names of `corepool.executor`. They cost nothing between two
 *   collections.
 * - Each task has a span from its submission until its future is settled, and inside it a span for each run. On virtual
 *   threads the span of the run is active in the task. On platform threads, call `continueTraces` for that.
 *
 * @throws UnsupportedOperationError if `@opentelemetry/api` is not installed; TypeError for wrong options.
 *
 * @example
 * ```ts
 * import { instrument } from "corepool/otel"
 *
 * using _ = instrument()
 * ```
 */
export function instrument(options: InstrumentOptions = {}): Disposable {
  const given = requireOptions("options", options, {
    api: true,
    meterProvider: true,
    metrics: true,
    tracerProvider: true,
    spans: true,
    pools: true,
  })
  const { pools, metrics = true, spans = true } = given
  requireBoolean("metrics", metrics)
  requireBoolean("spans", spans)
  const named = pools === undefined ? undefined : namedPools(pools) // throws if one of them is no pool
  const { meterProvider: meters, tracerProvider: tracers } = given
  requireProvider("meterProvider", "getMeter", "a MeterProvider", meters)
  requireProvider("tracerProvider", "getTracer", "a TracerProvider", tracers)
  const api = requireApi(given.api, "instrument")
  const ends: (() => void)[] = []
  if (metrics) {
    const meter = ((meters as MeterProvider | undefined) ?? api.metrics.getMeterProvider()).getMeter("corepool")
    const { end } = new PoolMetrics(meter, () => named ?? namedPools())
    ends.push(end)
  }
  if (spans) {
    carryContext(api)
    const infos = named === undefined ? undefined : new Set(named.map(([, pool]) => infoOfPool(pool)))
    const tracer = ((tracers as TracerProvider | undefined) ?? api.trace.getTracerProvider()).getTracer("corepool")
    const made = new TaskSpans(api, tracer, (pool) => infos === undefined || (pool !== undefined && infos.has(pool)))
    ends.push(() => made.end())
  }
  return {
    [Symbol.dispose]() {
      for (const end of ends.splice(0)) end()
    },
  }
}

function requireProvider(name: string, method: string, what: string, given: unknown): void {
  if (given !== undefined && typeof propertyOf(given, method) !== "function") throw typeError(name, what, given)
}
