/**
 * `npm run bench -- observing`: what it costs to observe pools, and to carry a context into tasks. Each way runs in
 * fresh processes, in turn with the others, and is compared with a program that does neither. `--node PATH` measures
 * another version of Node.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const CHILD = fileURLToPath(new URL("./observing-child.js", import.meta.url))

/** The ways to observe, and what each of them is. */
const WAYS = {
  nothing: "nothing listens, and there is no store",
  metrics: "metrics() is called every 50 ms",
  channel: "a listener of corepool:task.run",
  recording: "record() writes everything down",
  store: "an AsyncLocalStorage has a store",
  propagated: "propagate() carries the store",
} as const

/** The loads: 100,000 tasks on virtual threads, on platform threads, and round trips one at a time. */
const LOADS = ["virtual", "platform", "trips"] as const

export type Observed = keyof typeof WAYS
export type Load = (typeof LOADS)[number]
type Times = Record<Load, number>

async function once(node: string, how: Observed, tasks: number, trips: number): Promise<Times> {
  const args = ["--conditions=shipped", CHILD, how, String(tasks), String(trips)]
  const { stdout } = await promisify(execFile)(node, args)
  return JSON.parse(stdout) as Times
}

/** The fastest of all runs: what other processes took away is least in it. */
function fastest(runs: readonly Times[]): Times {
  const of = (load: Load): number => Math.min(...runs.map((times) => times[load]))
  return { virtual: of("virtual"), platform: of("platform"), trips: of("trips") }
}

export async function runObserving(isQuick: boolean, node = process.execPath): Promise<void> {
  const [tasks, trips, rounds] = isQuick ? [10_000, 300, 2] : [100_000, 3_000, 7]
  const ways = Object.keys(WAYS) as Observed[]
  const runs = new Map<Observed, Times[]>(ways.map((way) => [way, []]))
  for (let round = 0; round < rounds; round++)
    for (const way of ways) runs.get(way)?.push(await once(node, way, tasks, trips))
  const { stdout: version } = await promisify(execFile)(node, ["--version"])
  console.log(
    `\n## What observing costs, node ${version.trim()}, ${tasks} tasks, ${trips} round trips, best of ${rounds}\n`,
  )
  console.log(`${"".padEnd(44)}${LOADS.map((load) => load.padStart(18)).join("")}`)
  const best = new Map(ways.map((way) => [way, fastest(runs.get(way) ?? [])]))
  const without = best.get("nothing")
  for (const [way, times] of best) {
    const cells = LOADS.map((load) => {
      const ratio = without === undefined ? NaN : times[load] / without[load]
      return `${times[load].toFixed(0)} ms ${ratio.toFixed(2)}×`.padStart(18)
    })
    console.log(`${WAYS[way].padEnd(44)}${cells.join("")}`)
  }
  console.log(JSON.stringify({ observing: { node: version.trim(), tasks, trips, best: Object.fromEntries(best) } }))
}
