/**
 * `npm run check`: everything about the repository that a machine can tell, except whether the tests pass.
 *
 *     npm run check                 all checks
 *     npm run check -- lint spec    these only
 *     npm run check -- --list       every place that the budgets of the check wording count
 *     npm run check -- --lower      writes these budgets, where fewer places are left
 *
 * One line per check in a fixed order, then the findings; exit code 1 if there are any but warnings.
 */
import { availableParallelism } from "node:os"
import { checkArchitecture } from "./architecture.ts"
import { checkBundles } from "./bundles.ts"
import { checkTypes } from "./compiler.ts"
import { checkApiReport, checkDocumentation } from "./documentation.ts"
import { checkExamples } from "./examples.ts"
import type { Check, Finding } from "./finding.ts"
import { checkFormat } from "./format.ts"
import { checkLinks } from "./links.ts"
import { checkLint } from "./lint.ts"
import { checkLock } from "./lock.ts"
import { checkPackage } from "./package.ts"
import { checkReadme } from "./readme.ts"
import { checkSize } from "./size.ts"
import { checkSnippets } from "./snippets.ts"
import { checkSpec } from "./spec.ts"
import { checkWording, listWording, lowerBudgets } from "./wording.ts"

/** First and alone: what the others look at is what it builds. */
const BUILD: Check = { name: "types", run: checkTypes }

const CHECKS: readonly Check[] = [
  { name: "lint", run: checkLint },
  { name: "format", run: checkFormat },
  { name: "architecture", run: checkArchitecture },
  { name: "spec", run: checkSpec },
  { name: "links", run: checkLinks },
  { name: "wording", run: checkWording },
  { name: "size", run: checkSize },
  { name: "lock", run: checkLock },
  { name: "package", run: checkPackage },
  { name: "bundles", run: (root) => checkBundles(root) },
  { name: "examples", run: checkExamples },
  { name: "readme", run: checkReadme },
  { name: "snippets", run: checkSnippets },
  { name: "comments", run: checkDocumentation },
  { name: "api", run: checkApiReport },
]

interface Result {
  readonly name: string
  readonly findings: readonly Finding[]
  readonly seconds: number
}

const LANES = availableParallelism()

async function timed(check: Check, root: string): Promise<Result> {
  const start = performance.now()
  let findings: readonly Finding[]
  try {
    findings = await check.run(root)
  } catch (error) {
    // A check that cannot do its work has not passed.
    findings = [{ where: ".", what: error instanceof Error ? (error.stack ?? error.message) : String(error) }]
  }
  return { name: check.name, findings, seconds: (performance.now() - start) / 1000 }
}

/** Those that take longest, which begin first: the others fill the time that is left at the end. */
const LONG: readonly string[] = ["package", "examples", "lint", "format"]

function rank({ name }: Check): number {
  return LONG.includes(name) ? LONG.indexOf(name) : LONG.length
}

/** Starts the checks, as many at a time as there are lanes. The results are in the order of the checks. */
function startAll(checks: readonly Check[], root: string): Promise<Result>[] {
  const waiting = checks.toSorted((a, b) => rank(a) - rank(b))
  const finish = new Map<Check, (result: Result) => void>()
  const results = checks.map((check) => new Promise<Result>((resolve) => finish.set(check, resolve)))
  const lane = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift())
      finish.get(check)?.(await timed(check, root))
  }
  for (let i = 0; i < LANES; i++) void lane()
  return results
}

function print({ name, findings, seconds }: Result): void {
  const errors = findings.filter((finding) => finding.warning !== true).length
  const warnings = findings.length - errors
  const counts = [count(errors, "finding"), count(warnings, "warning")].filter((text) => text !== "").join(", ")
  console.log(
    `${errors === 0 ? "ok  " : "FAIL"}  ${name.padEnd(12)} ${seconds.toFixed(1).padStart(5)} s  ${counts}`.trimEnd(),
  )
}

function count(n: number, noun: string): string {
  return n === 0 ? "" : `${n} ${noun}${n === 1 ? "" : "s"}`
}

function printFindings({ name, findings }: Result): void {
  if (findings.length === 0) return
  console.log(`\n${name}`)
  for (const { where, what, warning } of findings) {
    console.log(`  ${where}  ${warning === true ? "warning: " : ""}${what.replaceAll("\n", "\n    ")}`)
  }
}

async function main(root: string, args: readonly string[]): Promise<number> {
  if (args.includes("--list")) {
    for (const { where, what } of listWording(root)) console.log(`${where}  ${what}`)
    return 0
  }
  if (args.includes("--lower")) lowerBudgets(root)
  const names = args.filter((arg) => arg !== "--lower")
  const all = [BUILD, ...CHECKS]
  const unknown = names.filter((name) => !all.some((check) => check.name === name))
  if (unknown.length > 0) {
    console.error(`No such check: ${unknown.join(", ")}. There are: ${all.map((check) => check.name).join(", ")}.`)
    return 2
  }
  const isWanted = (check: Check): boolean => names.length === 0 || names.includes(check.name)
  const results: Result[] = []
  for (const checks of [[BUILD], CHECKS]) {
    for (const running of startAll(checks.filter(isWanted), root)) {
      const result = await running
      print(result)
      results.push(result)
    }
  }
  results.forEach(printFindings)
  return results.some(({ findings }) => findings.some((finding) => finding.warning !== true)) ? 1 : 0
}

process.exitCode = await main(process.cwd(), process.argv.slice(2))
