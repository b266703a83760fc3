/** The values of options that have a form of their own, as GNU parallel has them. Each function throws with what it expected. */
import { InvalidArgumentError } from "commander"
import { availableParallelism } from "node:os"

/** How many threads: `4`, `+1` (one more than processors), `-1` (one fewer), `50%` (of the processors). At least one. */
export function parseJobs(text: string): number {
  const found = /^(?<sign>[+-]?)(?<number>\d+)(?<percent>%?)$/.exec(text)?.groups
  if (found === undefined) throw new InvalidArgumentError("Expected a number, +N, -N or N%.")
  const number = Number(found["number"])
  const processors = availableParallelism()
  if (found["percent"] !== "") return atLeastOne((processors * number) / 100)
  if (found["sign"] === "+") return processors + number
  if (found["sign"] === "-") return atLeastOne(processors - number)
  if (number === 0) throw new InvalidArgumentError("Expected at least one thread.")
  return number
}

function atLeastOne(number: number): number {
  return Math.max(1, Math.floor(number))
}

/** A time limit: in milliseconds, or as a multiple of the median time of the jobs so far. */
export type TimeLimit = { readonly ms: number } | { readonly ofMedian: number }

const UNITS: Readonly<Record<string, number>> = { ms: 1, "": 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `30` and `30s` are seconds; `200%` is twice the median time. */
export function parseTimeLimit(text: string): TimeLimit {
  const found = /^(?<number>\d+(?:\.\d+)?)(?<unit>ms|s|m|h|d|%|)$/.exec(text)?.groups
  const number = Number(found?.["number"])
  const unit = found?.["unit"] ?? ""
  if (found === undefined || number === 0) throw new InvalidArgumentError("Expected a time such as 30s, 1.5m or 200%.")
  return unit === "%" ? { ofMedian: number / 100 } : { ms: number * (UNITS[unit] as number) }
}

/** When no more jobs are started, and whether those that run are ended. */
export interface Halt {
  readonly when: "now" | "soon"
  readonly what: "fail" | "success" | "done"
  /** A number of jobs, or a share of them. */
  readonly jobs?: number
  readonly share?: number
}

/** `now,fail=1`, `soon,fail=10%`, `now,success=1`, `soon,done=100`; `never` is undefined. */
export function parseHalt(text: string): Halt | undefined {
  if (text === "never") return undefined
  const found = /^(?<when>now|soon),(?<what>fail|success|done)(?:=(?<number>\d+(?:\.\d+)?)(?<percent>%?))?$/.exec(text)
  const groups = found?.groups
  const number = Number(groups?.["number"] ?? 1)
  if (groups === undefined || number === 0) {
    throw new InvalidArgumentError("Expected never, or a halt such as now,fail=1 or soon,fail=10%.")
  }
  const { when, what } = groups as unknown as Pick<Halt, "when" | "what">
  return groups["percent"] === "%" ? { when, what, share: number / 100 } : { when, what, jobs: number }
}

export function parseCount(text: string): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || number === 0) throw new InvalidArgumentError("Expected an integer ≥ 1.")
  return number
}

export function parseRetries(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("Expected an integer ≥ 0.")
  return Math.max(1, Number(text))
}

export function parseSeparator(text: string): RegExp {
  try {
    return new RegExp(text, "u")
  } catch {
    throw new InvalidArgumentError("Expected a regular expression.")
  }
}
