/** One worker of a pool: a thread and the task it has in hand. */
import type { Thread } from "../thread/thread.ts"
import type { PoolState } from "./pool-state.ts"

export class Worker<R> {
  readonly #state: PoolState
  #thread: Thread | undefined

  /**
   * The task in hand: given on admission, handed over by the queue, or polled. A worker with a task is busy from the
   * moment the task is its own, not from the moment it gets to run it, so that a task is at any time counted as
   * queued or as active.
   */
  #task: R | undefined

  constructor(state: PoolState, firstTask: R | undefined) {
    this.#state = state
    if (firstTask !== undefined) this.accept(firstTask)
  }

  get thread(): Thread {
    if (this.#thread === undefined) throw new Error("corepool: a worker was used before it had a thread")
    return this.#thread
  }

  set thread(thread: Thread) {
    this.#thread = thread
  }

  get task(): R | undefined {
    return this.#task
  }

  /** The same, for who knows that there is one. */
  get taskInHand(): R {
    return this.#task as R
  }

  /** A busy worker is interrupted only to stop its task, an idle one to make it look again. */
  get isBusy(): boolean {
    return this.#task !== undefined
  }

  accept(task: R): void {
    this.#task = task
    this.#state.workerBecameActive()
  }

  /** The task is over, whatever came of it. */
  release(): void {
    if (this.#task === undefined) return
    this.#task = undefined
    this.#state.workerBecameIdle()
  }
}
