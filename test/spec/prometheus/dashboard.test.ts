/** The dashboard for Grafana, against what metrics() reports. */
import { ArrayBlockingQueue, Executors, ForkJoinPool, ThreadPoolExecutor, virtualThreads } from "corepool"
import { metrics } from "corepool/prometheus"
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"

interface Dashboard {
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
  readonly panels: readonly {
    readonly id: number
    readonly title: string
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
  }[]
}

/** The names of metrics in a query: what is neither a function nor a label. */
function metricsIn(text: string): string[] {
  return text.match(/\bexecutor_\w+/g) ?? []
}

test("[PM8] every metric of the dashboard for Grafana is one that metrics() reports, and none is left out", async () => {
  const file = new URL("../../../../docs/guide/grafana-dashboard.json", import.meta.url)
  const dashboard = JSON.parse(readFileSync(file, "utf8")) as Dashboard
  await using fixed = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(1),
    threadFactory: virtualThreads(),
  })
  await using timed = Executors.newScheduledThreadPool(1, virtualThreads())
  await using forkJoin = new ForkJoinPool({ parallelism: 1 })
  await fixed.submit(() => undefined)
  const text = metrics({ fixed, timed, forkJoin })
  const families = new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const used = new Set(queries.flatMap(metricsIn))
  assert.deepEqual(
    [...used].filter((name) => !families.has(name)),
    [],
  )
  assert.deepEqual(
    [...families].filter((name) => !used.has(name as string)),
    [],
  )
  for (const query of queries) {
    assert.match(query, /name=~"\$pool"/)
    const quantile = /quantile="([^"]+)"/.exec(query)?.[1]
    if (quantile !== undefined) assert.ok(text.includes(`quantile="${quantile}"`), query)
  }
  const pools = dashboard.templating.list.find(({ name }) => name === "pool")
  assert.ok(metricsIn(JSON.stringify(pools?.query)).every((name) => families.has(name)))
  assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
})
