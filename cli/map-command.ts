/** `corepool map`: calls an exported function for each input, on a pool of threads, with the habits of GNU parallel. */
import type { Command } from "commander"
import { Executors, platformThreads } from "corepool"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { checkTarget, shown, type Target } from "./batch.ts"
import { type Group, type Inputs, openInputs } from "./inputs.ts"
import { finishedJobs, JobLog, type LogFormat } from "./joblog.ts"
import { JobRunner } from "./job-runner.ts"
import { MapRun } from "./map-run.ts"
import { ProgressLine } from "./progress-line.ts"
import { CommandSignals, EXIT, UsageError } from "./process.ts"
import {
  type Halt,
  parseCount,
  parseHalt,
  parseJobs,
  parseRetries,
  parseSeparator,
  parseTimeLimit,
  type TimeLimit,
} from "./values.ts"

interface MapOptions {
  readonly jobs: number
  readonly keepOrder?: true
  readonly argFile: readonly string[]
  readonly ndjson?: true
  readonly colsep?: RegExp
  readonly null?: true
  readonly json?: true
  readonly text?: true
  readonly tag?: true
  readonly bar?: true
  readonly eta?: true
  readonly joblog?: string
  readonly joblogFormat: LogFormat
  readonly resume?: true
  readonly resumeFailed?: true
  readonly retries: number
  readonly timeout?: TimeLimit
  readonly halt?: Halt
  readonly batch?: number
  readonly dryRun?: true
}

const EXAMPLES = `
The function gets one input and may be asynchronous. Inputs come from ::: values, from :::: files, or from
the standard input, one in each line. Several groups give every combination.

Examples:
  corepool map ./resize.js#thumb ::: *.jpg
  seq 1000000 | corepool map ./math.js#square --ndjson > squares.ndjson
  corepool map ./fetch.ts --jobs 16 --retries 3 --joblog log.tsv --resume :::: urls.txt
`

export function addMapCommand(program: Command, groups: readonly Group[]): void {
  program
    .command("map")
    .summary("call a function for each input, on a pool of threads")
    .description("Calls a function that a module exports for each input, on a pool of threads, and prints the results.")
    .argument("<module#function>", "the module, and the exported function; without #function, the default export")
    .option("-j, --jobs <n>", "threads: N, +N, -N or N% of the processors", parseJobs, availableParallelism())
    .option("-k, --keep-order", "print results in the order of the inputs")
    .option("-a, --arg-file <file>", "read inputs from the file; the same as :::: file", collect, [])
    .option("--ndjson", "each input is a JSON value (files named .ndjson and .jsonl are read so anyway)")
    .option("--colsep <regexp>", "split each input into several arguments", parseSeparator)
    .option("-0, --null", "inputs end with a NUL character, as those of find -print0")
    .option("--json", "print a JSON object for each job, also on a terminal")
    .option("--text", "print the values as text, also into a pipe")
    .option("--tag", "begin each line of text with the input")
    .option("--bar", "show a progress bar on a terminal")
    .option("--eta", "show how long it will take on a terminal")
    .option("--joblog <file>", "log each job; +file adds to the file")
    .option("--joblog-format <format>", "tsv, as GNU parallel has it, or ndjson", parseLogFormat, "tsv")
    .option("--resume", "leave out the jobs that are in the job log")
    .option("--resume-failed", "the same, but run the failed ones again")
    .option("--retries <n>", "try a failing job up to n times", parseRetries, 1)
    .option("--timeout <time>", "end a job after this time: 30s, 500ms, 200% of the median", parseTimeLimit)
    .option("--halt <when>", "start no more jobs: now,fail=1 or soon,fail=10% or never", parseHalt)
    .option("--batch <n>", "give a thread n inputs at once (default: as many as take some 20 ms)", parseCount)
    .option("--dry-run", "print the calls, and do not make them")
    .addHelpText("after", EXAMPLES)
    .action(async (specifier: string, options: MapOptions) => {
      process.exitCode = await map(specifier, options, groups)
    })
}

function collect(file: string, files: readonly string[]): string[] {
  return [...files, file]
}

function parseLogFormat(text: string): LogFormat {
  if (text === "tsv" || text === "ndjson") return text
  throw new UsageError(`--joblog-format: expected tsv or ndjson, got ${text}`)
}

async function map(specifier: string, options: MapOptions, groups: readonly Group[]): Promise<number> {
  const target = targetOf(specifier)
  const inputs = inputsOf(options, groups)
  const log = options.joblog?.replace(/^\+/, "")
  const resumes = options.resume === true || options.resumeFailed === true
  if (resumes && log === undefined) throw new UsageError("--resume and --resume-failed need --joblog")
  const skip =
    resumes && log !== undefined ? finishedJobs(log, options.joblogFormat, options.resumeFailed === true) : NONE
  if (options.dryRun === true) return await printCalls(specifier, inputs, skip)

  const attempts = options.retries
  const pool = Executors.newFixedThreadPool(
    options.jobs,
    platformThreads({ name: "corepool-map", preload: [target.url] }),
  )
  const signals = new CommandSignals()
  try {
    const problem = await pool.submit(checkTarget, target).catch((error: unknown) => String(error))
    if (problem !== undefined) throw new UsageError(`${specifier}: ${problem}`)
    const style = { json: options.json ?? (options.text !== true && !process.stdout.isTTY), tag: options.tag === true }
    const runner = new JobRunner(pool, { target, style, timeout: options.timeout, attempts })
    const run = new MapRun(
      {
        command: specifier,
        threads: options.jobs,
        keepOrder: options.keepOrder === true,
        batch: options.timeout === undefined ? options.batch : 1,
        halt: options.halt,
        skip,
      },
      inputs,
      runner,
      process,
    )
    const kill = (): void => runner.kill()
    signals.watch({ stop: () => run.stop(), kill, running: () => run.running })
    if (log !== undefined) run.log = new JobLog(log, options.joblogFormat, resumes || options.joblog !== log)
    if ((options.bar ?? options.eta) === true && ProgressLine.suits(process.stderr)) {
      run.line = new ProgressLine(process.stderr, () => run.counts, options.bar === true)
    }
    try {
      const ending = await run.run(kill)
      return signals.exitCode ?? exitCodeOf(run.counts.failed, ending === "halted" && options.halt?.what === "success")
    } finally {
      run.line?.end()
      run.log?.close()
    }
  } finally {
    await pool.close()
  }
}

const NONE: ReadonlySet<number> = new Set()

/** As GNU parallel has it: the number of failed jobs, at most 101. */
function exitCodeOf(failed: number, hasSucceeded: boolean): number {
  return hasSucceeded ? EXIT.success : Math.min(failed, EXIT.manyFailed)
}

function targetOf(specifier: string): Target {
  const [, path = "", name = "default"] = /^(?<path>[^#]+)(?:#(?<name>.+))?$/.exec(specifier) ?? []
  if (path === "") throw new UsageError(`Expected module#function, such as ./resize.js#thumb, got ${specifier}`)
  if (/^(?:file|data|node):/.test(path)) return { url: path, name }
  const file = resolve(path)
  if (!existsSync(file)) throw new UsageError(`There is no module ${path}`)
  return { url: pathToFileURL(file).href, name }
}

function inputsOf(options: MapOptions, groups: readonly Group[]): Inputs {
  const all = options.argFile.length === 0 ? groups : [...groups, { files: options.argFile }]
  for (const group of all) {
    for (const file of "files" in group ? group.files : []) {
      if (file !== "-" && !existsSync(file)) throw new UsageError(`There is no file ${file}`)
    }
  }
  if (all.length === 0 && process.stdin.isTTY) {
    throw new UsageError("No inputs: give them after :::, in a file after ::::, or on the standard input")
  }
  const { ndjson = false, null: nul = false, colsep } = options
  if (options.json === true && options.text === true) throw new UsageError("--json and --text exclude each other")
  if (ndjson && colsep !== undefined) throw new UsageError("--ndjson and --colsep exclude each other")
  return openInputs(all, { ndjson, nul, separator: colsep }, process.stdin)
}

async function printCalls(specifier: string, inputs: Inputs, skip: ReadonlySet<number>): Promise<number> {
  let seq = 0
  for (let some = await inputs.take(1000); some.length > 0; some = await inputs.take(1000)) {
    const lines = some.flatMap((input) => (skip.has(++seq) ? [] : [`${specifier} ${shown(input)}\n`]))
    process.stdout.write(lines.join(""))
  }
  return EXIT.success
}
