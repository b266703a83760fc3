/** How the outcome is printed: a row of one table for each runtime, then what there is to say about tests. */
import type { Fit } from "./browser/needs.ts"
import type { Omission } from "./differences.ts"
import type { Remark, Verdict } from "./judge.ts"
import type { RuntimeName } from "./runtime.ts"

export interface Row {
  readonly runtime: RuntimeName
  readonly version: string
  readonly verdict: Verdict
  readonly seconds: number
}

const WIDTHS = [9, 9, 8, 8, 8, 8, 9]

export function header(): string {
  return line(["runtime", "version", "passed", "failed", "differs", "skipped", "seconds"])
}

export function row({ runtime, version, verdict, seconds }: Row): string {
  const { passed, failed, differs, skipped } = verdict
  const counts = [passed, failed.length, differs.length, skipped.length].map(String)
  return line([runtime, version, ...counts, seconds.toFixed(1)])
}

/** Names to the left, numbers to the right. */
function line(cells: readonly string[]): string {
  return cells.map((cell, at) => (at < 2 ? cell.padEnd(WIDTHS[at] ?? 0) : cell.padStart(WIDTHS[at] ?? 0))).join("")
}

/** So many lines of a reason are printed: the output of a file that failed by itself may be long. */
const LINES = 30

/** What differs, is not run, is skipped and has failed, each with its reason. `missing` is what no runtime has run. What has failed comes last. */
export function remarks(
  rows: readonly Row[],
  omissions: readonly Omission[],
  missing: readonly string[] = [],
): string[] {
  const ran = rows.map(({ runtime }) => runtime)
  const omitted = omissions
    .map(({ runtimes, ...rest }) => ({ ...rest, runtimes: runtimes.filter((name) => ran.includes(name)) }))
    .filter(({ runtimes }) => runtimes.length > 0)
  return [
    ...section("Differs", rows, ({ differs }) => differs),
    ...(omitted.length === 0 ? [] : ["", "Not run"]),
    ...omitted.map(({ runtimes, under, reason }) => `  ${runtimes.join(", ")}  ${under}: ${reason}`),
    ...section("Skipped", rows, ({ skipped }) => skipped),
    ...missing.flatMap((what) => ["", what]),
    ...section("Failed", rows, ({ failed }) => failed),
  ]
}

/** How many files are not run in browsers, by what they lack, most first. */
export function leftOut(fits: ReadonlyMap<string, Fit>): string[] {
  const counts = new Map<string, number>()
  for (const fit of fits.values()) {
    if ("lacks" in fit) counts.set(fit.lacks, (counts.get(fit.lacks) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  const lines = [...counts].toSorted(([, a], [, b]) => b - a).map(([what, count]) => `  ${what}: ${count} files`)
  return ["", "Not run in browsers, by what they need", ...lines]
}

/** By file and test; runtimes of which the same is to be said stand together. */
function section(title: string, rows: readonly Row[], pick: (verdict: Verdict) => readonly Remark[]): string[] {
  const found = rows.flatMap(({ runtime, verdict }) => pick(verdict).map((remark) => ({ runtime, remark })))
  if (found.length === 0) return []
  const lines = ["", title]
  for (const [file, ofFile] of grouped(found, ({ remark }) => remark.file)) {
    lines.push(`  ${file}`)
    for (const [test, ofTest] of grouped(ofFile, ({ remark }) => remark.title)) {
      lines.push(`    ${test}`)
      for (const [why, alike] of grouped(ofTest, ({ remark }) => remark.why)) {
        const runtimes = [...new Set(alike.map(({ runtime }) => runtime))].join(", ")
        lines.push(`      ${runtimes}: ${why.split("\n").slice(0, LINES).join("\n        ")}`)
      }
    }
  }
  return lines
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}
