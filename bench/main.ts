/**
 * `npm run bench`: corepool beside its rivals, in one run. README.md says what is measured and how.
 *
 *     npm run bench                   all contests
 *     npm run bench -- pool memory    these only
 *     npm run bench -- --quick        small and few: to see whether it works
 *
 * The exit code tells whether the run went through, never who won.
 */
import { availableParallelism } from "node:os"
import { parseArgs } from "node:util"
import type { Contest } from "./contest.ts"
import { contests } from "./contests.ts"
import { type BoutResult, FULL, measure, QUICK } from "./measure.ts"
import { printBout, printLosses, toJson } from "./report.ts"
import { rivalVersions } from "./rivals.ts"

const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: "boolean", default: false } },
})

async function main(chosen: readonly Contest[]): Promise<void> {
  const settings = flags.quick ? QUICK : FULL
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
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

  console.log("\n## Where corepool is behind a rival, or short of a target\n")
  for (const [contest, bouts] of results) printLosses(contest, bouts)
  console.log("")
  console.log(
    JSON.stringify({
      ...machine,
      quick: flags.quick,
      contests: [...results].map(([contest, bouts]) => toJson(contest, bouts)),
    }),
  )
}

const unknown = names.filter((name) => !contests.some((contest) => contest.name === name))
if (unknown.length > 0) {
  console.error(`No such contest: ${unknown.join(", ")}. There are: ${contests.map(({ name }) => name).join(", ")}.`)
  process.exitCode = 2
} else {
  await main(names.length === 0 ? contests : contests.filter(({ name }) => names.includes(name)))
}
