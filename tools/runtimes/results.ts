/**
 * What a runtime tells about the tests of one file: a line of JSON as each test starts and ends, the same from node's own
 * runner (by `reporter.ts`) and from the stand-in that Bun and Deno use. Lines in a file survive whatever becomes of the
 * process that wrote them.
 */

/** A test and the suites and tests it stands in, outermost first. */
export type Path = readonly string[]

/** Where an error stands that belongs to no test, or to one that is over. */
export const OUTSIDE: Path = ["outside of all tests"]

/** The title of what is said about a file that failed by itself. */
export const FILE = "the file itself"

export type Line =
  | { readonly event: "start"; readonly path: Path }
  | { readonly event: "end"; readonly path: Path; readonly outcome: Outcome; readonly why?: string }
  /** A suite, which is no test itself; one that fails by itself, as a hook does, has an `end` instead. */
  | { readonly event: "close"; readonly path: Path }
  /** All tests of the file have ended, and there are no more. */
  | { readonly event: "finish" }

/** `skipped` covers tests that are to do; `why` is the reason then, and the error of one that failed. */
export type Outcome = "passed" | "failed" | "skipped"

export interface Result {
  /** As one string, to be compared: `outer > inner`. */
  readonly title: string
  readonly outcome: Outcome
  readonly why: string
}

export interface FileResults {
  readonly results: readonly Result[]
  /** Tests that have started and not ended. */
  readonly open: readonly string[]
  readonly finished: boolean
}

export function titleOf(path: Path): string {
  return path.join(" > ")
}

/** Reads what was written until the end, also if the process was killed in the middle of a line. */
export function readResults(text: string): FileResults {
  const results: Result[] = []
  const open: string[] = []
  let finished = false
  // What follows the last line break is empty, or half a line.
  for (const written of text.split("\n").slice(0, -1)) {
    const line = JSON.parse(written) as Line
    if (line.event === "finish") {
      finished = true
      continue
    }
    const title = titleOf(line.path)
    if (line.event === "start") {
      open.push(title)
      continue
    }
    const at = open.lastIndexOf(title)
    if (at !== -1) open.splice(at, 1)
    if (line.event === "end") results.push({ title, outcome: line.outcome, why: line.why ?? "" })
  }
  return { results, open, finished }
}
