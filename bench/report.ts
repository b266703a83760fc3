/**
 * What a run prints: for each bout a table of ratios and one of the numbers behind them, in Markdown that can be read
 * as it is.
 */
import type { Contest } from "./contest.ts"
import type { BoutResult } from "./measure.ts"
import type { ContestRecord } from "./results.ts"
import { ratioOf, type Spread, spreadOf } from "./statistics.ts"

export interface Ratio {
  readonly ours: string
  readonly rival: string
  readonly ratio: Spread
  readonly target: number | undefined
}

export function ratiosOf({ bout, samples }: BoutResult): Ratio[] {
  return bout.pairs.map(({ ours, rival, target }) => ({
    ours: ours.name,
    rival: rival.name,
    ratio: ratioOf(samples.get(ours.name) ?? [], samples.get(rival.name) ?? []),
    target,
  }))
}

export function printBout(contest: Contest, result: BoutResult): void {
  const better = contest.measures === "time" ? "as fast" : "as small"
  console.log(`\n## ${contest.name}: ${result.n.toLocaleString("en")} ${result.bout.title}\n`)
  printTable(
    ["corepool", "against", `times ${better}`, "min–max", "target", ""],
    ratiosOf(result).map(({ ours, rival, ratio, target }) => [
      ours,
      rival,
      `${digits(ratio.median)}×`,
      `${digits(ratio.min)}–${digits(ratio.max)}`,
      target === undefined ? "" : `≥ ${target}×`,
      verdict(ratio, target),
    ]),
  )
  const unit = contest.measures === "time" ? "ms" : "bytes each"
  console.log("")
  printTable(
    ["for context", `median ${unit}`, "min–max"],
    [...result.samples].map(([name, values]) => {
      const { median, min, max } = spreadOf(values)
      return [name, digits(median), `${digits(min)}–${digits(max)}`]
    }),
  )
}

function verdict(ratio: Spread, target: number | undefined): string {
  if (target !== undefined) return ratio.median >= target ? "met" : "missed"
  // If the rounds disagree about who is better, so do we.
  if (ratio.min >= 1) return "won"
  return ratio.max <= 1 ? "lost" : "even"
}

/** All that did not go our way, in one place. */
export function printLosses(contest: Contest, results: readonly BoutResult[]): void {
  for (const result of results) {
    for (const { ours, rival, ratio, target } of ratiosOf(result)) {
      const missed = target !== undefined && ratio.median < target
      if (ratio.median >= 1 && !missed) continue
      const wanted = missed ? `, wanted ≥ ${target}×` : ""
      console.log(
        `- ${contest.name}: ${result.bout.title}: ${ours} against ${rival}: ${digits(ratio.median)}×${wanted}`,
      )
    }
  }
}

/** For machines: what was measured, in the order of printing. The spreads can be computed again from the samples. */
export function toJson(contest: Contest, results: readonly BoutResult[]): ContestRecord {
  return {
    name: contest.name,
    unit: contest.measures === "time" ? "ms" : "bytes per element",
    bouts: results.map((result) => ({
      title: result.bout.title,
      n: result.n,
      samples: Object.fromEntries([...result.samples].map(([name, values]) => [name, values.map(rounded)])),
      ratios: ratiosOf(result).map(({ ours, rival, target, ratio: { median, min, max } }) => ({
        ours,
        rival,
        target,
        median: rounded(median),
        min: rounded(min),
        max: rounded(max),
      })),
    })),
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(4))
}

/** Three significant digits, no exponent. */
function digits(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(value < 1 ? 2 : 3)
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)))
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? "").padEnd(width)).join(" | ")} |`
  console.log(line(head))
  console.log(line(widths.map((width) => "-".repeat(width))))
  for (const row of rows) console.log(line(row))
}
