/**
 * Platform threads: worker threads of the runtime, each with a processor thread, a heap and an event loop of its own.
 *
 *     const factory = platformThreads({ name: "render", preload: [new URL("./gl.js", import.meta.url)] })
 *     const pool = Executors.newFixedThreadPool(4, factory)
 */
import {
  alone,
  type Known,
  requireArray,
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOptions,
  requireTimeout,
  typeError,
} from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { naming, type ThreadFactory, withWarning } from "./thread-factory.ts"
import { Thread, type ThreadBody } from "./thread.ts"
import type { UncaughtExceptionHandler } from "./uncaught.ts"

/** Settings of `platformThreads`. */
export interface PlatformThreadOptions {
  /** A prefix (`"io"` gives `io-1`, `io-2`, …) or a function of the thread's number. Default `pool-N-thread-M`. */
  readonly name?: string | ((n: number) => string)
  /**
   * How long a thread whose task was cancelled with interrupt, or ran out of time, may go on, in ms; then it is
   * terminated and replaced. Default 1000; `Infinity` for Java's way, to wait for ever.
   */
  readonly terminateAfter?: number
  /** Limits of the thread's heap and stack, as for a `Worker` of node:worker_threads. */
  readonly resourceLimits?: {
    readonly maxOldGenerationSizeMb?: number
    readonly maxYoungGenerationSizeMb?: number
    readonly codeRangeSizeMb?: number
    readonly stackSizeMb?: number
  }
  /** The thread's `process.env`; default a copy of this one's. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Options of the runtime, such as `--expose-gc`. */
  readonly execArgv?: readonly string[]
  /**
   * Modules that each thread loads before its first task. If one cannot be loaded, the thread fails its tasks with an
   * IllegalStateError that has the reason as its cause.
   */
  readonly preload?: readonly (string | URL)[]
  /**
   * Modules whose default exports, functions, each thread calls one after the other, and awaits, before it leaves in
   * order: idle for too long, surplus, recycled, or because the pool is shut down. So a thread can close what its tasks
   * have opened. An error goes to `uncaughtException`. After `terminateAfter` ms the thread is terminated. A thread
   * that is terminated, or dies, does not call them.
   */
  readonly teardown?: readonly (string | URL)[]
  /** When a thread is replaced by a new one, between two tasks. Default never. */
  readonly recycle?: Recycling
  /**
   * Gets, in the thread that made the pool, an error that a command has thrown, and an error that has ended a thread
   * while it ran no task. Default: print it.
   */
  readonly uncaughtException?: UncaughtExceptionHandler
  /** The default of the option of the same name of pools. */
  readonly warnUnobserved?: boolean
  /**
   * How a thread prints: `"direct"`, to the standard output of the process, at once; or `"relayed"`, by
   * `process.stdout` and `process.stderr` of the thread that made the pool, when its event loop goes round. Default
   * `"direct"`, unless the program has replaced the `write` method of these.
   */
  readonly output?: "direct" | "relayed"
  /**
   * Starts the program of a thread, for bundles that are not to start it from text: bundle `corepool/worker` as an
   * entry point of its own and say where it is.
   *
   *     workerFactory: (options) => new Worker(new URL("./corepool-worker.js", import.meta.url), options)
   */
  readonly workerFactory?: WorkerFactory
}

/** See {@link PlatformThreadOptions.recycle}. A thread is replaced as soon as one of the two is reached. */
export interface Recycling {
  /** After so many tasks. With 1 every task has a fresh thread, and no global state outlives its task. */
  readonly tasks?: number
  /** When more than so many MB of the thread's heap are in use after a task (`process.memoryUsage().heapUsed`). */
  readonly heapMB?: number
}

/** The options with which to start a `Worker` of node:worker_threads. Others may be added; none may be left out. */
export interface WorkerStart {
  /** The name of the thread. */
  name: string
  /** The input of the thread's program. */
  workerData: unknown
  /** Ports. (Their type is not named here, as not all programs have the types of Node.) */
  transferList: never[]
  /** Limits of heap and stack. */
  resourceLimits?: NonNullable<PlatformThreadOptions["resourceLimits"]>
  /** Its `process.env`. */
  env?: Record<string, string | undefined>
  /** Options of the runtime. */
  execArgv?: string[]
}

/** Makes a `Worker` of node:worker_threads; in a browser a Web Worker, of which `options` gives only the name. */
export type WorkerFactory = (
  options: WorkerStart,
) =>
  | { readonly threadId: number; terminate(): Promise<number>; unref(): void }
  | { postMessage(message: unknown, transfer: never[]): void; terminate(): void }

const BODY: unique symbol = Symbol("corepool.body")

/** The target that a pool gives to a factory: it carries what the thread is to run. */
export interface PlatformTarget {
  (): unknown
  readonly [BODY]: (options: PlatformThreadOptions) => ThreadBody
}

/** A target for a factory of platform threads. */
export function platformTarget(make: PlatformTarget[typeof BODY]): PlatformTarget {
  return Object.assign(
    (): never => {
      throw new IllegalStateError("This target can only be run by a platform thread")
    },
    { [BODY]: make },
  )
}

/** A factory that makes the threads of another one, and calls `onBody` with the body of each. */
export function observed(factory: ThreadFactory, onBody: (body: ThreadBody) => void): ThreadFactory {
  return {
    isVirtual: false,
    newThread: (target) =>
      factory.newThread(
        platformTarget((options) => {
          const body = (target as PlatformTarget)[BODY](options)
          onBody(body)
          return body
        }),
      ),
  }
}

/** The default of `terminateAfter`, in ms. */
export const TERMINATE_AFTER = 1000

/** A factory of platform threads. Users call it by platform/pools.ts. */
export function newPlatformThreads(options: PlatformThreadOptions = {}): ThreadFactory {
  const given = requireThreadOptions(options)
  const nameOf = naming(given.name)
  let threads = 0
  const factory: ThreadFactory = {
    isVirtual: false,
    newThread(target) {
      if (!(BODY in target)) {
        throw typeError(
          "target",
          "what the pool has passed, as it is: another thread cannot run a function of this one",
          target,
        )
      }
      const body = (target as PlatformTarget)[BODY](given)
      return Thread.createPlatform(body, nameOf(++threads), given.uncaughtException)
    },
  }
  // A workerFactory and a function of names are user code, and must be called only when a thread is made.
  if (given.workerFactory === undefined && typeof given.name !== "function") {
    nextThreads.set(factory, () => ({ name: nameOf(threads + 1), options: given }))
  }
  return withWarning(factory, given.warnUnobserved)
}

/** The thread that a factory is going to make next. */
export interface NextThread {
  readonly name: string
  readonly options: PlatformThreadOptions
}

const nextThreads = new WeakMap<ThreadFactory, () => NextThread>()

/** Undefined if the next thread is not known beforehand. */
export function nextThread(factory: ThreadFactory): NextThread | undefined {
  return nextThreads.get(factory)?.()
}

const PLATFORM_OPTIONS: Known<PlatformThreadOptions> = {
  name: true,
  terminateAfter: true,
  resourceLimits: true,
  env: true,
  execArgv: true,
  preload: true,
  teardown: true,
  recycle: true,
  uncaughtException: true,
  warnUnobserved: true,
  output: true,
  workerFactory: true,
}

const RESOURCE_LIMITS: Known<NonNullable<PlatformThreadOptions["resourceLimits"]>> = {
  maxOldGenerationSizeMb: true,
  maxYoungGenerationSizeMb: true,
  codeRangeSizeMb: true,
  stackSizeMb: true,
}

const RECYCLING: Known<Recycling> = { tasks: true, heapMB: true }

function requireRecycling(value: Recycling): Recycling {
  const given = requireOptions("recycle", value, RECYCLING)
  const { tasks, heapMB } = given
  if (tasks !== undefined && tasks !== Infinity) requireInteger("recycle.tasks", tasks, 1)
  if (heapMB !== undefined) requireNumber("recycle.heapMB", heapMB, "a number > 0", (n) => n > 0)
  return given
}

function requireModules(name: string, modules: readonly (string | URL)[] = []): void {
  for (const module of requireArray(name, modules)) {
    if (!URL.canParse(String(module))) throw typeError(name, "absolute URLs of modules", module)
  }
}

function requireThreadOptions(options: PlatformThreadOptions): PlatformThreadOptions {
  const given = requireOptions("options", options, PLATFORM_OPTIONS)
  const {
    terminateAfter,
    preload,
    teardown,
    recycle,
    resourceLimits,
    env,
    execArgv,
    uncaughtException,
    output,
    workerFactory,
  } = given
  if (terminateAfter !== undefined) requireTimeout("terminateAfter", terminateAfter)
  if (uncaughtException !== undefined) requireFunction("uncaughtException", uncaughtException)
  const limits = resourceLimits && requireOptions("resourceLimits", resourceLimits, RESOURCE_LIMITS)
  if (env !== undefined) requireObject("env", env)
  if (execArgv !== undefined) requireArray("execArgv", execArgv)
  if (workerFactory !== undefined) requireFunction("workerFactory", workerFactory)
  if (output !== undefined && output !== "direct" && output !== "relayed") {
    throw typeError("output", '"direct" or "relayed"', output)
  }
  requireModules("preload", preload)
  requireModules("teardown", teardown)
  const recycling = recycle && requireRecycling(recycle)
  return limits === undefined && recycling === undefined
    ? given
    : alone({ ...given, ...(limits && { resourceLimits: limits }), ...(recycling && { recycle: recycling }) })
}
