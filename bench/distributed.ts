/**
 * `npm run bench -- distributed`: corepool/distributed beside the same work written with BullMQ by hand, on the same server in the same run. The server is
 * PostgreSQL from npm, and Redis if there is one. Both contenders take turns; of several rounds the median counts.
 *
 *     npm run bench -- distributed                          all parts, in their quick form
 *     npm run bench -- distributed-cancel --full            one part, in its full size
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { CancellationError } from "corepool"
import { DistributedExecutor, migrate } from "corepool/distributed"
import { startPostgres } from "../tools/servers/postgres.ts"
import { redisProgram, startRedis } from "../tools/servers/redis.ts"
import { ByHand } from "./distributed-hand.ts"
import { engineOf, LOCK } from "./distributed-place.ts"
import * as tasks from "./tasks/distributed.ts"

export const DISTRIBUTED_PARTS = [
  "distributed-throughput",
  "distributed-trip",
  "distributed-cancel",
  "distributed-recovery",
  "distributed-growth",
  "distributed-backlog",
  "distributed-schedules",
] as const

type Part = (typeof DISTRIBUTED_PARTS)[number]

interface Sizes {
  readonly burst: number
  readonly trips: number
  readonly rounds: number
  readonly cancels: number
  readonly deaths: number
  readonly backlog: number
  readonly schedules: number
}

const QUICK: Sizes = { burst: 500, trips: 50, rounds: 3, cancels: 20, deaths: 1, backlog: 5000, schedules: 500 }
const FULL: Sizes = {
  burst: 5000,
  trips: 500,
  rounds: 7,
  cancels: 200,
  deaths: 5,
  backlog: 100_000,
  schedules: 10_000,
}

interface Row {
  readonly engine: string
  readonly what: string
  readonly corepool: number
  readonly byHand?: number
  readonly unit: string
  /** Of corepool's figure to the other one, or of the figure itself. */
  readonly target?: string
}

export async function runDistributed(parts: readonly Part[], isFull: boolean): Promise<void> {
  const sizes = isFull ? FULL : QUICK
  if (!isFull) console.log("A quick run: its numbers mean little. --full measures.")
  const rows: Row[] = []
  await using postgres = await startPostgres()
  await migrate(engineOf(postgres.url))
  rows.push(...(await measure("PostgreSQL", postgres.url, parts, sizes)))
  if (redisProgram() === undefined) console.log("There is no Redis here: that half is not measured.")
  else {
    await using redis = await startRedis()
    rows.push(...(await measure("Redis", redis.url, parts, sizes)))
  }
  console.log(JSON.stringify({ distributed: rows, full: isFull }))
}

async function measure(engine: string, url: string, parts: readonly Part[], sizes: Sizes): Promise<Row[]> {
  const rows: Row[] = []
  console.log(`\n## ${engine}\n`)
  for (const part of parts) {
    for (const row of await PARTS[part](new Bench(engine, url, sizes, part))) {
      rows.push(row)
      console.log(lineOf(row))
    }
  }
  return rows
}

function lineOf({ what, corepool, byHand, unit, target }: Row): string {
  const ratio = byHand === undefined ? "" : `, by hand ${byHand.toFixed(1)} ${unit}: ${(corepool / byHand).toFixed(2)}×`
  return `${what.padEnd(46)} ${corepool.toFixed(1).padStart(9)} ${unit}${ratio}${target === undefined ? "" : `  (target ${target})`}`
}

/** A queue of its own for one part, with the processes that take its jobs. */
class Bench implements AsyncDisposable {
  readonly engine: string
  readonly url: string
  readonly sizes: Sizes
  readonly fleet: DistributedExecutor
  readonly #name: string
  readonly #processes: ChildProcess[] = []

  constructor(engine: string, url: string, sizes: Sizes, name: string) {
    this.engine = engine
    this.url = url
    this.sizes = sizes
    this.#name = name
    this.fleet = new DistributedExecutor({ name, engine: engineOf(url), tasks })
  }

  get handName(): string {
    return `${this.#name}-by-hand`
  }

  async node(contender: "corepool" | "by-hand" = "corepool"): Promise<ChildProcess> {
    const program = fileURLToPath(new URL("distributed-node.js", import.meta.url))
    const queue = contender === "corepool" ? this.#name : this.handName
    const child = spawn(process.execPath, [...process.execArgv, program, contender, queue, this.url], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#processes.push(child)
    await once(child.stdout, "data")
    return child
  }

  row(what: string, corepool: number, unit: string, more: { byHand?: number; target?: string } = {}): Row {
    return { engine: this.engine, what, corepool, unit, ...more }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fleet.close()
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill("SIGKILL")
      await once(child, "exit")
    }
  }
}

const PARTS: Readonly<Record<Part, (bench: Bench) => Promise<Row[]>>> = {
  "distributed-throughput": throughput,
  "distributed-trip": roundTrip,
  "distributed-cancel": cancelling,
  "distributed-recovery": recovery,
  "distributed-growth": growth,
  "distributed-backlog": backlog,
  "distributed-schedules": schedules,
}

async function throughput(given: Bench): Promise<Row[]> {
  await using bench = given
  const { burst, rounds } = bench.sizes
  const hand = await startByHand(bench)
  await bench.node()
  const [ours, theirs] = await inTurn(
    rounds,
    () => burstOf(bench.fleet, burst),
    () => timed(() => hand.addAll(burst)),
  )
  await hand.close()
  const perSecond = (ms: number): number => (burst / ms) * 1000
  return [
    bench.row(`throughput, ${burst} tasks`, perSecond(ours), "tasks/s", {
      byHand: perSecond(theirs),
      target: "≥ 0.8×",
    }),
  ]
}

async function roundTrip(given: Bench): Promise<Row[]> {
  await using bench = given
  const { trips, rounds } = bench.sizes
  const hand = await startByHand(bench)
  await bench.node()
  const [ours, theirs] = await inTurn(
    rounds,
    async () => median(await repeat(trips, () => timed(() => bench.fleet.submit(tasks.add, 1, 1)))),
    async () => median(await repeat(trips, () => timed(() => hand.add()))),
  )
  await hand.close()
  return [bench.row("round trip, one at a time, p50", ours, "ms", { byHand: theirs, target: "≤ 1.3×" })]
}

/** From `cancel(true)` here until the job has ended on the node, and another process is told so. */
async function cancelling(given: Bench): Promise<Row[]> {
  await using bench = given
  await bench.node()
  await using watcher = new DistributedExecutor({ name: "distributed-cancel", engine: engineOf(bench.url), tasks })
  const times = await repeat(bench.sizes.cancels, async () => {
    const future = bench.fleet.submit(tasks.endless)
    await future.stored
    const seen = watcher.future(future.id)
    while ((await bench.fleet.stats()).active === 0);
    return await timed(async () => {
      future.cancel(true)
      await seen.get().catch((error: unknown) => {
        if (!(error instanceof CancellationError)) throw error
      })
    })
  })
  return [
    bench.row("remote cancel, p50", median(times), "ms", { target: "< 50 ms" }),
    bench.row("remote cancel, p95", percentile(times, 0.95), "ms"),
  ]
}

/** From kill -9 of the node that runs a task until its result is there, from another node, where the task takes no time. */
async function recovery(given: Bench): Promise<Row[]> {
  await using bench = given
  const times = await repeat(bench.sizes.deaths, async () => {
    const victim = await bench.node()
    const future = bench.fleet.submit(tasks.survive)
    while ((await bench.fleet.stats()).active === 0);
    const other = await bench.node()
    const time = await timed(async () => {
      victim.kill("SIGKILL")
      await future
    })
    other.kill("SIGTERM")
    await once(other, "exit")
    return time
  })
  const target = `≤ ${LOCK + 2000} ms: the lock time and 2 s`
  return [bench.row(`recovery after kill -9, lock ${LOCK} ms, longest`, Math.max(...times), "ms", { target })]
}

async function growth(given: Bench): Promise<Row[]> {
  await using bench = given
  const { burst, rounds } = bench.sizes
  const rows: Row[] = []
  for (const nodes of [1, 2, 4]) {
    while ((await bench.fleet.nodes()).length < nodes) await bench.node()
    const time = median(await repeat(rounds, () => burstOf(bench.fleet, burst)))
    rows.push(bench.row(`throughput of ${nodes} node${nodes === 1 ? "" : "s"}`, (burst / time) * 1000, "tasks/s"))
  }
  return rows
}

/** Many jobs wait: what does it cost to add them, to add one more, and to get rid of them? */
async function backlog(given: Bench): Promise<Row[]> {
  await using bench = given
  const { backlog: count, trips } = bench.sizes
  const futures: Promise<unknown>[] = []
  const adding = await timed(async () => {
    for (let done = 0; done < count; done += 1000) {
      const some = Array.from({ length: Math.min(1000, count - done) }, () => bench.fleet.submit(tasks.add, 1, 1))
      futures.push(...some.map((future) => future.get()))
      await Promise.all(some.map((future) => future.stored))
    }
  })
  const oneMore = await repeat(Math.min(trips, 50), () =>
    timed(async () => {
      const future = bench.fleet.submit(tasks.add, 1, 1)
      futures.push(future.get())
      await future.stored
    }),
  )
  const memory = process.memoryUsage().rss / 1e6
  await bench.node()
  const draining = await timed(() => Promise.all(futures))
  return [
    bench.row(`${count} jobs wait: added`, (count / adding) * 1000, "jobs/s"),
    bench.row(`${count} jobs wait: one more is stored, p50`, median(oneMore), "ms"),
    bench.row(`${count} jobs wait: memory of the submitter`, memory, "MB"),
    bench.row(`${count} jobs wait: run by one node`, (count / draining) * 1000, "tasks/s"),
  ]
}

/** Many schedules are there: what does one more cost? */
async function schedules(given: Bench): Promise<Row[]> {
  await using bench = given
  const { schedules: count } = bench.sizes
  const add = async (): Promise<void> => {
    await bench.fleet.scheduleAtFixedRate(tasks.add, 3_600_000, 3_600_000, 1, 1).stored
  }
  const first = await repeat(20, () => timed(add))
  for (let done = 0; done < count; done += 500) await Promise.all(Array.from({ length: 500 }, add))
  const last = await repeat(20, () => timed(add))
  const rows = [
    bench.row("one more schedule, the first ones, p50", median(first), "ms"),
    bench.row(`one more schedule among ${count}, p50`, median(last), "ms"),
  ]
  await bench.fleet.shutdownNow()
  return rows
}

async function startByHand(bench: Bench): Promise<ByHand> {
  const hand = new ByHand(bench.handName, bench.url)
  await hand.ready()
  await bench.node("by-hand")
  return hand
}

function burstOf(fleet: DistributedExecutor, count: number): Promise<number> {
  return timed(async () => {
    const results = await Promise.all(Array.from({ length: count }, (_, i) => fleet.submit(tasks.add, i, 1)))
    if (results.some((result, i) => result !== i + 1)) throw new Error("A result is wrong")
  })
}

/** The medians of both, which take turns; one round before does not count. */
async function inTurn(rounds: number, a: () => Promise<number>, b: () => Promise<number>): Promise<[number, number]> {
  const [ours, theirs]: [number[], number[]] = [[], []]
  for (let round = 0; round <= rounds; round++) {
    const [x, y] = [await a(), await b()]
    if (round === 0) continue
    ours.push(x)
    theirs.push(y)
  }
  return [median(ours), median(theirs)]
}

async function repeat(times: number, act: () => Promise<number>): Promise<number[]> {
  const samples: number[] = []
  for (let i = 0; i < times; i++) samples.push(await act())
  return samples
}

async function timed(act: () => PromiseLike<unknown>): Promise<number> {
  const begin = performance.now()
  await act()
  return performance.now() - begin
}

function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

function percentile(samples: readonly number[], part: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
}
