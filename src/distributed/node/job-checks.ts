/**
 * What a node checks before it runs a job, in this order: the form of its data, whether it is cancelled, how many nodes
 * have died with it, whether it should have begun earlier, whether its task is in the catalogue.
 */
import { show } from "../../checks.ts"
import {
  CancellationError,
  NodeDeathError,
  NotSerializableError,
  TimeoutError,
  UnknownTaskError,
} from "../../errors.ts"
import { propertyOf } from "../../user-values.ts"
import type { ClaimedJob, JobEnd } from "../job/engine.ts"
import { encodeFailure, type FailureKind } from "../job/failure.ts"
import type { RetryData } from "../job/job-data.ts"
import { isGivenUp, MAX_DEATHS } from "./last-runs.ts"
import { deathsOf } from "./series-run.ts"

/** The newest form of jobs that this release reads. */
const FORM = 1

/**
 * How long a job is put off that this node cannot run but another one may, in ms. Given back at once, it would come
 * back at once if this is the only node.
 */
const PUT_OFF = 2000

const SERIES: readonly unknown[] = ["rate", "delay", "cron"]

export function failedAs(kind: FailureKind, error: Error, nodeName: string): JobEnd {
  return { kind: "failed", reason: encodeFailure(error, kind, nodeName) }
}

export function cancelledEnd(nodeName: string): JobEnd {
  return failedAs("cancelled", new CancellationError("Task was cancelled"), nodeName)
}

export function unknownTask({ name }: ClaimedJob, nodeName: string): JobEnd {
  const message = `Node ${nodeName} knows no task ${show(name)}: start it with a catalogue that has it, or the node that has is of another release`
  return failedAs("unknown-task", new UnknownTaskError(message), nodeName)
}

/** Leaves the job to another node, but not at once. This does not count as an attempt. */
export function putOff({ data }: ClaimedJob, now: number): JobEnd {
  return { kind: "again", dueAt: now + PUT_OFF, data }
}

/**
 * What is wrong with a job's data, which any process may have written; undefined if they are right, or of a newer form.
 */
function whatIsWrong(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return `its data are ${show(data)}`
  const wrong = (key: string, demand: string): string => `\`${key}\` is ${show(propertyOf(data, key))}, not ${demand}`
  const form = propertyOf(data, "v")
  if (!Number.isInteger(form) || (form as number) < 1) return wrong("v", "a version")
  if (isNewer(data)) return undefined
  if (typeof propertyOf(data, "args") !== "string") return wrong("args", "text")
  for (const key of ["timeout", "startBy", "maxDeaths", "lastRun"]) {
    const value = propertyOf(data, key)
    if (value !== undefined && !(typeof value === "number" && value >= 0)) return wrong(key, "a number ≥ 0")
  }
  const title = propertyOf(data, "title")
  if (title !== undefined && typeof title !== "string") return wrong("title", "text")
  const stores = propertyOf(data, "stores")
  if (stores !== undefined && typeof stores !== "string") return wrong("stores", "text")
  return (
    wrongNumbers(data, "retry", ["delay", "factor"], ["maxDelay"], Number.MAX_VALUE) ??
    wrongNumbers(data, "series", ["due", "runs", "deathsBefore"], ["period"], Number.MAX_SAFE_INTEGER) ??
    wrongKind(propertyOf(data, "series"))
  )
}

/** The fields must be numbers, the optional ones if they are there; and not too large. */
function wrongNumbers(
  data: object,
  key: string,
  fields: readonly string[],
  optional: readonly string[],
  most: number,
): string | undefined {
  const part = propertyOf(data, key)
  if (part === undefined) return undefined
  const isWrong = (value: unknown): boolean => !(typeof value === "number" && Math.abs(value) <= most)
  const field =
    fields.find((name) => isWrong(propertyOf(part, name))) ??
    optional.find((name) => propertyOf(part, name) !== undefined && isWrong(propertyOf(part, name)))
  return field === undefined ? undefined : `\`${key}.${field}\` is ${show(propertyOf(part, field))}, not such a number`
}

function wrongKind(series: unknown): string | undefined {
  if (series === undefined) return undefined
  const kind = propertyOf(series, "kind")
  return SERIES.includes(kind) ? undefined : `\`series.kind\` is ${show(kind)}, not one of ${SERIES.join(", ")}`
}

function isNewer(data: object): boolean {
  return (propertyOf(data, "v") as number) > FORM
}

/** The end of a job that is not to be run; undefined if it is to be run. `now` is the engine's clock. */
export function checkJob(job: ClaimedJob, isCancelled: boolean, now: number, nodeName: string): JobEnd | undefined {
  const { name, data, failures, deaths } = job
  const wrong = whatIsWrong(data)
  if (wrong !== undefined) {
    return failedAs(
      "error",
      new NotSerializableError(`The job of task ${show(name)} cannot be read: ${wrong}`),
      nodeName,
    )
  }
  // Fields keep their meaning in newer forms. So an old node ends a cancelled job, and leaves others to newer nodes.
  if (isCancelled || data.cancelled === true) return cancelledEnd(nodeName)
  if (isNewer(data)) return putOff(job, now)
  if (isGivenUp(job)) {
    const { maxDeaths = MAX_DEATHS } = data
    const died = deathsOf(job)
    const nodes = died === 1 ? "A node" : `${died} nodes, one after the other,`
    const message = `${nodes} died, or lost the connection, while running task ${show(name)}, which may cost ${maxDeaths}: it is not run again`
    return failedAs("node-death", new NodeDeathError(message), nodeName)
  }
  // A job that has begun once was in time.
  const hasBegun = failures > 0 || deaths > 0 || (data.series?.runs ?? 0) > 0
  if (data.startBy !== undefined && !hasBegun && now > data.startBy) {
    const message = `The task did not start in time: a node took it ${Math.ceil(now - data.startBy)} ms too late`
    return failedAs("timeout", new TimeoutError(message), nodeName)
  }
  return undefined
}

/**
 * How long to wait after so many failed attempts (0 after the first), in ms: `delay`, times `factor` for each further
 * one, and at most `maxDelay`. With `jitter`, a random time from half of that on; `random` is from 0 to 1.
 */
export function retryDelay(retry: RetryData | undefined, failures: number, random: number): number {
  if (retry === undefined) return 0
  const { delay, factor, maxDelay = Infinity, jitter = false } = retry
  // 0 times a factor beyond all numbers is no number.
  const whole = delay === 0 ? 0 : Math.min(delay * factor ** failures, maxDelay, Number.MAX_SAFE_INTEGER)
  return Math.ceil(jitter ? whole * (0.5 + random / 2) : whole)
}
