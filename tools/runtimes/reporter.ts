/** A reporter for node's own test runner (`--test-reporter`) that writes the lines of `results.ts`. */
import { inspect } from "node:util"
import { type Line, OUTSIDE, type Path } from "./results.ts"

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

/** How node words an error that came from a test after its end. It is only a remark to node. */
const STRAY = "asynchronous activity after the test ended"

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  // Node tells of a test as it begins ("dequeue"), and tells its story ("start", "pass", "fail") when it is over.
  const running: string[] = []
  const told: string[] = []
  for await (const { type, data } of events) {
    const { name = "", nesting = 0, message = "" } = data
    let line: Line | undefined
    if (type === "test:dequeue") line = { event: "start", path: place(running, nesting, name) }
    else if (type === "test:start") place(told, nesting, name)
    else if (type === "test:pass" || type === "test:fail") line = lineAtEnd(type, data, place(told, nesting, name))
    else if (type === "test:diagnostic" && message.includes(STRAY)) {
      line = { event: "end", path: OUTSIDE, outcome: "failed", why: message }
    }
    if (line !== undefined) yield `${JSON.stringify(line)}\n`
  }
  yield `${JSON.stringify({ event: "finish" } satisfies Line)}\n`
}

/** Notes which test is at this depth; what was deeper is over. */
function place(path: string[], nesting: number, name: string): Path {
  path.splice(nesting, Infinity, name)
  return path
}

function lineAtEnd(type: "test:pass" | "test:fail", { skip, todo, details }: TestEvent["data"], path: Path): Line {
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
