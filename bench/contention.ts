/**
 * `npm run bench -- contention`: how many atomic operations a tiny task costs, and how many of them fail because another
 * thread was faster, with 2, 4, 8 and 16 worker threads. A count, not a time: it is the same on a busy machine. With fewer
 * processors than threads, fewer operations meet than on a machine that has a processor for each.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Counts } from "./counting-atomics.ts"

const THREADS = [1, 2, 4, 8, 16]
const CHILD = fileURLToPath(new URL("./contention-child.js", import.meta.url))
const COUNTING = new URL("./counting-atomics.js", import.meta.url).href

type Figures = Record<Exclude<keyof Counts, "places">, number>

interface Burst {
  readonly submitter: readonly [Counts, Counts]
  readonly workers: readonly [readonly Counts[], readonly Counts[]]
}

/** What has been counted from the first to the second, per task. */
function perTask(from: readonly Counts[], to: readonly Counts[], tasks: number): Figures {
  const total = (all: readonly Counts[], key: keyof Figures): number => all.reduce((sum, each) => sum + each[key], 0)
  const of = (key: keyof Figures): number => (total(to, key) - total(from, key)) / tasks
  return {
    loads: of("loads"),
    stores: of("stores"),
    changes: of("changes"),
    set: of("set"),
    failed: of("failed"),
    notified: of("notified"),
    waits: of("waits"),
  }
}

/** Where operations have failed, the most frequent first. */
function placesIn(from: readonly Counts[], to: readonly Counts[]): [place: string, failures: number][] {
  const places = new Map<string, number>()
  for (const [counts, sign] of [...to.map((each) => [each, 1] as const), ...from.map((each) => [each, -1] as const)])
    for (const [place, failures] of Object.entries(counts.places))
      places.set(place, (places.get(place) ?? 0) + sign * failures)
  return [...places].filter(([, failures]) => failures > 0).toSorted((a, b) => b[1] - a[1])
}

async function count(threads: number, tasks: number): Promise<Burst> {
  const NODE_OPTIONS = `${process.env["NODE_OPTIONS"] ?? ""} --import=${COUNTING}`.trim()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=shipped", CHILD, ...[threads, tasks].map(String)],
    {
      env: { ...process.env, NODE_OPTIONS },
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return JSON.parse(stdout) as Burst
}

export async function runContention(isQuick: boolean): Promise<void> {
  const tasks = isQuick ? 10_000 : 100_000
  const rows: Record<string, Figures> = {}
  const failures: Record<number, readonly [string, number][]> = {}
  for (const threads of THREADS) {
    const { submitter, workers } = await count(threads, tasks)
    rows[`${threads} threads, submitter`] = perTask([submitter[0]], [submitter[1]], tasks)
    rows[`${threads} threads, workers`] = perTask(workers[0], workers[1], tasks)
    failures[threads] = placesIn([submitter[0], ...workers[0]], [submitter[1], ...workers[1]])
  }
  const keys = Object.keys(Object.values(rows)[0] ?? {}) as (keyof Figures)[]
  console.log(`\n## Atomic operations per task, ${tasks} tasks\n`)
  console.log(`${"".padEnd(26)}${keys.map((key) => key.padStart(10)).join("")}`)
  for (const [name, row] of Object.entries(rows))
    console.log(`${name.padEnd(26)}${keys.map((key) => row[key].toFixed(3).padStart(10)).join("")}`)
  console.log("\nFailed, per 1,000 tasks:\n")
  for (const [threads, places] of Object.entries(failures))
    for (const [place, n] of places.slice(0, 6))
      console.log(`${`${threads} threads`.padEnd(14)}${((n / tasks) * 1000).toFixed(2).padStart(10)}  ${place}`)
  console.log(JSON.stringify({ contention: { tasks, rows, failures } }))
}
