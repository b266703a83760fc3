import { availableParallelism } from "#host/runtime/machine"
import { alone } from "../../checks.ts"
import type { PlatformThreadOptions } from "../../thread/platform-threads.ts"
import { FixedQueue, isTaskQueue, type PiscinaTask, type PiscinaTaskQueue } from "./piscina-queues.ts"
import type { PiscinaWorker } from "./piscina-worker.ts"

/** Chooses the thread for a task; null to let the task wait. */
export type PiscinaLoadBalancer = (task: PiscinaTask, workers: readonly PiscinaWorker[]) => PiscinaWorker | null

/** Settings of a `Piscina`. */
export interface PiscinaOptions {
  /** The module with the functions, as an absolute path or a `file:` URL. */
  readonly filename?: string | null
  /** Which function it is, by the name of its export; default `"default"`. */
  readonly name?: string | null
  /** How many threads there are at least; default half of the processors. */
  readonly minThreads?: number
  /** How many threads there are at most; default one and a half of the processors. */
  readonly maxThreads?: number
  /** How long a thread beyond `minThreads` may be idle, in ms; default 0. */
  readonly idleTimeout?: number
  /** How many tasks may wait; `"auto"` is the square of `maxThreads`; default no limit. */
  readonly maxQueue?: number | "auto"
  /** How many tasks a thread may have. It runs them one after the other; default 1. */
  readonly concurrentTasksPerWorker?: number
  /** Has no effect: all threads are woken by shared memory, and their event loops turn. */
  readonly atomics?: "sync" | "async" | "disabled"
  /** Limits of heap and stack of a thread. */
  readonly resourceLimits?: NonNullable<PlatformThreadOptions["resourceLimits"]>
  /** The `process.env` of a thread. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Is added to the `process.argv` of a thread. */
  readonly argv?: readonly unknown[]
  /** Options of the runtime for a thread. */
  readonly execArgv?: readonly string[]
  /** A value that each thread finds as `Piscina.workerData`. */
  readonly workerData?: unknown
  /** Where tasks wait; default a `FixedQueue`. */
  readonly taskQueue?: PiscinaTaskQueue
  /** Has no effect. */
  readonly niceIncrement?: number
  /** Has no effect. */
  readonly trackUnmanagedFds?: boolean
  /** How long `close()` waits for tasks, in ms; default 30 000. */
  readonly closeTimeout?: number
  /** Whether times are recorded; default true. */
  readonly recordTiming?: boolean
  /** Whether each worker that a load balancer sees has times; default false. */
  readonly workerHistogram?: boolean
  /** Has no effect: tasks always begin in their order. */
  readonly stricterFIFO?: boolean
  /** Chooses the thread for a task; default the thread with the fewest tasks. */
  readonly loadBalancer?: PiscinaLoadBalancer
}

/** Settings with all defaults. */
export interface PiscinaSettings extends PiscinaOptions {
  readonly filename: string | null
  readonly name: string
  readonly minThreads: number
  readonly maxThreads: number
  readonly idleTimeout: number
  readonly maxQueue: number
  readonly concurrentTasksPerWorker: number
  readonly taskQueue: PiscinaTaskQueue
  readonly closeTimeout: number
  readonly recordTiming: boolean
}

/** Settings of one call of `run`. */
export interface PiscinaRunOptions {
  /** What is moved to the thread and not copied. */
  readonly transferList?: readonly object[] | null
  /** Another module than that of the pool. */
  readonly filename?: string | null
  /** Another function than that of the pool. */
  readonly name?: string | null
  /** Ends the task; a thread that runs it is ended with it. Any object that emits `abort` will do. */
  readonly signal?: PiscinaSignal | null
}

/** An AbortSignal, or any other object that emits `abort`. */
export type PiscinaSignal = PiscinaEventTarget | PiscinaEmitter

/** An object with listeners, as browsers have them. */
export interface PiscinaEventTarget {
  /** Adds a listener. */
  addEventListener(name: "abort", listener: () => void, options?: { once: boolean }): void
}

/** An object with listeners, as Node has them. */
export interface PiscinaEmitter {
  /** Adds a listener. */
  on(name: "abort", listener: () => void): unknown
}

type Check = readonly [keyof PiscinaOptions, string, (value: unknown) => boolean]

const isText = (value: unknown): boolean => value === null || typeof value === "string"
const isFlag = (value: unknown): boolean => typeof value === "boolean"
const isCount = (min: number) => (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= min
const isTime = (value: unknown): boolean => value === Infinity || isCount(0)(value)

const CHECKS: readonly Check[] = [
  ["filename", "must be a string or null", isText],
  ["name", "must be a string or null", isText],
  ["minThreads", "must be a non-negative integer", isCount(0)],
  ["maxThreads", "must be a positive integer", isCount(1)],
  ["idleTimeout", "must be a non-negative integer", isTime],
  ["maxQueue", "must be a non-negative integer", (value) => value === "auto" || isTime(value)],
  ["concurrentTasksPerWorker", "must be a positive integer", isCount(1)],
  [
    "atomics",
    "should be a value of sync, sync or disabled.",
    (value) => value === "sync" || value === "async" || value === "disabled",
  ],
  ["resourceLimits", "must be an object", (value) => typeof value === "object" && value !== null],
  ["taskQueue", "must be a TaskQueue object", isTaskQueue],
  ["niceIncrement", "must be a non-negative integer", isCount(0)],
  ["trackUnmanagedFds", "must be a boolean", isFlag],
  ["closeTimeout", "must be a non-negative integer", isTime],
  ["recordTiming", "must be a boolean", isFlag],
  ["workerHistogram", "must be a boolean", isFlag],
  ["stricterFIFO", "must be a boolean", isFlag],
  ["loadBalancer", "must be a function", (value) => typeof value === "function"],
]

/** The settings that these options mean. Only the options' own properties count. */
export function settingsOf(options: PiscinaOptions): PiscinaSettings {
  const given = alone({ ...options })
  for (const [name, demand, test] of CHECKS) {
    const value = given[name]
    if (value !== undefined && !test(value)) throw new TypeError(`options.${name} ${demand}`)
  }
  const processors = availableParallelism()
  const { minThreads, maxThreads, maxQueue } = given
  if (minThreads !== undefined && maxThreads !== undefined && minThreads > maxThreads) {
    throw new RangeError("options.minThreads and options.maxThreads must not conflict")
  }
  const least = minThreads ?? Math.min(Math.max(Math.floor(processors / 2), 1), maxThreads ?? Infinity)
  const most = maxThreads ?? Math.max(processors * 1.5, least)
  return alone({
    ...given,
    filename: given.filename ?? null,
    name: given.name ?? "default",
    minThreads: least,
    maxThreads: most,
    idleTimeout: given.idleTimeout ?? 0,
    maxQueue: maxQueue === "auto" ? most ** 2 : (maxQueue ?? Infinity),
    concurrentTasksPerWorker: given.concurrentTasksPerWorker ?? 1,
    taskQueue: given.taskQueue ?? new FixedQueue(),
    closeTimeout: given.closeTimeout ?? 30_000,
    recordTiming: given.recordTiming ?? true,
  })
}

/** Throws a TypeError for wrong options of `run`. */
export function checkRunOptions(options: unknown): asserts options is PiscinaRunOptions {
  if (typeof options !== "object" || options === null) throw new TypeError("options must be an object")
  const { transferList, filename, name, signal } = options as Record<keyof PiscinaRunOptions, unknown>
  if (!isNone(transferList) && !Array.isArray(transferList)) {
    throw new TypeError("transferList argument must be an Array")
  }
  if (!isNone(filename) && typeof filename !== "string") throw new TypeError("filename argument must be a string")
  if (!isNone(name) && typeof name !== "string") throw new TypeError("name argument must be a string")
  if (!isNone(signal) && typeof signal !== "object") throw new TypeError("signal argument must be an object")
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined
}
