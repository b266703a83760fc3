import { runtime } from "#host/runtime/clock"
import { guarded } from "../../memory/flow/guard.ts"
import { VERSION } from "../../per-thread.ts"
import { thisThread } from "../in-thread/handlers-in-thread.ts"
import { urlOf } from "../in-thread/worker-thread.ts"
import { move, transferableSymbol, valueSymbol } from "../in-thread/movable.ts"
import {
  checkRunOptions,
  type PiscinaOptions,
  type PiscinaRunOptions,
  type PiscinaSettings,
  settingsOf,
} from "./piscina-options.ts"
import { type PiscinaThread, tellsEvents } from "./piscina-events.ts"
import { ArrayTaskQueue, FixedQueue, queueOptionsSymbol } from "./piscina-queues.ts"
import { PiscinaAbortError, RunningTask } from "./piscina-task.ts"
import { PiscinaThreads } from "./piscina-threads.ts"
import { type PiscinaTimes, RunTimes } from "./run-times.ts"

/** How long tasks waited and ran; see `Piscina.histogram`. */
export interface PiscinaHistogram {
  /** How long tasks ran; null if times are not recorded. */
  readonly runTime: PiscinaTimes | null
  /** How long tasks waited for a thread; null if times are not recorded. */
  readonly waitTime: PiscinaTimes | null
  /** Forgets how long tasks ran. */
  resetRunTime(): void
  /** Forgets how long tasks waited. */
  resetWaitTime(): void
}

/**
 * A drop-in for piscina: a pool of threads for the functions that a module exports.
 *
 * Each thread is a pool of corepool with one thread. This class keeps the queue, chooses the thread of each task, and
 * ends a thread whose task is aborted.
 *
 * @example
 * ```js
 * import { Piscina } from "corepool/compat"
 *
 * const piscina = new Piscina({ filename: new URL("./worker.mjs", import.meta.url).href })
 * console.log(await piscina.run({ a: 4, b: 6 }))
 * ```
 */
// oxlint-disable-next-line typescript/no-explicit-any -- as the shape has it: code that moves must compile
export class Piscina<T = any, R = any> extends tellsEvents {
  /** The class itself, for programs that import the default. */
  static readonly Piscina: typeof Piscina = Piscina
  /** The version of corepool. */
  static readonly version: string = VERSION
  /** See {@link FixedQueue}. */
  static readonly FixedQueue: typeof FixedQueue = FixedQueue
  /** See {@link ArrayTaskQueue}. */
  static readonly ArrayTaskQueue: typeof ArrayTaskQueue = ArrayTaskQueue
  /** See {@link move}. */
  static readonly move: typeof move = move
  /** See {@link transferableSymbol}. */
  static readonly transferableSymbol: typeof transferableSymbol = transferableSymbol
  /** See {@link valueSymbol}. */
  static readonly valueSymbol: typeof valueSymbol = valueSymbol
  /** See {@link queueOptionsSymbol}. */
  static readonly queueOptionsSymbol: typeof queueOptionsSymbol = queueOptionsSymbol

  /** Whether this thread is one of a Piscina. */
  static get isWorkerThread(): boolean {
    return thisThread.isWorker
  }

  /** The `workerData` of the Piscina to which this thread belongs. */
  static get workerData(): unknown {
    return thisThread.workerData
  }

  readonly #threads: PiscinaThreads
  readonly #began = runtime.now()

  /** @throws TypeError for wrong options. */
  constructor(options: PiscinaOptions = {}) {
    super()
    const settings = settingsOf(options)
    if (settings.workerData !== undefined) runtime.clone(settings.workerData) // throws if it cannot be sent
    this.#threads = new PiscinaThreads(settings, (event, ...args) => this.#tell(event, ...args))
  }

  /** Calls the function with this value in a thread. The promise of its result. */
  run(task: T, options: PiscinaRunOptions = {}): Promise<R> {
    try {
      return this.#run(task, options) as Promise<R>
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #run(value: unknown, options: unknown): Promise<unknown> {
    checkRunOptions(options)
    const filename = options.filename ?? this.options.filename
    if (filename === null) throw new Error("filename must be provided to run() or in options object")
    const place = { url: urlOf(filename), name: options.name ?? this.options.name }
    const task = new RunningTask(value, place, options.transferList ?? [], options.signal)
    if (this.#threads.isClosing) throw new PiscinaAbortError("queue is being terminated")
    if (task.isAborted) throw new PiscinaAbortError(task.reason)
    this.#threads.add(task)
    return task.promise
  }

  // ------------------------------------------------------------------ what it is like

  /** The settings, with all defaults. */
  get options(): PiscinaSettings {
    return this.#threads.settings
  }

  /** How many threads there are at least. */
  get minThreads(): number {
    return this.options.minThreads
  }

  /** How many threads there are at most. */
  get maxThreads(): number {
    return this.options.maxThreads
  }

  /** The workers of the runtime that are its threads now. */
  get threads(): PiscinaThread[] {
    return this.#threads.workers.map((worker) => worker.thread.runtimeThread as object as PiscinaThread)
  }

  /** How many threads have no task. */
  get idleThreads(): number {
    return this.#threads.workers.filter((worker) => worker.currentUsage === 0).length
  }

  /** How many tasks wait. */
  get queueSize(): number {
    return this.#threads.queueSize
  }

  /** How many tasks are over. */
  get completed(): number {
    return this.#threads.completed
  }

  /** Milliseconds since it was made. */
  get duration(): number {
    return runtime.now() - this.#began
  }

  /** Whether more tasks were given than its threads can have at once. */
  get needsDrain(): boolean {
    return this.#threads.needsDrain
  }

  /** Which share of the time of all possible threads has been spent on tasks, from 0 to 1. */
  get utilization(): number {
    return (this.#threads.runTimes?.total ?? 0) / (this.duration * this.options.maxThreads)
  }

  /** How long tasks ran; null if times are not recorded. */
  get runTime(): PiscinaTimes | null {
    return this.#threads.runTimes?.summary ?? null
  }

  /** How long tasks waited for a thread; null if times are not recorded. */
  get waitTime(): PiscinaTimes | null {
    return this.#threads.waitTimes?.summary ?? null
  }

  /** Both of these, and how to begin anew. */
  get histogram(): PiscinaHistogram {
    const summaries = { runTime: () => this.runTime, waitTime: () => this.waitTime }
    return {
      get runTime() {
        return summaries.runTime()
      },
      get waitTime() {
        return summaries.waitTime()
      },
      resetRunTime: () => void (this.#threads.runTimes &&= new RunTimes()),
      resetWaitTime: () => void (this.#threads.waitTimes &&= new RunTimes()),
    }
  }

  // ------------------------------------------------------------------ the end

  /** Ends all threads at once, and rejects the promises of all tasks. Settles when the threads have ended. */
  async destroy(): Promise<void> {
    this.#threads.isClosing = true
    const error = new Error("Terminating worker thread")
    for (const task of [...this.#threads.takeAll(), ...this.#threads.workers.flatMap((worker) => [...worker.tasks])])
      task.fail(error)
    const workers = this.#threads.workers.splice(0)
    const ends = workers.map((worker) => this.#threads.lose(worker))
    this.#threads.beQuiet()
    await Promise.all(ends)
  }

  /**
   * Waits until all tasks are over, and then ends the threads. With `force`, tasks that wait are rejected. Tasks that
   * are still there after `closeTimeout` are ended.
   */
  async close({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    this.#threads.isClosing = true
    if (force) for (const task of this.#threads.takeAll()) task.fail(new PiscinaAbortError("pool is closed"))
    if (await this.#threads.quiescence(this.options.closeTimeout)) {
      const workers = this.#threads.workers.splice(0)
      await Promise.all(workers.map((worker) => worker.end().then(() => this.#tell("workerDestroy", worker))))
    } else {
      this.#tell("error", new Error("Pool did not close in time"))
      await this.destroy()
    }
    this.#tell("close")
  }

  /** Closes it. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Closes it, and does not wait. */
  [Symbol.dispose](): void {
    void this.close()
  }

  #tell(event: string, ...args: unknown[]): void {
    guarded(() => this.emit(event, ...args))
  }
}

/** Whether this thread is one of a {@link Piscina}. */
export const isWorkerThread: boolean = thisThread.isWorker
/** The `workerData` of the {@link Piscina} to which this thread belongs. */
export const workerData: unknown = thisThread.workerData
