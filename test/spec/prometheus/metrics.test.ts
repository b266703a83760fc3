/** What `metrics()` gives, read by a parser of Prometheus' text format that others have written: docs/spec/prometheus.md. */
import { ArrayBlockingQueue, Executors, ForkJoinPool, ThreadPoolExecutor, virtualThreads } from "corepool"
import { metrics } from "corepool/prometheus"
import assert from "node:assert/strict"
import { test } from "node:test"
import parse from "parse-prometheus-text-format"

type Parsed = ReturnType<typeof parse>
type Pools = Parameters<typeof metrics>[0]

function read(pools?: Pools): Map<string, Parsed[number]> {
  return new Map(parse(metrics(pools)).map((family) => [family.name, family]))
}

/** The value of the one sample that has the label. */
function value(families: ReturnType<typeof read>, family: string, name: string): number | undefined {
  const found = families.get(family)?.metrics.filter(({ labels }) => labels?.["name"] === name) ?? []
  assert.ok(found.length < 2, `${family} has ${found.length} samples of ${name}`)
  return found[0]?.value === undefined ? undefined : Number(found[0].value)
}

test("[PM1] [PM2] sizes, counts and times are those of the pool", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 3,
    workQueue: new ArrayBlockingQueue(10),
    threadFactory: virtualThreads(),
  })
  const before = read({ images: pool })
  assert.equal(value(before, "executor_completed_tasks_total", "images"), 0)
  assert.match(metrics({ images: pool }), /executor_seconds\{name="images",quantile="0.5"\} NaN/)
  for (let i = 0; i < 5; i++) await pool.submit(() => i)
  let release: (value: unknown) => void = () => undefined
  const held = new Promise((resolve) => (release = resolve))
  const running = [1, 2, 3].map(() => pool.submit(() => held))
  using _ = { [Symbol.dispose]: () => release(undefined) } // before the pool is closed, also if the test fails
  const families = read({ images: pool })
  const expected = {
    executor_pool_size_threads: 2,
    executor_pool_core_threads: 2,
    executor_pool_max_threads: 3,
    executor_active_threads: pool.activeCount,
    executor_queued_tasks: pool.queue.size,
    executor_queue_remaining_tasks: pool.queue.remainingCapacity,
    executor_completed_tasks_total: 5,
  }
  for (const [family, number] of Object.entries(expected)) {
    assert.equal(value(families, family, "images"), number, family)
    assert.notEqual(families.get(family)?.help, "")
  }
  assert.equal(families.get("executor_completed_tasks_total")?.type, "COUNTER")
  assert.equal(families.get("executor_active_threads")?.type, "GAUGE")
  for (const family of ["executor_seconds", "executor_idle_seconds"]) {
    assert.equal(families.get(family)?.type, "SUMMARY")
    const [summary] = families.get(family)?.metrics ?? []
    assert.deepEqual(Object.keys(summary?.quantiles ?? {}), ["0.5", "0.9", "0.99"])
  }
  const { run } = pool.stats()
  // The parser does not keep the labels of a summary.
  const text = metrics({ images: pool })
  assert.ok(text.includes(`executor_seconds_count{name="images"} ${run.count}\n`), text)
  assert.ok(text.includes(`executor_seconds_sum{name="images"} ${(run.mean * run.count) / 1000}\n`), text)
  release(undefined)
  await Promise.all(running)
})

test("[PM3] a limit that does not exist has no sample", async () => {
  await using cached = Executors.newCachedThreadPool(virtualThreads())
  await using fixed = Executors.newFixedThreadPool(2, virtualThreads())
  const families = read({ cached, fixed })
  assert.equal(value(families, "executor_pool_max_threads", "cached"), undefined)
  assert.equal(value(families, "executor_pool_max_threads", "fixed"), 2)
  assert.equal(value(families, "executor_queue_remaining_tasks", "fixed"), undefined)
})

test("[PM4] [PM5] all pools of the thread are reported, until they have terminated", async () => {
  const names = (): unknown[] =>
    read()
      .get("executor_pool_core_threads")
      ?.metrics.map(({ labels }) => labels?.["name"]) ?? []
  const before = names()
  const platform = Executors.newFixedThreadPool(1)
  const virtual = Executors.newFixedThreadPool(1, virtualThreads())
  const forkJoin = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await platform.submit((a: number) => a + 1, 1), 2)
  assert.equal(names().length, before.length + 3)
  assert.equal(new Set(names()).size, names().length)
  await Promise.all([platform.close(), virtual.close(), forkJoin.close()])
  assert.deepEqual(names(), before)
})

test("[PM5] [PM6] names may have any characters, and only pools are reported", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  for (const name of ['quote"d', "back\\slash", "line\nbreak", "é漢", "{a=b}"]) {
    assert.ok(metrics({ [name]: pool }).includes(`name=${JSON.stringify(name)}`), name)
    assert.equal(parse(metrics({ [name]: pool })).length > 5, true)
  }
  assert.equal(parse(metrics([pool, pool])).length > 5, true)
  assert.equal(read([pool, pool]).get("executor_active_threads")?.metrics.length, 2)
  assert.equal(metrics([]), "")
  for (const wrong of [5, "pool", null, [{}], { a: 5 }]) {
    assert.throws(() => metrics(wrong as never), TypeError)
  }
})

test("[PM7] a fork/join pool has steals, a scheduled pool lateness", async () => {
  await using forkJoin = new ForkJoinPool({ parallelism: 2 })
  await using scheduled = Executors.newScheduledThreadPool(1, virtualThreads())
  assert.equal(await scheduled.schedule(() => 1, 1), 1)
  const families = read({ forkJoin, scheduled })
  assert.equal(value(families, "executor_pool_core_threads", "forkJoin"), 2)
  assert.equal(value(families, "executor_steals_total", "forkJoin"), forkJoin.stealCount)
  assert.equal(value(families, "executor_running_threads", "forkJoin"), 0)
  assert.match(metrics({ scheduled }), /executor_lateness_seconds_count\{name="scheduled"\} 1\n/)
})
