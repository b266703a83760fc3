/**
 * `npm run bench -- distributed`: corepool/distributed beside the same work written with BullMQ by hand, on the same server in the same run. The server is
 * PostgreSQL from npm, and Redis if there is one. Both contenders take turns; of several rounds the median counts.
 *
 *     npm run bench -- distributed                          all parts, in their quick form
 *     npm run bench -- distributed-cancel --full            one part, in its full size
 */
import { migrate } from "corepool/distributed"
import { startPostgres } from "../tools/servers/postgres.ts"
import { redisProgram, startRedis } from "../tools/servers/redis.ts"
import { backlog, cancelling, growth, recovery, roundTrip, schedules, throughput } from "./distributed-parts.ts"
import { engineOf } from "./distributed-place.ts"
import { Bench, type Row, type Sizes } from "./distributed-stand.ts"

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

const QUICK: Sizes = {
  burst: 500,
  trips: 50,
  rounds: 3,
  cancels: 20,
  deaths: 1,
  growth: 100,
  backlog: 5000,
  schedules: 500,
}
const FULL: Sizes = {
  burst: 5000,
  trips: 500,
  rounds: 7,
  cancels: 200,
  deaths: 5,
  growth: 500,
  backlog: 100_000,
  schedules: 10_000,
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

function lineOf({ what, corepool, byHand, rival, unit, target }: Row): string {
  const ratio = byHand === undefined ? "" : `, by hand ${byHand.toFixed(1)} ${unit}: ${(corepool / byHand).toFixed(2)}×`
  const more = [target === undefined ? [] : `target ${target}`, rival === undefined ? [] : `by hand: ${rival}`].flat()
  return `${what.padEnd(62)} ${corepool.toFixed(1).padStart(9)} ${unit}${ratio}${more.length === 0 ? "" : `  (${more.join("; ")})`}`
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
