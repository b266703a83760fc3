/** What a platform contest prints: the tables of report.ts, one bout for each metric; counts; and who failed. */
import type { Bout, Contender, Contest } from "./contest.ts"
import type { BoutResult, Settings } from "./measure.ts"
import type { Metric, PlatformContender, PlatformContest } from "./platform-contest.ts"
import { measurePlatform, type PlatformResult } from "./platform-measure.ts"
import { printBout } from "./report.ts"
import type { CountRecord } from "./results.ts"
import { spreadOf } from "./statistics.ts"

/** What was measured, for the list of losses and for the line of JSON. */
export interface PlatformResults {
  /** A contest for each unit. */
  readonly ratios: ReadonlyMap<Contest, BoutResult[]>
  readonly counts: readonly CountRecord[]
}

/** Runs and prints. */
export async function runPlatform(contest: PlatformContest, settings: Settings): Promise<PlatformResults> {
  const ratios = new Map<Contest, BoutResult[]>()
  const counts: CountRecord[] = []
  const units = { time: newContest(contest, "time"), memory: newContest(contest, "memory") }
  for (const bout of contest.bouts) {
    const result = await measurePlatform(contest, bout, settings)
    for (const metric of bout.metrics) {
      if (metric.measures === "count") {
        counts.push(printCounts(contest, result, metric))
        continue
      }
      const unit = units[metric.measures]
      const view = viewOf(result, metric)
      printBout(unit, view)
      ratios.set(unit, [...(ratios.get(unit) ?? []), view])
    }
    printFailures(contest, result)
  }
  return { ratios, counts }
}

function newContest({ name }: PlatformContest, measures: "time" | "memory"): Contest {
  return { name, measures, bouts: [] }
}

/** One metric of a bout, as report.ts wants it: without those who failed or do not have it. */
function viewOf({ bout, n, samples }: PlatformResult, { key, title }: Metric): BoutResult {
  const values = new Map<PlatformContender, readonly number[]>()
  for (const [contender, taken] of samples) {
    const numbers = taken.flatMap((sample) => sample[key] ?? [])
    if (numbers.length > 0) values.set(contender, numbers)
  }
  const pairs: Bout["pairs"] = bout.pairs
    .filter(({ ours, rival }) => values.has(ours) && values.has(rival))
    .map(({ ours, rival, targets: { [key]: target } }) => {
      const pair = { ours: toContender(ours), rival: toContender(rival) }
      return target === undefined ? pair : Object.assign(pair, { target })
    })
  return {
    bout: { title, n: bout.n, pairs },
    n,
    samples: new Map([...values].map(([{ name }, numbers]) => [name, numbers])),
  }
}

function toContender(contender: PlatformContender): Contender {
  return {
    name: contender.name,
    async run(n) {
      await contender.sample(n)
    },
  }
}

function printCounts({ name }: PlatformContest, { n, samples }: PlatformResult, { key, title }: Metric): CountRecord {
  console.log(`\n## ${name}: ${n.toLocaleString("en")} ${title}\n`)
  console.log("| contender | median | min–max | of |\n| --- | --- | --- | --- |")
  const counts: Record<string, readonly number[]> = {}
  for (const [contender, taken] of samples) {
    const values = taken.flatMap((sample) => sample[key] ?? [])
    counts[contender.name] = values
    const { median, min, max } = spreadOf(values)
    console.log(`| ${contender.name} | ${median} | ${min}–${max} | ${Math.ceil(n * contender.share)} |`)
  }
  return { name, title, n, samples: counts }
}

function printFailures({ name }: PlatformContest, { failures }: PlatformResult): void {
  for (const why of failures.values()) {
    console.log(`\nFailed in ${name}: ${why}`)
    // The others' numbers stand, the run as a whole did not go through.
    process.exitCode = 1
  }
}
