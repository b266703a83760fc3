import { runtime } from "#host/runtime/clock"
import { availableParallelism } from "#host/runtime/machine"
import { guarded } from "../../memory/flow/guard.ts"
import { requireObject, wrongType } from "../../checks.ts"
import { thisThread } from "../in-thread/handlers-in-thread.ts"
import { emit, register } from "../in-thread/methods-in-thread.ts"
import { PoolPromise, PoolTimeoutError } from "./pool-promise.ts"
import type { PoolTaskQueue } from "./pool-queues.ts"
import { ExecutedTask, PoolThread } from "./pool-thread.ts"
import { Transfer } from "../in-thread/pool-transfer.ts"
import {
  type PoolExecOptions,
  type PoolSettings,
  poolSettingsOf,
  type PoolWorkerArg,
  type WorkerpoolOptions,
} from "./workerpool-options.ts"

/** The error of a task whose thread was ended by `terminate(true)`. */
export class TerminateError extends Error {
  /** As workerpool names it. */
  override readonly name = "TerminateError"

  /** The message may be left out. */
  constructor(message = "worker terminated") {
    super(message)
  }
}

/** How many threads and tasks there are. */
export interface PoolStats {
  /** Threads. */
  readonly totalWorkers: number
  /** Threads with a task. */
  readonly busyWorkers: number
  /** Threads without a task. */
  readonly idleWorkers: number
  /** Tasks that wait. */
  readonly pendingTasks: number
  /** Tasks that run. */
  readonly activeTasks: number
}

/** A thread of a pool. */
export interface PoolWorker {
  /** The worker of the runtime. */
  readonly worker: object
  /** Whether it has a task, or cleans up after one. */
  busy(): boolean
}

// oxlint-disable-next-line typescript/no-explicit-any -- as the shape has it: code that moves must compile
type AnyMethod = (...args: any[]) => any

/** The methods of a pool's script, called in its threads; see {@link WorkerPool.proxy}. */
export type PoolProxy<M extends Record<string, AnyMethod>> = {
  readonly [K in keyof M]: (...args: Parameters<M[K]>) => PoolPromise<Awaited<ReturnType<M[K]>>>
}

/**
 * The pool of workerpool: its threads have the methods that a script has registered. Each thread is a thread of
 * corepool, and has one task at a time.
 */
export class WorkerPool {
  readonly #settings: PoolSettings
  readonly #threads: PoolThread[] = []

  /** As {@link workerpool.pool}. */
  constructor(script?: WorkerpoolOptions | string, options?: WorkerpoolOptions) {
    const given = typeof script === "string" ? options : script
    this.#settings = poolSettingsOf(
      typeof script === "string" ? script : undefined,
      given === undefined ? {} : requireObject("options", given),
    )
    this.#keepMinimum()
  }

  /** How many threads there are at least. */
  get minWorkers(): number {
    return this.#settings.minWorkers
  }

  /** How many threads there are at most. */
  get maxWorkers(): number {
    return this.#settings.maxWorkers
  }

  /** The threads that it has now. */
  get workers(): readonly PoolWorker[] {
    return this.#threads
  }

  /** The tasks that wait. */
  get taskQueue(): PoolTaskQueue {
    return this.#settings.queue
  }

  /**
   * Calls a method of the script, or a function that is sent as text and may use nothing but its arguments, in a
   * thread.
   */
  exec<F extends AnyMethod>(
    method: F | string,
    params?: Parameters<F> | readonly unknown[] | null,
    options?: PoolExecOptions,
  ): PoolPromise<Awaited<ReturnType<F>>> {
    if (params !== undefined && params !== null && !Array.isArray(params))
      throw wrongType('Array expected as argument "params"')
    if (typeof method === "function")
      return this.exec<AnyMethod>("run", [String(method), params ?? []], options) as PoolPromise<never>
    if (typeof method !== "string") throw wrongType('Function or string expected as argument "method"')
    const { queue, maxQueueSize } = this.#settings
    if (queue.size() >= maxQueueSize) throw new Error(`Max queue size of ${maxQueueSize} reached`)
    const task = new ExecutedTask(method, params ?? [], options)
    queue.push(task)
    this.#next()
    return task.promise as PoolPromise<never>
  }

  /** The methods of the script as functions of this thread. */
  async proxy<M extends Record<string, AnyMethod>>(...none: never[]): Promise<PoolProxy<M>> {
    if (none.length > 0) throw new Error("No arguments expected")
    const names = (await this.exec("methods")) as string[]
    return Object.fromEntries(
      names.map((name) => [name, (...args: unknown[]) => this.exec(name, args)]),
    ) as unknown as PoolProxy<M>
  }

  /** How many threads and tasks there are. */
  stats(): PoolStats {
    const busyWorkers = this.#threads.filter((thread) => thread.busy()).length
    const totalWorkers = this.#threads.length
    return {
      totalWorkers,
      busyWorkers,
      idleWorkers: totalWorkers - busyWorkers,
      pendingTasks: this.#settings.queue.size(),
      activeTasks: busyWorkers,
    }
  }

  /**
   * Rejects the tasks that wait, and ends the threads: when their tasks are over, or with `force` at once. Rejects if
   * that takes longer than `timeout` ms.
   */
  async terminate(force: boolean = false, timeout?: number): Promise<void> {
    const { queue } = this.#settings
    while (queue.size() > 0) {
      const task = queue.pop() as ExecutedTask | undefined
      if (task === undefined) break
      task.fail(new Error("Pool terminated"))
    }
    queue.clear()
    const ends = Promise.all(this.#threads.map((thread) => this.#end(thread, force)))
    if (timeout === undefined || timeout === 0) await ends
    else await within(timeout, ends)
  }

  async #end(thread: PoolThread, force: boolean): Promise<void> {
    await thread.end(force, () => new TerminateError())
    if (this.#remove(thread)) this.#tellEnd(thread)
  }

  // ------------------------------------------------------------------ inside

  /** Gives waiting tasks to threads, as long as there are both. */
  #next(): void {
    const { queue } = this.#settings
    while (queue.size() > 0) {
      let thread: PoolThread | undefined
      let failure: { readonly reason: unknown } | undefined
      try {
        thread = this.#freeThread()
      } catch (reason) {
        failure = { reason } // of the hook, or its options
      }
      if (thread === undefined && failure === undefined) return
      let task: ExecutedTask | undefined
      do task = queue.pop() as ExecutedTask | undefined
      while (task?.isSettled === true) // it was cancelled while it waited
      if (task === undefined) return
      if (failure === undefined) thread?.run(task)
      else task.fail(failure.reason)
    }
  }

  #freeThread(): PoolThread | undefined {
    const free = this.#threads.find((thread) => thread.isFree)
    return free ?? (this.#threads.length < this.#settings.maxWorkers ? this.#addThread() : undefined)
  }

  #keepMinimum(): void {
    while (this.#threads.length < this.#settings.minWorkers) this.#addThread()
  }

  #addThread(): PoolThread {
    const { arg, onCreateWorker, workerTerminateTimeout } = this.#settings
    const given: PoolWorkerArg = { ...arg, ...onCreateWorker?.({ ...arg }) }
    const thread = new PoolThread(given, workerTerminateTimeout, {
      idle: () => this.#next(),
      gone: (gone, isBroken) => {
        this.#remove(gone)
        this.#tellEnd(gone)
        if (!isBroken) guarded(() => this.#keepMinimum()) // a script that cannot be loaded would fail again
        this.#next()
      },
    })
    this.#threads.push(thread)
    return thread
  }

  #remove(thread: PoolThread): boolean {
    const index = this.#threads.indexOf(thread)
    if (index >= 0) this.#threads.splice(index, 1)
    return index >= 0
  }

  #tellEnd({ arg }: PoolThread): void {
    const { onTerminateWorker } = this.#settings
    if (onTerminateWorker !== undefined) guarded(() => onTerminateWorker(arg))
  }
}

/** Waits for the ends, for at most that long. */
function within(ms: number, ends: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = runtime.startTimeout(() => reject(new PoolTimeoutError()), ms)
    void ends.finally(() => runtime.stopTimeout(timer)).then(() => resolve(), reject)
  })
}

/**
 * A drop-in for workerpool.
 *
 * @example
 * ```ts
 * import { workerpool } from "corepool/compat"
 *
 * const pool = workerpool.pool({ maxWorkers: 2 })
 * console.log(await pool.exec((a: number, b: number) => a + b, [3, 4])) // => 7
 * await pool.terminate()
 * ```
 */
export interface Workerpool {
  /** Makes a pool, with a script that registers methods or without. */
  pool(script?: WorkerpoolOptions | string, options?: WorkerpoolOptions): WorkerPool
  /** Called by a script: registers its methods. */
  readonly worker: typeof register
  /** Called by a method: sends an event to the listener `on` of its task. */
  readonly workerEmit: typeof emit
  /** See {@link Transfer}. */
  readonly Transfer: typeof Transfer
  /** See {@link PoolPromise}. */
  readonly Promise: typeof PoolPromise
  /** See {@link TerminateError}. */
  readonly TerminateError: typeof TerminateError
  /** Whether this thread is none of a pool. */
  readonly isMainThread: boolean
  /** How many threads the machine can run at once. */
  readonly cpus: number
}

/** A drop-in for workerpool: `workerpool.pool(script)`, and in the script `workerpool.worker(methods)`. */
export const workerpool: Workerpool = {
  pool: (script, options) => new WorkerPool(script, options),
  worker: register,
  workerEmit: emit,
  Transfer,
  Promise: PoolPromise,
  TerminateError,
  get isMainThread() {
    return !thisThread.isWorker
  },
  get cpus() {
    return availableParallelism()
  },
}
