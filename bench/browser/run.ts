/**
 * `npm run bench -- browser`: corepool beside rivals in a browser. Each contender has a browser of its own with one page, and
 * all of them take turns, one at a time, in one run.
 */
import type { Contender, Contest } from "../contest.ts"
import type { BoutResult, Settings } from "../measure.ts"
import { printBout, printLosses } from "../report.ts"
import { rivalVersions } from "../rivals.ts"
import { type BrowserName } from "../../tools/runtimes/browser/browsers.ts"
import { findRuntimes } from "../../tools/runtimes/fetch.ts"
import {
  BOUTS,
  type BrowserBout,
  type BrowserContender,
  COMLINK,
  COREPOOL,
  KNITTING,
  POOLIFIER,
  WITH_TARGET,
  WITHOUT_MOVES,
  WORKERPOOL,
} from "./contest.ts"
import { type BenchSite, serveContenders } from "./site.ts"
import { visit, type Visitor, workedSince } from "./visitor.ts"

const CONTEST: Contest = { name: "browser", measures: "time", bouts: [] }

interface Sample {
  readonly wall: number
  /** What the main thread of the page has worked; undefined where the system does not tell. */
  readonly main: number | undefined
}

/** A page that takes its turns, until it fails. */
interface Player {
  readonly contender: BrowserContender
  readonly visitor: Visitor
}

export async function runBrowser(settings: Settings, name: BrowserName, knitting: string | undefined): Promise<void> {
  const root = process.cwd()
  const [found] = await findRuntimes(root, [name])
  if (found === undefined) throw new Error(`There is no ${name}`)
  const rivals = [COMLINK, WORKERPOOL, POOLIFIER, ...(knitting === undefined ? [] : [KNITTING])]
  const { comlink, workerpool, "poolifier-web-worker": poolifier } = rivalVersions()
  console.log(`${name} ${found.version}, ${settings.rounds} rounds`)
  console.log(`comlink ${comlink}, workerpool ${workerpool}, poolifier-web-worker ${poolifier}`)

  await using site = await serveContenders(root, [COREPOOL, ...rivals], knitting)
  const players = [COREPOOL, ...rivals].map((contender) => ({
    contender,
    visitor: visit(name, found.program, site.urlOf(contender)),
  }))
  const results: BoutResult[] = []
  try {
    for (const bout of BOUTS) results.push(...(await playAndPrint(site, players, bout, settings)))
  } finally {
    for (const { visitor } of players) await visitor[Symbol.asyncDispose]()
  }
  console.log("\n## Where corepool is behind a rival, or short of a target\n")
  printLosses(CONTEST, results)
  const measured = results.map(({ bout: { title }, n, samples }) => ({
    title,
    n,
    samples: Object.fromEntries(samples),
  }))
  console.log(JSON.stringify({ browser: name, version: found.version, rounds: settings.rounds, bouts: measured }))
}

/** The times of the bout, and those of the main thread. */
async function playAndPrint(
  site: BenchSite,
  players: readonly Player[],
  bout: BrowserBout,
  { rounds, divisor }: Settings,
): Promise<BoutResult[]> {
  const n = Math.ceil(bout.n / divisor)
  const samples = await play(site, players, bout, n, rounds)
  const results = [
    resultOf(bout, n, bout.title, samples, (sample) => sample.wall),
    resultOf(bout, n, `${bout.title}: what the main thread worked`, samples, (sample) => sample.main),
  ].filter((result) => result.samples.size > 0)
  for (const result of results) printBout(CONTEST, result)
  return results
}

type Samples = ReadonlyMap<BrowserContender, readonly Sample[]>

/** One round more than counts: in the first, workers start, and code is loaded and compiled. */
async function play(
  site: BenchSite,
  players: readonly Player[],
  bout: BrowserBout,
  n: number,
  rounds: number,
): Promise<Samples> {
  const samples = new Map<BrowserContender, Sample[]>()
  for (const { contender } of players) {
    if (bout.work !== "moved" || !WITHOUT_MOVES.has(contender)) samples.set(contender, [])
  }
  for (let round = -1; round < rounds; round++) {
    for (const player of players) {
      const taken = samples.get(player.contender)
      if (taken === undefined) continue
      const sample = await sampleOf(site, player, bout, n)
      if (sample === undefined) samples.delete(player.contender)
      else if (round >= 0) taken.push(sample)
    }
  }
  return samples
}

async function sampleOf(
  site: BenchSite,
  { contender, visitor }: Player,
  bout: BrowserBout,
  n: number,
): Promise<Sample | undefined> {
  const part = contender === COREPOOL ? n : Math.ceil(n * bout.rivalShare)
  let before: ReadonlyMap<number, number> = new Map()
  const said = await site.turn(contender, { bout: bout.work, n: part }, () => (before = visitor.mainThreads()))
  const main = workedSince(before, visitor.mainThreads())
  if (said.wall === undefined) {
    console.log(`\nFailed in ${bout.title}: ${contender.name}: ${said.failure}`)
    // The numbers of the others stand; the run as a whole did not go through.
    process.exitCode = 1
    return undefined
  }
  return { wall: (said.wall * n) / part, main: main === undefined ? undefined : (main * n) / part }
}

/** As report.ts wants it. */
function resultOf(
  { n: full, rivalShare, target }: BrowserBout,
  n: number,
  title: string,
  samples: Samples,
  pick: (sample: Sample) => number | undefined,
): BoutResult {
  const named = new Map<string, readonly number[]>()
  const pairs: BoutResult["bout"]["pairs"][number][] = []
  const ours = asContender(COREPOOL.name)
  for (const [contender, taken] of samples) {
    const share = contender === COREPOOL || rivalShare === 1 ? "" : ` (${100 * rivalShare} % of n)`
    const values = taken.flatMap((sample) => pick(sample) ?? [])
    if (values.length === 0) continue
    named.set(contender.name + share, values)
    if (contender === COREPOOL || !samples.has(COREPOOL)) continue
    const isWanted = target !== undefined && WITH_TARGET.has(contender) && !title.includes(":")
    const pair = { ours, rival: asContender(contender.name + share) }
    pairs.push(isWanted ? Object.assign(pair, { target }) : pair)
  }
  return { bout: { title, n: full, pairs }, n, samples: named }
}

/** It has run already. */
function asContender(name: string): Contender {
  return { name, run: () => Promise.reject(new Error(`${name} runs in a page`)) }
}
