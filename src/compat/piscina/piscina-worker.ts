import type { PlatformThreadOptions } from "../../thread/platform-threads.ts"
import type { Timeout } from "#host/runtime/clock"
import { runtime } from "#host/runtime/clock"
import type { RunningTask } from "./piscina-task.ts"
import { type PiscinaTimes, RunTimes } from "./run-times.ts"
import { WorkerThread, type WorkerThreadListener } from "../in-thread/worker-thread.ts"

/** A thread of a `Piscina`, as a load balancer sees it. */
export interface PiscinaWorker {
  /** Its number. */
  readonly id: number
  /** How many tasks it has. */
  readonly currentUsage: number
  /** Whether a task of it has a signal: it gets no other task meanwhile. */
  readonly isRunningAbortableTask: boolean
  /** How long its tasks ran, if `workerHistogram` is set; null otherwise. */
  readonly histogram: PiscinaTimes | null
  /** Whether it ends when its tasks are over. */
  readonly terminating: boolean
  /** Whether it was ended. */
  readonly destroyed: boolean
}

let workers = 0

/** The thread itself, with its tasks. */
export class PiscinaThread implements PiscinaWorker {
  readonly id: number = ++workers
  readonly tasks: Set<RunningTask> = new Set()
  readonly thread: WorkerThread
  readonly #times: RunTimes | undefined
  #idle: Timeout | undefined
  /** Whether listeners have got its `workerCreate`. */
  isKnown = false
  /** Whether it has begun, so that it can have tasks. */
  isReady = false
  terminating = false
  destroyed = false

  constructor(options: PlatformThreadOptions, isMeasured: boolean, listener: WorkerThreadListener) {
    this.thread = new WorkerThread(options, listener)
    this.#times = isMeasured ? new RunTimes() : undefined
  }

  get currentUsage(): number {
    return this.tasks.size
  }

  get isRunningAbortableTask(): boolean {
    for (const task of this.tasks) if (task.isAbortable) return true
    return false
  }

  get histogram(): PiscinaTimes | null {
    return this.#times?.summary ?? null
  }

  record(ms: number): void {
    this.#times?.record(ms)
  }

  /** Calls `leave` if it has no task for that long. */
  rest(ms: number, leave: () => void): void {
    this.wake()
    if (ms !== Infinity) this.#idle = runtime.startTimeout(leave, ms).unref()
  }

  wake(): void {
    runtime.stopTimeout(this.#idle)
  }

  stop(): Promise<void> {
    this.wake()
    this.destroyed = true
    return this.thread.stop()
  }

  async end(): Promise<void> {
    this.wake()
    this.terminating = true
    await this.thread.end()
    this.terminating = false
    this.destroyed = true
  }
}
