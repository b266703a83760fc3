/** The options of a distributed executor and of its tasks. */
import {
  type Known,
  rangeError,
  requireDuration,
  requireFunction,
  requireInteger,
  requireObject,
  requireOptions,
  requirePositiveDuration,
  requireSignal,
  requireString,
  typeError,
} from "../../checks.ts"
import { UnsupportedOperationError } from "../../errors.ts"
import type { RetryOptions, TaskOptions } from "../../executor/executor.ts"
import { RETRY_OPTIONS, requireRetry } from "../../executor/retry/retry-options.ts"
import { propertyOf } from "../../user-values.ts"
import type { TaskCatalogue } from "./catalogue.ts"
import type { Engine } from "./engine.ts"
import type { RetryData } from "./job-data.ts"
import { MAX_PAYLOAD } from "./payload.ts"

/** Settings of a `DistributedExecutor`. */
export interface DistributedExecutorOptions {
  /** The name of the queue. Executors and nodes with the same name and engine belong together. */
  readonly name: string
  /** Where the queue is: `postgres(…)` or `redis(…)`. */
  readonly engine: Engine
  /** The tasks, by name: a module, or an object with functions. The nodes have the same. */
  readonly tasks: TaskCatalogue
  /** How many bytes the arguments of a task may take; default 1 MiB. */
  readonly maxPayload?: number
  /**
   * For how many milliseconds the engine keeps a result, for other processes and for tasks with an `id`; default an
   * hour.
   */
  readonly keepResults?: number
  /** How many nodes may die with a task before it fails with NodeDeathError; default 1. */
  readonly maxDeaths?: number
  /**
   * How often the executor asks the engine for the state of tasks that it has waited for all that time, in ms; default
   * 30,000. Normally the engine sends events. Asking makes up for a lost event.
   */
  readonly reviewInterval?: number
  /** Called with errors that belong to no future, such as those of the connection. Default: print them. */
  readonly onError?: (error: unknown) => void
}

/** How failed attempts are repeated, on whatever node. As everywhere, but for what another machine cannot do. */
export type DistributedRetryOptions = Pick<RetryOptions, "attempts" | "delay" | "factor" | "maxDelay" | "jitter">

/** Options for tasks of a distributed executor; see {@link DistributedExecutorService.with}. */
export interface DistributedTaskOptions extends Omit<TaskOptions, "transfer" | "retry" | "capture"> {
  /**
   * The name of the task in all processes. There is one run for one id, as long as the engine remembers it: a task that
   * any process submits again is the same, and its future gets the result of that run. Another task, other arguments or
   * other times under the id are an IllegalStateError. 1 to 200 characters.
   */
  readonly id?: string
  /** How often the task is started, at most, if it fails; default 1. It wins over `retry.attempts`. */
  readonly attempts?: number
  /** How failed attempts are repeated; default at once. */
  readonly retry?: DistributedRetryOptions
  /** How many nodes may die with the task before it fails with NodeDeathError; default that of the executor. */
  readonly maxDeaths?: number
  /** For how many milliseconds its result is kept; default that of the executor. */
  readonly keepResults?: number
}

/** The options of a task, checked, with the defaults of its executor. */
export interface TaskSettings extends Omit<DistributedTaskOptions, "retry"> {
  readonly attempts: number
  readonly retry?: RetryData
  readonly maxDeaths: number
  readonly keepResults: number
}

const HOUR = 3_600_000
const LONGEST_ID = 200
const LARGEST_PRIORITY = 1_000_000

const EXECUTOR_OPTIONS: Known<DistributedExecutorOptions> = {
  name: true,
  engine: true,
  tasks: true,
  maxPayload: true,
  keepResults: true,
  maxDeaths: true,
  reviewInterval: true,
  onError: true,
}

export type ExecutorSettings = DistributedExecutorOptions & {
  readonly maxPayload: number
  readonly keepResults: number
  readonly maxDeaths: number
  readonly reviewInterval: number
}

export function requireExecutorOptions(options: DistributedExecutorOptions): ExecutorSettings {
  const given = requireOptions("options", options, EXECUTOR_OPTIONS, "an object with name, engine and tasks")
  if (requireString("name", given.name) === "") throw typeError("name", "the name of a queue", given.name)
  requireObject("engine", given.engine, "an engine such as postgres(…) or redis(…)")
  if (typeof propertyOf(given.engine, "open") !== "function") {
    throw typeError("engine", "an engine such as postgres(…) or redis(…)", given.engine)
  }
  const { maxPayload = MAX_PAYLOAD, keepResults = HOUR, maxDeaths = 1, reviewInterval = 30_000, onError } = given
  requireInteger("maxPayload", maxPayload, 1)
  requireKept(keepResults)
  requireInteger("maxDeaths", maxDeaths, 0)
  requirePositiveDuration("reviewInterval", reviewInterval)
  if (onError !== undefined) requireFunction("onError", onError)
  return { ...given, maxPayload, keepResults, maxDeaths, reviewInterval }
}

function requireKept(keepResults: number): void {
  requireDuration("keepResults", keepResults)
  if (keepResults === Infinity) throw rangeError("keepResults", "a finite number of milliseconds", keepResults)
}

/** With options of other executors that are refused with a reason. */
type GivenOptions = DistributedTaskOptions & { readonly transfer?: unknown; readonly capture?: unknown }

const TASK_OPTIONS: Known<GivenOptions> = {
  id: true,
  attempts: true,
  retry: true,
  maxDeaths: true,
  keepResults: true,
  signal: true,
  timeout: true,
  queueTimeout: true,
  priority: true,
  name: true,
  transfer: true,
  capture: true,
}

/** With those of other executors that are refused with a reason. */
type GivenRetry = DistributedRetryOptions & {
  readonly when?: unknown
  readonly attemptTimeout?: unknown
  readonly clock?: unknown
}

/** The options of a view of a view are merged; the later one wins. */
export function requireTaskOptions(options: DistributedTaskOptions, settings: TaskSettings): TaskSettings {
  const { transfer, capture, retry, ...given } = requireOptions<GivenOptions>("options", options, TASK_OPTIONS)
  if (transfer !== undefined) {
    throw new UnsupportedOperationError(
      "`transfer` is for threads: nothing can be moved to another machine, only copied",
    )
  }
  if (capture !== undefined) {
    throw new UnsupportedOperationError("`capture` is for threads of this process: the output of a node stays there")
  }
  if (given.id !== undefined) requireId(given.id)
  if (given.attempts !== undefined) requireInteger("attempts", given.attempts, 1)
  if (given.maxDeaths !== undefined) requireInteger("maxDeaths", given.maxDeaths, 0)
  if (given.keepResults !== undefined) requireKept(given.keepResults)
  if (given.signal !== undefined) requireSignal("signal", given.signal)
  if (given.timeout !== undefined) requirePositiveDuration("timeout", given.timeout)
  if (given.queueTimeout !== undefined) requirePositiveDuration("queueTimeout", given.queueTimeout)
  if (given.name !== undefined) requireString("name", given.name)
  if (given.priority !== undefined) requirePriority(given.priority)
  const repeated = retry === undefined ? {} : requireDistributedRetry(retry)
  return { ...settings, ...repeated, ...given }
}

export function requireId(id: unknown): string {
  const demand = `a text of 1 to ${LONGEST_ID} characters`
  if (typeof id !== "string") throw typeError("id", demand, id)
  if (id === "" || id.length > LONGEST_ID) throw rangeError("id", demand, id)
  return id
}

function requirePriority(priority: unknown): void {
  const demand = `an integer from ${-LARGEST_PRIORITY} to ${LARGEST_PRIORITY}`
  if (typeof priority !== "number") throw typeError("priority", demand, priority)
  if (!Number.isInteger(priority) || Math.abs(priority) > LARGEST_PRIORITY) {
    throw rangeError("priority", demand, priority)
  }
}

function requireDistributedRetry(options: DistributedRetryOptions): { attempts: number; retry: RetryData } {
  const { when, attemptTimeout, clock, ...given } = requireOptions<GivenRetry>("retry", options, RETRY_OPTIONS)
  if (when !== undefined) {
    throw new UnsupportedOperationError(
      "`when` is a function, and functions are not sent to other machines: decide in the task which errors are worth another attempt",
    )
  }
  if (attemptTimeout !== undefined) {
    throw new UnsupportedOperationError(
      "`attemptTimeout` is for executors of this process: say it by `timeout`, which is for each attempt here",
    )
  }
  if (clock !== undefined) {
    throw new UnsupportedOperationError("`clock` is for executors of this process: here the server's clock counts")
  }
  const { attempts, delay, factor, jitter } = requireRetry(given)
  const { maxDelay = Infinity } = given
  return {
    attempts,
    retry: { delay, factor, ...(maxDelay < Infinity && { maxDelay }), ...(jitter === true && { jitter }) },
  }
}
