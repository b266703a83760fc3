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
import { ThreadPoolDriver } from "./suites/threadpool.ts"
import type { Threads } from "./threads.ts"
import { parseScenario, type Scenario } from "./trace.ts"

const drivers: ReadonlyMap<string, DriverClass> = new Map<string, DriverClass>([
  ["threadpool", ThreadPoolDriver],
  ["futuretask", FutureTaskDriver],
  ["queue", QueueDriver],
  ["scheduled", ScheduledDriver],
  ["invoke", InvokeDriver],
])

/** Suites that can be recorded but not be replayed so far. */
const notYet: readonly string[] = ["sync"]

/**
 * How many scenarios are under way at once. They share an event loop: enough of them to fill each other's pauses, few
 * enough that a turn of the loop stays far shorter than the shortest time-out in a scenario.
 */
const AT_ONCE = 48

export interface Report {
  passed: number
  /** One line per scenario that failed. */
  readonly failures: string[]
}

/** Replays every line of a file; a line that cannot be replayed fails. */
export async function replayFile(path: string, threads: Threads): Promise<Report> {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    return { passed: 0, failures: [`${path}: cannot be read: ${(error as Error).message}`] }
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "")
  if (lines.length === 0) return { passed: 0, failures: [`${path}: holds no scenario`] }
  return await replayLines(lines, threads)
}

export async function replayLines(lines: readonly string[], threads: Threads): Promise<Report> {
  const outcomes: (string | undefined)[] = []
  let next = 0
  const replayOn = async (): Promise<void> => {
    for (let i = next++; i < lines.length; i = next++) outcomes[i] = await replayLine(lines[i] ?? "", i + 1, threads)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, lines.length) }, replayOn))
  const failures = outcomes.filter((failure) => failure !== undefined)
  return { passed: lines.length - failures.length, failures }
}

async function replayLine(line: string, number: number, threads: Threads): Promise<string | undefined> {
  let scenario: Scenario
  try {
    scenario = parseScenario(line)
  } catch (error) {
    return `line ${number}: is no scenario: ${(error as Error).message}`
  }
  const failure = await replay(scenario, threads)
  return failure === undefined ? undefined : `${scenario.id}: ${failure}`
}

/**
 * What went wrong first, or undefined if nothing did. A replay that is void, whatever it has shown so far, is begun
 * again.
 */
export async function replay(scenario: Scenario, threads: Threads, attempt = 1): Promise<string | undefined> {
  const Driver = drivers.get(scenario.suite)
  if (Driver === undefined) {
    const when = notYet.includes(scenario.suite) ? "cannot be replayed yet" : "is unknown"
    return `suite ${scenario.suite} ${when}`
  }
  let where = "setup"
  try {
    const expected = expectations(scenario)
    const driver = new Driver(scenario.setup, threads, attempt)
    try {
      for (const [i, { op }] of scenario.steps.entries()) {
        where = `step ${i + 1} ${JSON.stringify(op)}`
        const difference = compare(expected[i] ?? {}, await driver.step(op))
        if (difference !== undefined) return `${where}: ${difference}`
      }
    } finally {
      driver.close()
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
