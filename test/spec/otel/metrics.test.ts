/** What the real SDK of OpenTelemetry collects from `instrument()`: docs/spec/otel.md. */
import { metrics as api } from "@opentelemetry/api"
import { AggregationTemporality, type Histogram, MeterProvider, MetricReader } from "@opentelemetry/sdk-metrics"
import {
  ArrayBlockingQueue,
  DiscardPolicy,
  Executors,
  ForkJoinPool,
  SynchronousQueue,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { instrument } from "corepool/otel"
import { metrics } from "corepool/prometheus"
import assert from "node:assert/strict"
import { test } from "node:test"

class Reader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

interface Point {
  readonly value: unknown
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A provider of its own, and what it has collected: by metric, without `corepool.executor.`, the points. */
function collector(temporality = AggregationTemporality.CUMULATIVE): {
  provider: MeterProvider
  collect(): Promise<Map<string, Point[]>>
  [Symbol.asyncDispose](): Promise<void>
} {
  const reader = new Reader({ aggregationTemporalitySelector: () => temporality })
  const provider = new MeterProvider({ readers: [reader] })
  return {
    provider,
    async collect() {
      const { resourceMetrics, errors } = await reader.collect()
      assert.deepEqual(errors, [])
      const all = resourceMetrics.scopeMetrics.flatMap(({ scope, metrics: found }) => {
        assert.equal(scope.name, "corepool")
        return found
      })
      return new Map(
        all.map(({ descriptor, dataPoints }) => {
          assert.ok(descriptor.name.startsWith("corepool.executor."), descriptor.name)
          assert.notEqual(descriptor.description, "")
          assert.match(descriptor.unit, /^(?:s|\{thread\}|\{task\}|\{run\})$/)
          return [descriptor.name.slice("corepool.executor.".length), dataPoints]
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      await provider.shutdown()
    },
  }
}

/** The value of the one point of a pool. */
function value(points: Map<string, Point[]>, metric: string, name: string, state?: string): unknown {
  const found = (points.get(metric) ?? []).filter(
    ({ attributes }) =>
      attributes["corepool.executor.name"] === name &&
      (state === undefined || attributes["corepool.executor.thread.state"] === state),
  )
  assert.ok(found.length < 2, `${metric} has ${found.length} points of ${name}`)
  return found[0]?.value
}

test("[OT1] [OT2] sizes, counts and times are those of the pool", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 3,
    workQueue: new ArrayBlockingQueue(10),
    threadFactory: virtualThreads(),
  })
  await using collected = collector()
  using _ = instrument({ meterProvider: collected.provider, pools: { images: pool } })
  for (let i = 0; i < 5; i++) await pool.submit(() => i)
  let release: (value: unknown) => void = () => undefined
  const held = new Promise((resolve) => (release = resolve))
  const running = [1, 2, 3].map(() => pool.submit(() => held))
  using __ = { [Symbol.dispose]: () => release(undefined) } // before the pool is closed, also if the test fails
  while (pool.activeCount < 2) await new Promise((resolve) => setImmediate(resolve))
  const points = await collected.collect()
  assert.equal(value(points, "thread.count", "images", "active"), 2)
  assert.equal(value(points, "thread.count", "images", "idle"), 0)
  assert.equal(value(points, "thread.core", "images"), 2)
  assert.equal(value(points, "thread.limit", "images"), 3)
  assert.equal(value(points, "queue.size", "images"), 1)
  assert.equal(value(points, "queue.capacity", "images"), 10)
  assert.equal(value(points, "task.completed", "images"), 5)
  assert.equal(value(points, "task.rejected", "images"), 0)
  const before = value(points, "task.duration", "images") as Histogram
  assert.ok(before.count > 0 && before.count <= 5, String(before.count))
  release(undefined)
  await Promise.all(running)
  while (pool.completedTaskCount < 8) await new Promise((resolve) => setImmediate(resolve))
  const { run, wait } = pool.stats()
  const later = await collected.collect()
  for (const [metric, times] of [
    ["task.duration", run],
    ["task.wait", wait],
  ] as const) {
    const { count, sum = NaN } = value(later, metric, "images") as Histogram
    assert.equal(count, times.count, metric)
    // In classes of 9 %, and those below a microsecond as nothing.
    assert.ok(Math.abs(sum * 1000 - times.mean * count) <= 0.05 * times.mean * count + 0.001 * count, metric)
  }
})

test("[OT1] what was given up, refused, fired and missed is that of the pool", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    threadFactory: virtualThreads({ abandonAfter: 0 }),
    handler: DiscardPolicy,
  })
  await using timers = Executors.newScheduledThreadPool(1, virtualThreads())
  await using collected = collector()
  using _ = instrument({ meterProvider: collected.provider, pools: { pool, timers } })
  let release: (value: unknown) => void = () => undefined
  const held = new Promise((resolve) => (release = resolve))
  using __ = { [Symbol.dispose]: () => release(undefined) }
  const seen = { hasBegun: false }
  const deaf = pool.submit(() => {
    seen.hasBegun = true
    return held
  })
  pool.execute(() => undefined)
  while (!seen.hasBegun) await new Promise((resolve) => setImmediate(resolve))
  deaf.cancel(true)
  while (pool.stats().abandoned === 0) await new Promise((resolve) => setImmediate(resolve))
  const beat = timers.scheduleAtFixedRate(
    async () => {
      const until = Date.now() + 20
      while (Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
    },
    0,
    5,
  )
  const missed = (points: Map<string, Point[]>): number => value(points, "schedule.missed", "timers") as number
  while (missed(await collected.collect()) === 0) await new Promise((resolve) => setImmediate(resolve))
  beat.cancel(true)
  const points = await collected.collect()
  assert.equal(value(points, "task.abandoned", "pool"), 1)
  assert.equal(value(points, "task.rejected", "pool"), 1)
  assert.equal(value(points, "schedule.fired", "pool"), undefined)
  assert.ok((value(points, "schedule.fired", "timers") as number) >= missed(points)) // the first run may be late, too
  assert.match(metrics({ pool }), /^executor_abandoned_tasks\{name="pool"\} 1$/m)
  assert.match(metrics({ timers }), /^executor_schedule_missed_total\{name="timers"\} [1-9]/m)
})

test("[OT3] a limit that does not exist, and what a kind of pool does not have, is not reported", async () => {
  await using cached = Executors.newCachedThreadPool(virtualThreads())
  await using fixed = Executors.newFixedThreadPool(2, virtualThreads())
  await using forkJoin = new ForkJoinPool({ parallelism: 2 })
  await using collected = collector()
  using _ = instrument({ meterProvider: collected.provider, pools: { cached, fixed, forkJoin } })
  const points = await collected.collect()
  assert.equal(value(points, "thread.limit", "cached"), undefined)
  assert.equal(value(points, "thread.limit", "fixed"), 2)
  assert.equal(value(points, "queue.capacity", "cached"), 0)
  assert.equal(value(points, "queue.capacity", "fixed"), undefined)
  assert.equal(value(points, "queue.capacity", "forkJoin"), undefined)
  assert.equal(value(points, "thread.core", "forkJoin"), 2)
  assert.equal(value(points, "steal.count", "forkJoin"), forkJoin.stealCount)
  assert.equal(value(points, "steal.count", "cached"), undefined)
  assert.equal(value(points, "task.completed", "forkJoin"), undefined)
  const types = points.get("thread.core")?.map(({ attributes }) => attributes["corepool.executor.type"])
  assert.deepEqual(types, ["virtual", "virtual", "fork_join"])
})

test("[OT2] of a busy pool, a part of the times is passed on, from all of them", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await using collected = collector()
  for (let i = 0; i < 10; i++) await pool.submit(() => i)
  using _ = instrument({ meterProvider: collected.provider, pools: { pool } })
  const { count: before } = pool.stats().run
  for (let i = 0; i < 5000; i++) await pool.submit(() => i)
  const { count } = pool.stats().run
  const histogram = value(await collected.collect(), "task.duration", "pool") as Histogram
  // At most 2000, and one more for each class of times; none from before `instrument`.
  assert.ok(histogram.count <= Math.min(count - before, 2000 + 256), String(histogram.count))
  assert.ok(histogram.count >= Math.min(count - before, 2000), String(histogram.count))
})

test("[OT4] all pools of the thread, also those made later, until it is disposed of", async () => {
  // With the other temporality, the SDK reports for ever what it has once heard of.
  await using collected = collector(AggregationTemporality.DELTA)
  assert.ok(api.setGlobalMeterProvider(collected.provider))
  try {
    const names = async (): Promise<unknown[]> =>
      (await collected.collect()).get("thread.core")?.map(({ attributes }) => attributes["corepool.executor.name"]) ??
      []
    const reporting = instrument()
    const before = await names()
    const platform = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, name: "mails" })
    const virtual = Executors.newFixedThreadPool(1, virtualThreads())
    assert.equal(await platform.submit((a: number) => a + 1, 1), 2)
    const during = await names()
    assert.equal(during.length, before.length + 2)
    assert.ok(during.includes("mails"))
    await virtual.close()
    assert.equal((await names()).length, before.length + 1)
    reporting[Symbol.dispose]()
    reporting[Symbol.dispose]()
    assert.deepEqual(await names(), [])
    await platform.close()
  } finally {
    api.disable()
  }
})

test("[OT5] wrong options are refused", () => {
  for (const wrong of [
    { pool: [] },
    { api: {} },
    { api: 5 },
    { meterProvider: {} },
    { metrics: 1 },
    { spans: "no" },
    { tracerProvider: {} },
    { pools: 5 },
    { pools: [{}] },
    null,
  ]) {
    assert.throws(() => instrument(wrong as never), TypeError, JSON.stringify(wrong))
  }
})
