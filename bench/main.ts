/**
 * `npm run bench`: corepool beside its rivals, in one run. README.md says what is measured and how.
 *
 *     npm run bench                   all contests
 *     npm run bench -- pool memory    these only; `platform` stands for all whose name begins with it
 *     npm run bench -- defects        what the rivals get wrong, and whether corepool does
 *     npm run bench -- start          what importing it, its first result and its threads cost
 *     npm run bench -- codec          values as bytes, beside structuredClone, v8.serialize and JSON
 *     npm run bench -- garbage        bytes that the main thread allocates for a task on platform threads
 *     npm run bench -- contention     atomic operations of a task on platform threads, and how many fail, by number of threads
 *     npm run bench -- observing      what metrics, listeners, recordings and contexts cost; `--node PATH` on another version of Node
 *     npm run bench -- browser        in Chromium, beside comlink and others; `--in firefox`, and `--knitting FILE` for its browser build
 *     npm run bench -- distributed    corepool/distributed beside BullMQ by hand; `distributed-cancel` and so on for one part of it, `--full` for all of its size
 *     npm run bench -- --report       writes what was measured as a page with charts, build/bench-report/report.html, too
 *     npm run bench -- --pictures     measures the burst and the latency, and writes the pictures of the README anew
 *     npm run bench -- --quick        small and few: to see whether it works
 *
 * The exit code tells whether the run went through, never who won.
 */
import { availableParallelism, cpus } from "node:os"
import { parseArgs } from "node:util"
import { runBrowser } from "./browser/run.ts"
import { runCodec } from "./codec.ts"
import { runContention } from "./contention.ts"
import type { Contest } from "./contest.ts"
import { contests } from "./contests.ts"
import { runDefects } from "./defects.ts"
import { DISTRIBUTED_PARTS, runDistributed } from "./distributed.ts"
import { runGarbage } from "./garbage.ts"
import { PICTURED, writePictures, writeReport } from "./html-report.ts"
import { type BoutResult, FULL, measure, QUICK } from "./measure.ts"
import type { PlatformContest } from "./platform-contest.ts"
import { runPlatform } from "./platform-report.ts"
import { platformContests } from "./platform.ts"
import { runObserving } from "./observing.ts"
import { printBout, printLosses, toJson } from "./report.ts"
import { rivalVersions } from "./rivals.ts"
import type { CountRecord, RunRecord } from "./results.ts"
import { runStart } from "./start.ts"
import { type BrowserName, BROWSERS } from "../tools/runtimes/browser/browsers.ts"

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    pictures: { type: "boolean", default: false },
    node: { type: "string" },
    in: { type: "string", default: "chromium" },
    knitting: { type: "string" },
  },
})

async function main(chosen: readonly Contest[], platform: readonly PlatformContest[]): Promise<void> {
  const settings = flags.quick ? QUICK : FULL
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? "unknown",
    rounds: settings.rounds,
    rivals: rivalVersions(),
  }
  console.log(`node ${machine.node}, ${machine.platform}, ${machine.cores} cores, ${settings.rounds} rounds`)
  console.log(
    Object.entries(machine.rivals)
      .map(([name, version]) => `${name} ${version}`)
      .join(", "),
  )
  if (flags.quick) console.log("A quick run: its numbers mean little.")

  const results = new Map<Contest, BoutResult[]>()
  for (const contest of chosen) {
    const bouts: BoutResult[] = []
    results.set(contest, bouts)
    for (const bout of contest.bouts) {
      const result = await measure(contest, bout, settings)
      printBout(contest, result)
      bouts.push(result)
    }
  }
  const counts: CountRecord[] = []
  for (const contest of platform) {
    const measured = await runPlatform(contest, settings)
    for (const [unit, bouts] of measured.ratios) results.set(unit, bouts)
    counts.push(...measured.counts)
  }

  console.log("\n## Where corepool is behind a rival, or short of a target\n")
  for (const [contest, bouts] of results) printLosses(contest, bouts)
  console.log("")
  const run: RunRecord = {
    ...machine,
    quick: flags.quick,
    contests: [...results].map(([contest, bouts]) => toJson(contest, bouts)),
    counts,
  }
  console.log(JSON.stringify(run))
  const written = [
    ...(flags.report ? writeReport("build/bench-report", run) : []),
    ...(flags.pictures ? writePictures("docs/guide/images", run) : []),
  ]
  for (const path of written) console.log(`Written: ${path}`)
}

const DEFECTS = "defects"
const START = "start"
const CODEC = "codec"
const GARBAGE = "garbage"
const CONTENTION = "contention"
const OBSERVING = "observing"
const BROWSER = "browser"

/** The pictures alone need no other contests. */
const names = positionals.length === 0 && flags.pictures && !flags.report ? PICTURED : positionals

function isMeant(wanted: string, name: string): boolean {
  return name === wanted || name.startsWith(`${wanted}-`)
}

function isChosen({ name }: { readonly name: string }): boolean {
  return names.length === 0 || names.some((wanted) => isMeant(wanted, name))
}

function browserNamed(name: string): BrowserName {
  const found = BROWSERS.find((known) => known === name)
  if (found === undefined) throw new Error(`No such browser: ${name}. There are: ${BROWSERS.join(", ")}.`)
  return found
}

const distributed = DISTRIBUTED_PARTS.filter((part) => names.some((wanted) => isMeant(wanted, part)))
const known = [
  ...[...contests, ...platformContests].map(({ name }) => name),
  DEFECTS,
  START,
  CODEC,
  GARBAGE,
  CONTENTION,
  OBSERVING,
  BROWSER,
  ...DISTRIBUTED_PARTS,
]
const unknown = names.filter((wanted) => !known.some((name) => isMeant(wanted, name)))
if (unknown.length > 0) {
  console.error(`No such contest: ${unknown.join(", ")}. There are: ${known.join(", ")}.`)
  process.exitCode = 2
} else {
  const [chosen, platform] = [contests.filter(isChosen), platformContests.filter(isChosen)]
  if (chosen.length + platform.length > 0) await main(chosen, platform)
  if (names.includes(DEFECTS)) await runDefects()
  if (names.includes(START)) runStart(flags.quick)
  if (names.includes(CODEC)) await runCodec(flags.quick)
  if (names.includes(GARBAGE)) await runGarbage()
  if (names.includes(CONTENTION)) await runContention(flags.quick)
  if (names.includes(OBSERVING)) await runObserving(flags.quick, flags.node)
  if (names.includes(BROWSER)) await runBrowser(flags.quick ? QUICK : FULL, browserNamed(flags.in), flags.knitting)
  if (distributed.length > 0) await runDistributed(distributed, flags.full)
}
