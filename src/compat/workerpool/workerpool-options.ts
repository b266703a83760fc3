import { availableParallelism } from "#host/runtime/machine"
import { refuseUnknown, requireFunction, requireTimeout, typeError, wrongType } from "../../checks.ts"
import type { PlatformThreadOptions } from "../../thread/platform-threads.ts"
import { FIFOQueue, LIFOQueue, type PoolTaskQueue } from "./pool-queues.ts"

/** What a thread is made with. `onCreateWorker` may return another. */
export interface PoolWorkerArg {
  /** The module with the methods. */
  readonly script?: string | undefined
  /** Options of the thread, as for `platformThreads`: `env`, `execArgv`, `resourceLimits`. */
  readonly workerThreadOpts?: Pick<PlatformThreadOptions, "env" | "execArgv" | "resourceLimits">
}

/** Options of `workerpool.pool`. */
export interface WorkerpoolOptions extends PoolWorkerArg {
  /** How many threads there are at least; `"max"` for as many as there can be. */
  readonly minWorkers?: number | "max"
  /** How many threads there are at most; default one less than there are processors. */
  readonly maxWorkers?: number
  /** How many tasks may wait; default `Infinity`. */
  readonly maxQueueSize?: number
  /** Only threads: `"process"` is refused. */
  readonly workerType?: "auto" | "thread" | "web"
  /** The order of tasks, or a queue of the program's own. */
  readonly queueStrategy?: "fifo" | "lifo" | PoolTaskQueue
  /** How long a thread that is to end may take to clean up, in ms; default 1000. */
  readonly workerTerminateTimeout?: number
  /** Called before a thread is made. */
  readonly onCreateWorker?: (arg: PoolWorkerArg) => PoolWorkerArg | undefined | void
  /** Called when a thread has ended. */
  readonly onTerminateWorker?: (arg: PoolWorkerArg) => void
}

/** Options of `exec`. */
export interface PoolExecOptions {
  /** Gets what the task emits. */
  readonly on?: (payload: unknown) => unknown
  /** What of the arguments is moved to the thread and not copied. */
  readonly transfer?: readonly object[]
  /** For a queue of the program's own. */
  readonly metadata?: unknown
}

/** All options, with defaults. */
export interface PoolSettings {
  readonly minWorkers: number
  readonly maxWorkers: number
  readonly maxQueueSize: number
  readonly workerTerminateTimeout: number
  readonly queue: PoolTaskQueue
  readonly arg: PoolWorkerArg
  readonly onCreateWorker: WorkerpoolOptions["onCreateWorker"]
  readonly onTerminateWorker: WorkerpoolOptions["onTerminateWorker"]
}

const KNOWN = {
  script: true,
  minWorkers: true,
  maxWorkers: true,
  maxQueueSize: true,
  workerType: true,
  queueStrategy: true,
  workerTerminateTimeout: true,
  workerThreadOpts: true,
  onCreateWorker: true,
  onTerminateWorker: true,
} as const

/** Checks the options. */
export function poolSettingsOf(script: string | undefined, options: WorkerpoolOptions): PoolSettings {
  refuseUnknown("options", options, KNOWN)
  const { workerType = "auto", workerTerminateTimeout = 1000, maxQueueSize = Infinity } = options
  if (!["auto", "thread", "web"].includes(workerType)) {
    throw wrongType(`Expected \`workerType\` to be "auto", "thread" or "web", got ${workerType}: all are threads`)
  }
  requireTimeout("workerTerminateTimeout", workerTerminateTimeout)
  const most = options.maxWorkers ?? Math.max(availableParallelism() - 1, 1)
  if (!Number.isInteger(most) || most < 1) throw typeError("maxWorkers", "an integer ≥ 1", most)
  const least = options.minWorkers === "max" ? most : (options.minWorkers ?? 0)
  if (!Number.isInteger(least) || least < 0) throw typeError("minWorkers", 'an integer ≥ 0 or "max"', least)
  for (const name of ["onCreateWorker", "onTerminateWorker"] as const)
    if (options[name] !== undefined) requireFunction(name, options[name])
  return {
    minWorkers: least,
    maxWorkers: Math.max(most, least),
    maxQueueSize,
    workerTerminateTimeout,
    queue: queueOf(options.queueStrategy),
    arg: { script: script ?? options.script, workerThreadOpts: options.workerThreadOpts ?? {} },
    onCreateWorker: options.onCreateWorker,
    onTerminateWorker: options.onTerminateWorker,
  }
}

function queueOf(strategy: WorkerpoolOptions["queueStrategy"] = "fifo"): PoolTaskQueue {
  if (strategy === "fifo") return new FIFOQueue()
  if (strategy === "lifo") return new LIFOQueue()
  const hasAll = (["push", "pop", "size", "contains", "clear"] as const).every(
    (name) => typeof (strategy as PoolTaskQueue | null)?.[name] === "function",
  )
  if (!hasAll) throw typeError("queueStrategy", '"fifo", "lifo" or a queue', strategy)
  return strategy
}
