import { FLOW, REPORT_UNCAUGHT } from "../memory/flow/internals.ts"
import type { Flow } from "../memory/flow/flow.ts"
import type { Thread } from "../thread/thread.ts"
import type { PoolState } from "../core/pool-state.ts"
import type { Worker } from "../core/worker.ts"

/** A worker whose thread is a flow of this event loop. */
export class LocalWorker<R> implements Worker<R> {
  readonly #state: PoolState
  /** The host sets it before it uses the worker. */
  thread!: Thread
  #task: R | undefined

  constructor(state: PoolState, firstTask: R | undefined) {
    this.#state = state
    if (firstTask !== undefined) this.accept(firstTask)
  }

  get flow(): Flow {
    return this.thread[FLOW]
  }

  get task(): R | undefined {
    return this.#task
  }

  get currentTask(): R {
    return this.#task as R
  }

  get isBusy(): boolean {
    return this.#task !== undefined
  }

  get isInterrupted(): boolean {
    return this.thread.isInterrupted
  }

  accept(task: R): void {
    this.#task = task
    this.#state.workerBecameActive()
  }

  release(): void {
    if (this.#task === undefined) return
    this.#task = undefined
    this.#state.workerBecameIdle()
  }

  countCompleted(): void {
    this.#state.completed.increment()
  }

  start(): void {
    this.thread.start()
  }

  /**
   * Interrupts the flow and not the thread: a factory may wrap the worker's loop in a function that does not wait for
   * it, and the thread then counts as ended.
   */
  interrupt(): void {
    this.flow.interrupt()
  }

  reportUncaught(error: unknown): void {
    this.thread[REPORT_UNCAUGHT](error)
  }
}
