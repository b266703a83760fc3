/**
 * `npm run test:builds`: the packed package in bundles, and under test runners and TypeScript runners.
 *
 *     npm run test:builds                     everything
 *     npm run test:builds -- esbuild Jest     what has one of these words in its name
 *
 * Prints a row for each program and runtime, then what cannot be, and what has failed. Exit code 1 if anything failed, 2 if it
 * could not begin. Nothing is tried twice.
 */
import { join } from "node:path"
import { fetchDriver } from "../browser/fetch.ts"
import { fetchRuntimes, type Runtime } from "../runtimes/fetch.ts"
import { type Case, KINDS } from "./cases.ts"
import { failed, judge, type Judged } from "./judge.ts"
import { CASES } from "./pages.ts"
import { Workshop } from "./workshop.ts"

interface Row {
  readonly program: Case
  readonly runtime: Runtime
  readonly judged: Judged
}

function chosen(words: readonly string[]): Case[] {
  const names = words.map((word) => word.toLowerCase())
  const found = CASES.filter(
    ({ name }) => names.length === 0 || names.some((word) => name.toLowerCase().includes(word)),
  )
  if (found.length > 0) return found
  throw new Error(`Nothing is called ${words.join(", ")}. There are: ${CASES.map(({ name }) => name).join("; ")}.`)
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padEnd([34, 10][i] ?? 11))
    .join("")
    .trimEnd()
}

async function main(root: string, words: readonly string[]): Promise<number> {
  const programs = chosen(words)
  const runtimes = await fetchRuntimes(join(root, "tools/runtimes"), ["node20", "node24", "bun", "deno"])
  if (programs.some(({ isPage }) => isPage === true)) await fetchDriver(root)
  using workshop = new Workshop(root)
  await workshop.pack()
  console.log(line(["", "runtime", ...KINDS, "seconds"]))
  const rows: Row[] = []
  for (const program of programs) {
    for (const runtime of runtimes.filter(({ name }) => program.runtimes.includes(name))) {
      const start = performance.now()
      const judged = await attempt(workshop, program, runtime, runtimes)
      const seconds = ((performance.now() - start) / 1000).toFixed(1)
      console.log(
        line([program.name, placeOf(program, runtime), ...KINDS.map((kind) => judged.verdicts[kind]), seconds]),
      )
      rows.push({ program, runtime, judged })
    }
  }
  const limits = new Map(rows.flatMap(({ program: { name, limit } }) => (limit === undefined ? [] : [[name, limit]])))
  if (limits.size > 0) console.log("\nCannot")
  for (const [name, { reason, instead }] of limits) console.log(`  ${name}: ${reason}. Instead: ${instead}.`)
  const wrong = rows.filter(({ judged }) => judged.complaints.length > 0)
  if (wrong.length > 0) console.log("\nFailed")
  for (const { program, runtime, judged } of wrong) {
    console.log(`  ${program.name}, ${placeOf(program, runtime)}, ${runtime.version}`)
    for (const complaint of judged.complaints) console.log(`    ${complaint.replaceAll("\n", "\n    ")}`)
  }
  return wrong.length > 0 ? 1 : 0
}

function placeOf({ isPage }: Case, { name }: Runtime): string {
  return isPage === true ? "chromium" : name
}

async function attempt(
  workshop: Workshop,
  program: Case,
  runtime: Runtime,
  builders: readonly Runtime[],
): Promise<Judged> {
  try {
    return judge(program, await workshop.run(program, runtime, builders))
  } catch (error) {
    return failed(error)
  }
}

try {
  process.exitCode = await main(process.cwd(), process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
