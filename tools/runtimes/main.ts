/**
 * `npm run test:runtimes`: the whole test suite on every runtime that corepool is meant for.
 *
 *     npm run test:runtimes                       all runtimes but browsers, all files
 *     npm run test:runtimes -- chromium           the files that can run in a browser
 *     npm run test:runtimes -- bun deno           these runtimes
 *     npm run test:runtimes -- --pattern queue    the files with "queue" in their path
 *
 * Prints a row for each runtime as it is done, then what differs, is skipped or has failed. Exit code 1 if anything failed, 2 if
 * it could not begin.
 */
import { parseArgs } from "node:util"
import { listFiles } from "../check/files.ts"
import { startServers } from "../servers/for-tests.ts"
import { type Fit, fitOf } from "./browser/needs.ts"
import { DIFFERENCES, OMISSIONS } from "./differences.ts"
import { findRuntimes } from "./fetch.ts"
import { type FileRun, type Limits, runFiles } from "./files.ts"
import { filesFor, judge, staleEntries } from "./judge.ts"
import { header, leftOut, remarks, type Row, row } from "./report.ts"
import { ENGINES, isBrowser, type RuntimeName, RUNTIMES } from "./runtime.ts"

/** Nothing takes so long, not even on a busy machine; it only turns what hangs into a failure. */
const LIMITS: Limits = { test: 900_000, file: 1_800_000 }

/** A test that waits for what cannot come ends by itself in a process, which has nothing left to do, and not in a page. */
const IN_BROWSERS: Limits = { test: 60_000, file: 600_000 }

interface Request {
  readonly runtimes: readonly RuntimeName[]
  readonly patterns: readonly string[]
}

function parse(args: readonly string[]): Request {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { pattern: { type: "string", multiple: true, default: [] } },
  })
  const unknown = positionals.filter((name) => !RUNTIMES.some((runtime) => runtime === name))
  if (unknown.length > 0) {
    throw new Error(`No such runtime: ${unknown.join(", ")}. There are: ${RUNTIMES.join(", ")}.`)
  }
  return {
    runtimes: positionals.length === 0 ? ENGINES : RUNTIMES.filter((name) => positionals.includes(name)),
    patterns: values.pattern,
  }
}

async function main(root: string, args: readonly string[]): Promise<number> {
  const { runtimes, patterns } = parse(args)
  const all = listFiles(root, "test", ".test.ts")
  const chosen = all.filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  if (chosen.length === 0) throw new Error(`No test file matches ${patterns.join(", ")}`)
  const stale = staleEntries(all, DIFFERENCES, OMISSIONS)
  if (stale.length > 0) throw new Error(stale.join("\n"))

  const found = await findRuntimes(root, runtimes)
  const fits = new Map<string, Fit>(runtimes.some(isBrowser) ? chosen.map((file) => [file, fitOf(root, file)]) : [])
  const servers = await startServers(root, chosen)
  Object.assign(process.env, servers.env) // of the test files, which are started with the environment of this process
  console.log(header())
  const rows: Row[] = []
  let reference: FileRun[] | undefined
  for (const runtime of found) {
    const start = performance.now()
    const inBrowser = isBrowser(runtime.name)
    const concerned = filesFor(runtime.name, chosen, OMISSIONS).filter((file) => !inBrowser || runsIn(fits.get(file)))
    const runs = await runFiles(root, runtime, concerned, inBrowser ? IN_BROWSERS : LIMITS, fits)
    const verdict = judge(runtime.name, runs, DIFFERENCES, reference)
    const seconds = (performance.now() - start) / 1000
    reference ??= runs
    const done = { runtime: runtime.name, version: runtime.version, verdict, seconds }
    console.log(row(done))
    rows.push(done)
  }
  await servers.stop()
  for (const line of leftOut(fits)) console.log(line)
  for (const line of remarks(rows, OMISSIONS, servers.missing)) console.log(line)
  return rows.some(({ verdict }) => verdict.failed.length > 0) ? 1 : 0
}

function runsIn(fit: Fit | undefined): boolean {
  return fit !== undefined && !("lacks" in fit)
}

try {
  process.exitCode = await main(process.cwd(), process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
