/**
 * The codec by itself: what a value costs there and back, in time and in bytes, beside what the runtime has for that. docs/design/codec.md says what
 * the numbers mean.
 *
 *     npm run bench -- codec
 *
 * Processes with and without a ban of code generation take turns, and in each of them all contenders do, in rounds. The best of all rounds
 * counts: what disturbs a process only ever makes it slower.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { deserialize, serialize } from "node:v8"
import { copyOf, encodeToBytes } from "../src/codec/codec.ts"
import { entry } from "./entries.ts"
import { spreadOf } from "./statistics.ts"

/** From a contender to the best of its rounds, in µs; and how many bytes it makes of the value. */
interface Row {
  readonly title: string
  readonly times: Readonly<Record<string, number>>
  readonly sizes: Readonly<Record<string, number>>
}

const PAYLOADS: Readonly<Record<string, unknown>> = {
  "a number": 0.5,
  "a text of 40 characters": "The quick brown fox jumps over the dog. ",
  "{ a, b } of two numbers": { a: 1, b: 2 },
  "an object of 1 KB": entry(7),
  "200 rows with a Date and a Set": Array.from({ length: 200 }, (_, id) => ({
    id,
    name: `row ${id}`,
    at: new Date(1e12 + id),
    tags: new Set(["a", "b", "c"]),
  })),
  "10,000 numbers in an array": Array.from({ length: 10_000 }, (_, i) => i * 1.5),
  "64 KB of bytes": new Uint8Array(65_536),
  "an error with a cause": new TypeError("no", { cause: new RangeError("since") }),
}

const COPY: Readonly<Record<string, (value: unknown) => unknown>> = {
  corepool: copyOf,
  structuredClone: (value) => structuredClone(value),
  "v8.serialize": (value) => deserialize(serialize(value)) as unknown,
  JSON: (value) => JSON.parse(JSON.stringify(value)) as unknown,
}

const SIZE: Readonly<Record<string, (value: unknown) => number>> = {
  corepool: (value) => encodeToBytes(value).length,
  "v8.serialize": (value) => serialize(value).length,
  JSON: (value) => Buffer.byteLength(JSON.stringify(value)),
}

/** Milliseconds that a turn takes at least, rounds in a process, and processes of each kind. */
const FULL = { turn: 10, rounds: 8, processes: 6 }
const QUICK = { turn: 2, rounds: 3, processes: 1 }

function measure(isQuick: boolean): Row[] {
  const { turn, rounds } = isQuick ? QUICK : FULL
  return Object.entries(PAYLOADS).map(([title, value]) => {
    const samples = Object.fromEntries(Object.keys(COPY).map((name) => [name, [] as number[]]))
    for (let round = -1; round < rounds; round++) {
      for (const [name, copy] of Object.entries(COPY)) {
        const time = timed(() => copy(value), turn)
        if (round >= 0) samples[name]?.push(time) // in the first one code is compiled
      }
    }
    const times = Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, spreadOf(all).min]))
    const sizes = Object.fromEntries(Object.entries(SIZE).map(([name, size]) => [name, size(value)]))
    return { title, times, sizes }
  })
}

/** Microseconds of one call, of as many as fit into a turn: of processor time, which is the same on a busy machine. */
function timed(run: () => unknown, turn: number): number {
  const start = processorTime()
  let calls = 0
  let passed = 0
  for (let batch = 1; passed < turn * 1000; batch = Math.min(batch * 2, 1000)) {
    for (let i = 0; i < batch; i++) run()
    calls += batch
    passed = processorTime() - start
  }
  return passed / calls
}

function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

const CHILD = "--measure-only"

/** What makes no function of a text: [CD1] holds there, too. */
const BAN = "--disallow-code-generation-from-strings"

async function measureElsewhere(isQuick: boolean, ...options: string[]): Promise<Row[]> {
  const args = [...options, fileURLToPath(import.meta.url), CHILD, ...(isQuick ? ["--quick"] : [])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Row[]
}

/** The best of both. */
function merged(rows: readonly Row[], others: readonly Row[]): Row[] {
  return rows.map((row, i) => {
    const times = Object.entries(row.times).map(([name, time]) => [
      name,
      Math.min(time, others[i]?.times[name] ?? time),
    ])
    return { ...row, times: Object.fromEntries(times) as Row["times"] }
  })
}

export async function runCodec(isQuick: boolean): Promise<void> {
  console.log(`node ${process.version}, ${process.platform}-${process.arch}`)
  let free = await measureElsewhere(isQuick)
  let banned = await measureElsewhere(isQuick, BAN)
  for (let i = 1; i < (isQuick ? QUICK : FULL).processes; i++) {
    free = merged(free, await measureElsewhere(isQuick))
    banned = merged(banned, await measureElsewhere(isQuick, BAN))
  }
  const names = Object.keys(COPY)
  print(
    ["µs there and back", ...names, "corepool without code generation"],
    free.map(({ title, times }, i) => [
      title,
      ...names.map((name) => digits(times[name])),
      digits(banned[i]?.times["corepool"]),
    ]),
  )
  const sized = Object.keys(SIZE)
  print(
    ["bytes", ...sized],
    free.map(({ title, sizes }) => [title, ...sized.map((name) => (sizes[name] ?? NaN).toLocaleString("en"))]),
  )
  console.log(JSON.stringify({ node: process.version, free, banned }))
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  console.log("")
  for (const row of [head, head.map(() => "---"), ...rows]) console.log(`| ${row.join(" | ")} |`)
}

function digits(value: number | undefined): string {
  return value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toPrecision(2)
}

if (process.argv.includes(CHILD)) console.log(JSON.stringify(measure(process.argv.includes("--quick"))))
