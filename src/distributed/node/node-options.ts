/** The options of a node. */
import { availableParallelism } from "#host/runtime/machine"
import { hostname, isSignal, pid } from "#host/server/server"
import {
  type Known,
  MAX_VALUE,
  requireArray,
  requireFunction,
  requireInteger,
  requireObject,
  requireOptions,
  requirePositiveDuration,
  requireString,
  typeError,
  wrongType,
} from "../../checks.ts"
import type { ExecutorService } from "../../executor/executor.ts"
import { propertyOf } from "../../user-values.ts"
import type { TaskCatalogue } from "../job/catalogue.ts"
import { DistributedExecutorBase } from "../distributed-executor-base.ts"
import type { Engine } from "../job/engine.ts"
import { MAX_PAYLOAD } from "../job/payload.ts"

/** The name of a signal, such as `"SIGTERM"`. (Not the type of Node, which not all programs have.) */
export type SignalName = `SIG${string}`

/** What an error that a node reports is about. */
export interface NodeErrorContext {
  /** The name of the node. */
  readonly node: string
  /** The job, if the error is about one. */
  readonly job?: { readonly id: string; readonly name: string }
}

/** Settings of an `ExecutorNode`. */
export interface ExecutorNodeOptions {
  /** The name of the queue: that of the executors whose tasks the node runs. */
  readonly name: string
  /** Where the queue is: `postgres(…)` or `redis(…)`. */
  readonly engine: Engine
  /** The tasks that the node runs, by name: a module, or an object with functions. It runs no others. */
  readonly tasks: TaskCatalogue
  /**
   * Runs the tasks: any executor, of platform threads or of virtual ones. It stays open when the node is closed.
   * Default: a fixed pool with a platform thread for each processor, which is closed with the node.
   */
  readonly executor?: ExecutorService
  /**
   * How many jobs the node runs at once; default the executor's maximum size, or the number of processors if it has no
   * limit.
   */
  readonly concurrency?: number
  /**
   * How long a job stays this node's without a sign of life, in ms; then another node takes it. Default 15,000. The
   * node gives such signs more often than that, however long a task takes.
   */
  readonly lockDuration?: number
  /** The node's name in lists, stacks and messages; default the name of the machine and the number of the process. */
  readonly nodeName?: string
  /** How many bytes a result may have; default 1 MiB. */
  readonly maxPayload?: number
  /**
   * The signals on which the node drains, such as `["SIGTERM", "SIGINT"]`: see {@link ExecutorNode.shutdownOnSignals}.
   */
  readonly signals?: readonly SignalName[]
  /**
   * Called with errors that reach no future: those of tasks given to `execute`, of the connection to the engine, of the
   * local executor. Default: print them.
   */
  readonly onError?: (error: unknown, context: NodeErrorContext) => void
}

const KNOWN: Known<ExecutorNodeOptions> = {
  name: true,
  engine: true,
  tasks: true,
  executor: true,
  concurrency: true,
  lockDuration: true,
  nodeName: true,
  maxPayload: true,
  signals: true,
  onError: true,
}

/** The checked options, with all defaults but the executor. */
export interface NodeSettings extends ExecutorNodeOptions {
  readonly concurrency: number
  readonly lockDuration: number
  readonly nodeName: string
  readonly maxPayload: number
  readonly signals: readonly SignalName[]
}

const LOCK_DURATION = 15_000
/** A shorter lock would be lost whenever the engine is slow for a moment. */
const SHORTEST_LOCK = 500

export function requireNodeOptions(options: ExecutorNodeOptions): NodeSettings {
  const given = requireOptions("options", options, KNOWN)
  const { executor, engine, onError } = given
  if (requireString("name", given.name) === "") throw typeError("name", "the name of a queue", given.name)
  requireObject("engine", engine, "an engine such as postgres(…) or redis(…)")
  if (typeof propertyOf(engine, "open") !== "function") {
    throw typeError("engine", "an engine such as postgres(…) or redis(…)", engine)
  }
  if (executor !== undefined) requireExecutor(executor)
  if (onError !== undefined) requireFunction("onError", onError)
  const { concurrency = sizeOf(executor), lockDuration = LOCK_DURATION, maxPayload = MAX_PAYLOAD, signals = [] } = given
  const { nodeName = `${hostname()}-${pid}` } = given
  requireInteger("concurrency", concurrency, 1)
  requireInteger("maxPayload", maxPayload, 1)
  requireString("nodeName", nodeName)
  requireSignals(signals)
  if (requirePositiveDuration("lockDuration", lockDuration) < SHORTEST_LOCK || lockDuration > MAX_VALUE) {
    throw new RangeError(
      `Expected \`lockDuration\` to be a number of milliseconds from ${SHORTEST_LOCK} to ${MAX_VALUE}, got ${lockDuration}`,
    )
  }
  return { ...given, concurrency, lockDuration, maxPayload, nodeName, signals: [...signals] }
}

/** A distributed executor puts tasks into a queue again and runs nothing: the tasks would go round for ever. */
function requireExecutor(executor: unknown): void {
  if (executor instanceof DistributedExecutorBase) {
    throw wrongType(
      "Expected `executor` to be one that runs tasks in this process, such as Executors.newFixedThreadPool(4), got a DistributedExecutor, which puts them into a queue",
    )
  }
  const isOne =
    typeof propertyOf(executor, "submit") === "function" && typeof propertyOf(executor, "with") === "function"
  if (!isOne) throw typeError("executor", "an ExecutorService such as Executors.newFixedThreadPool(4)", executor)
}

/** The operating system never delivers these to a process: `process.on` throws. */
const UNSTOPPABLE: ReadonlySet<string> = new Set(["SIGKILL", "SIGSTOP"])

export function requireSignals(signals: readonly SignalName[]): void {
  for (const signal of requireArray("signals", signals)) {
    if (!isSignal(signal)) throw typeError("signals", 'names such as "SIGTERM"', signal)
    if (UNSTOPPABLE.has(signal)) throw typeError("signals", "signals that a process can receive", signal)
  }
}

/** How many tasks the executor runs at once, if it has such a property. */
function sizeOf(executor: ExecutorService | undefined): number {
  const size = propertyOf(executor, "maximumPoolSize") ?? propertyOf(executor, "parallelism")
  return typeof size === "number" && size >= 1 && size < MAX_VALUE ? size : availableParallelism()
}
