/** What the results on a runtime mean, given the differences that are known. */
import type { Difference, Omission } from "./differences.ts"
import type { FileRun } from "./files.ts"
import { FILE, OUTSIDE, titleOf } from "./results.ts"
import type { RuntimeName } from "./runtime.ts"

/** A test, and what there is to say about it. */
export interface Remark {
  readonly file: string
  readonly title: string
  readonly why: string
}

export interface Verdict {
  readonly passed: number
  readonly failed: readonly Remark[]
  readonly differs: readonly Remark[]
  readonly skipped: readonly Remark[]
}

/** The files that concern a runtime. */
export function filesFor(runtime: RuntimeName, files: readonly string[], omissions: readonly Omission[]): string[] {
  const omitted = omissions.filter(({ runtimes }) => runtimes.includes(runtime))
  return files.filter((file) => !omitted.some(({ under }) => file.startsWith(under)))
}

/**
 * `reference` is what ran on another runtime: a test that is in it and not here fails, or a runtime on which half of the
 * tests are lost would pass.
 */
export function judge(
  runtime: RuntimeName,
  runs: readonly FileRun[],
  differences: readonly Difference[],
  reference: readonly FileRun[] = [],
): Verdict {
  const known = differences.filter((difference) => difference.runtimes.includes(runtime))
  let passed = 0
  const failed: Remark[] = []
  const differs: Remark[] = []
  const skipped: Remark[] = []
  for (const { file, results } of runs) {
    const reasons = reasonsIn(file, known)
    for (const { title, outcome, why } of results) {
      const reason = reasons.get(title)
      if (outcome === "skipped") skipped.push({ file, title, why: why === "" ? "no reason is written" : why })
      else if (reason === undefined) {
        if (outcome === "passed") passed++
        else failed.push({ file, title, why })
      } else if (outcome === "failed") differs.push({ file, title, why: reason })
      else failed.push({ file, title, why: "passes, and is listed as a difference: take it off the list" })
    }
    for (const title of reasons.keys()) {
      if (results.some((result) => result.title === title)) continue
      failed.push({ file, title, why: "is listed as a difference, and there is no such test" })
    }
    for (const title of lost(results, reference.find((other) => other.file === file)?.results ?? [])) {
      failed.push({ file, title, why: "was not run here, and was on another runtime" })
    }
  }
  return { passed, failed, differs, skipped }
}

/** Why tests of this file differ, by their titles. */
function reasonsIn(file: string, differences: readonly Difference[]): Map<string, string> {
  const reasons = new Map<string, string>()
  for (const { tests, reason } of differences) {
    for (const title of tests[file] ?? []) reasons.set(title, reason)
  }
  return reasons
}

interface Titled {
  readonly title: string
}

/** The titles in `wanted` beyond those in `got`; a title may stand for several tests. */
function lost(got: readonly Titled[], wanted: readonly Titled[]): string[] {
  const left = got.map(({ title }) => title)
  return wanted
    .map(({ title }) => title)
    .filter((title) => {
      const at = left.indexOf(title)
      if (at !== -1) left.splice(at, 1)
      return at === -1 && title !== FILE && title !== titleOf(OUTSIDE)
    })
}

/** What is wrong with the lists themselves: they are about files that exist. */
export function staleEntries(
  files: readonly string[],
  differences: readonly Difference[],
  omissions: readonly Omission[],
): string[] {
  return [
    ...differences
      .flatMap(({ tests }) => Object.keys(tests))
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is listed as a difference, and is not there`),
    ...omissions
      .filter(({ under }) => !files.some((file) => file.startsWith(under)))
      .map(({ under }) => `${under} is listed as not run, and nothing is there`),
  ]
}
