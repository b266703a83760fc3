/** A reporter for node's own test runner (`--test-reporter`) that writes the lines of `results.ts`. */
import { inspect } from "node:util"
import { type Line, OUTSIDE } from "./results.ts"

/** What is used of node's events, which grow from version to version. */
interface TestEvent {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly nesting?: number
    readonly skip?: string | boolean
    readonly todo?: string | boolean
    readonly message?: string
    readonly details?: { readonly type?: string; readonly error?: NodeTestError }
  }
}

/** Node wraps what the test threw. */
type NodeTestError = Error & { readonly failureType?: string; readonly cause?: unknown }

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = []
  for await (const event of events) {
    const line = lineFor(event, path)
    if (line !== undefined) yield `${JSON.stringify(line)}\n`
  }
  yield `${JSON.stringify({ event: "finish" } satisfies Line)}\n`
}

/** How node words an error that came from a test after its end. It is only a remark to node. */
const STRAY = "asynchronous activity after the test ended"

/** Changes `path`, which is that of the test that node spoke of last. */
function lineFor({ type, data }: TestEvent, path: string[]): Line | undefined {
  if (type === "test:diagnostic" && data.message?.includes(STRAY) === true) {
    return { event: "end", path: OUTSIDE, outcome: "failed", why: data.message }
  }
  if (type !== "test:start" && type !== "test:pass" && type !== "test:fail") return undefined
  const { name = "", nesting = 0, skip, todo, details } = data
  path.splice(nesting, Infinity, name)
  if (type === "test:start") return { event: "start", path }
  if (isReason(skip)) return { event: "end", path, outcome: "skipped", why: reason(skip) }
  if (isReason(todo)) return { event: "end", path, outcome: "skipped", why: `to do: ${reason(todo)}` }
  const isSuite = details?.type === "suite"
  if (type === "test:pass") return isSuite ? { event: "close", path } : { event: "end", path, outcome: "passed" }
  const error = details?.error
  if (isSuite && error?.failureType === "subtestsFailed") return { event: "close", path }
  return { event: "end", path, outcome: "failed", why: inspect(error?.cause ?? error) }
}

/** Node gives the reason, `true` if there is none, and an empty string for a call without one. */
function isReason(given: string | boolean | undefined): given is string | true {
  return given !== undefined && given !== false
}

function reason(given: string | true): string {
  return given === true ? "" : given
}
