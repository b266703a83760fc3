/**
 * A reporter of node's test runner, beside the usual one: how the process of a test file has ended, if not well. The usual one says "test failed" of a file
 * whose process has died, and not of what.
 */
import type { TestEvent } from "node:test/reporters"

interface Ended {
  readonly exitCode?: number | null
  readonly signal?: string | null
}

export default async function* deaths(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== "test:fail") continue
    const { exitCode, signal } = data.details.error as Ended
    if (typeof signal === "string") yield `${data.name}: its process was ended by ${signal}\n`
    else if (typeof exitCode === "number") yield `${data.name}: its process has ended with exit code ${exitCode}\n`
  }
}
