/**
 * A reporter of node's test runner, beside the usual one: each failed test with its file and its error. The usual one prints failures among
 * thousands of lines, and says "test failed" of a file whose process has died, and not of what.
 */
import { relative } from "node:path"
import { inspect } from "node:util"
import type { TestEvent } from "node:test/reporters"

interface Failure {
  readonly failureType?: string
  readonly exitCode?: number | null
  readonly signal?: string | null
  readonly cause?: unknown
}

/** So many lines of an error are printed. */
const LINES = 30

export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.todo !== undefined) continue
    const failure = data.details.error as Failure
    // The tests in it are events of their own.
    if (failure.failureType === "subtestsFailed") continue
    const place = data.file === undefined ? "" : ` (${relative(process.cwd(), data.file)}:${data.line})`
    yield `✖ ${data.name}${place}\n${reasonOf(failure)}\n\n`
  }
}

function reasonOf(failure: Failure): string {
  if (typeof failure.signal === "string") return `its process was ended by ${failure.signal}`
  if (typeof failure.exitCode === "number") return `its process has ended with exit code ${failure.exitCode}`
  return inspect(failure.cause ?? failure)
    .split("\n")
    .slice(0, LINES)
    .join("\n")
}
