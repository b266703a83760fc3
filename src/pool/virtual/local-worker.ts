import { FLOW, REPORT_UNCAUGHT } from "../../memory/flow/internals.ts"
import type { Flow, StopWatch } from "../../memory/flow/flow.ts"
import { type ThreadInfo, threadInfoOf } from "../../observing.ts"
import type { Thread } from "../../thread/thread.ts"
import type { PoolState } from "../../core/pool-state.ts"
import type { Worker } from "../../core/worker.ts"

/** A worker whose thread is a flow of this event loop. */
export class LocalWorker<R> implements Worker<R> {
  readonly #state: PoolState
  /** The host sets it before it uses the worker. */
  thread!: Thread
  overstay: StopWatch | undefined = undefined
  #task: R | undefined
  #info: ThreadInfo | undefined

  constructor(state: PoolState, firstTask: R | undefined) {
    this.#state = state
    if (firstTask !== undefined) this.accept(firstTask)
  }

  /** The thread, as events name it. */
  get info(): ThreadInfo {
    return (this.#info ??= threadInfoOf(this.thread))
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
   * it, and the thread then counts as ended. A busy worker has to stop its task, whatever the reason.
   */
  interrupt(): void {
    this.flow.stop()
  }

  reportUncaught(error: unknown): void {
    this.thread[REPORT_UNCAUGHT](error)
  }
}
