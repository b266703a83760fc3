/** Replays recorded scenarios on corepool and tells where corepool shows something else. */
import { readFile } from "node:fs/promises"
import { isDeepStrictEqual } from "node:util"
import { expectations } from "./expectation.ts"
import { type JsonObject, ScenarioError } from "./json.ts"
import type { DriverClass } from "./suites/driver.ts"
import { FutureTaskDriver } from "./suites/futuretask.ts"
import { InvokeDriver } from "./suites/invoke.ts"
import { QueueDriver } from "./suites/queue.ts"
import { VoidReplay } from "./suites/scenario-clock.ts"
import { ScheduledDriver } from "./suites/scheduled.ts"
import { SyncDriver } from "./suites/sync.ts"
import { ThreadPoolDriver } from "./suites/threadpool.ts"
import type { Threads } from "./threads.ts"
import { parseScenario, type Scenario } from "./trace.ts"

const drivers: ReadonlyMap<string, DriverClass> = new Map<string, DriverClass>([
  ["threadpool", ThreadPoolDriver],
  ["futuretask", FutureTaskDriver],
  ["queue", QueueDriver],
  ["scheduled", ScheduledDriver],
  ["invoke", InvokeDriver],
  ["sync", SyncDriver],
])

export interface Report {
  passed: number
  /** One line per scenario that failed. */
  readonly failures: string[]
}

/** Replays every line of a file; a line that cannot be replayed fails. */
export async function replayFile(path: string, ...kinds: readonly Threads[]): Promise<Report> {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    return { passed: 0, failures: [`${path}: cannot be read: ${(error as Error).message}`] }
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  if (lines.length === 0) return { passed: 0, failures: [`${path}: holds no scenario`] }
  return await replayLines(lines, ...kinds)
}

/** A line, and what went wrong with it first. */
interface Entry {
  readonly scenario?: Scenario
  failure?: string
}

/** A line has passed if it has on each of these kinds of threads that can replay it. */
export async function replayLines(lines: readonly string[], ...kinds: readonly Threads[]): Promise<Report> {
  const entries = lines.map((line, i) => readLine(line, i + 1))
  for (const threads of kinds) {
    // What no kind can replay fails, on the first.
    const isForThem = ({ scenario, failure }: Entry): boolean =>
      scenario !== undefined &&
      failure === undefined &&
      (threads.canReplay(scenario.suite) || !kinds.some((other) => other.canReplay(scenario.suite)))
    await replayAll(entries.filter(isForThem), threads)
  }
  const failures = entries.flatMap(({ failure }) => failure ?? [])
  return { passed: lines.length - failures.length, failures }
}

function readLine(line: string, number: number): Entry {
  try {
    return { scenario: parseScenario(line) }
  } catch (error) {
    return { failure: `line ${number}: is no scenario: ${(error as Error).message}` }
  }
}

/** Several at once. */
async function replayAll(entries: readonly Entry[], threads: Threads): Promise<void> {
  const where = threads.kind === "virtual" ? "" : ` on ${threads.kind} threads`
  let next = 0
  const replayOn = async (): Promise<void> => {
    for (let entry = entries[next++]; entry?.scenario !== undefined; entry = entries[next++]) {
      const failure = await replay(entry.scenario, threads)
      if (failure !== undefined) entry.failure = `${entry.scenario.id}${where}: ${failure}`
    }
  }
  const atOnce = Math.min(...entries.map(({ scenario }) => threads.atOnce(scenario?.suite ?? "")), entries.length)
  await Promise.all(Array.from({ length: atOnce }, replayOn))
}

/**
 * What went wrong first, or undefined if nothing did. A replay that is void, whatever it has shown so far, is begun
 * again.
 */
export async function replay(scenario: Scenario, threads: Threads, attempt = 1): Promise<string | undefined> {
  const Driver = drivers.get(scenario.suite)
  if (Driver === undefined) return `suite ${scenario.suite} is unknown`
  if (!threads.canReplay(scenario.suite)) {
    return `suite ${scenario.suite} cannot be replayed on ${threads.kind} threads yet`
  }
  let where = "setup"
  try {
    const expected = expectations(scenario, threads.kind)
    const driver = new Driver(scenario.setup, threads, attempt)
    try {
      for (const [i, { op }] of scenario.steps.entries()) {
        where = `step ${i + 1} ${JSON.stringify(op)}`
        const difference = compare(expected[i] ?? {}, await driver.step(op))
        if (difference !== undefined) return `${where}: ${difference}`
      }
    } finally {
      await driver.close()
    }
  } catch (error) {
    if (error instanceof VoidReplay) return replay(scenario, threads, attempt + 1)
    return `${where}: ${describe(error)}`
  }
  return undefined
}

/** In one line; an error that is no mistake of the scenario's needs its place. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ScenarioError) return error.message
  return (error.stack ?? error.message).replaceAll(/\n\s*/g, " ")
}

/** The first member that differs. Members that are not expected are not looked at: the JDK leaves them to luck. */
function compare(expected: JsonObject, got: JsonObject): string | undefined {
  for (const [member, value] of Object.entries(expected)) {
    if (value === undefined || isDeepStrictEqual(value, got[member])) continue
    return `${member}: expected ${JSON.stringify(value)}, got ${JSON.stringify(got[member])}`
  }
  return undefined
}
