/**
 * The algorithms of a thread pool: admission, the worker loop, termination. They know no JavaScript objects of the
 * user's: a task is a reference `R`, and what must be done with one is asked of a `PoolHost`. On virtual threads `R`
 * is the Runnable itself and host and workers share a heap; on platform threads `R` is a slot number and this same
 * class is built in every worker over the same block of memory. docs/design/pool.md says which part runs where.
 *
 * The loop waits only by asking the queue to deliver a task (`receive`), which parks the worker's flow.
 */
import { InterruptedError } from "../errors.ts"
import type { Settle } from "../memory/waiting.ts"
import { nextTurn, turnIsOver } from "../thread/turn.ts"
import { atLeast, countIn, MOST_WORKERS, SHUTDOWN, type Snapshot, STOP, TIDYING } from "./control-word.ts"
import type { PoolHost, WorkQueue } from "./pool-host.ts"
import type { PoolState } from "./pool-state.ts"
import { Worker } from "./worker.ts"

/** Which limit a new worker counts against. */
type Bound = "core" | "maximum"

export class PoolCore<R> {
  readonly #state: PoolState
  readonly #queue: WorkQueue<R>
  readonly #host: PoolHost<R>
  readonly #workers = new Set<Worker<R>>()

  constructor(state: PoolState, queue: WorkQueue<R>, host: PoolHost<R>) {
    this.#state = state
    this.#queue = queue
    this.#host = host
  }

  get workers(): ReadonlySet<Worker<R>> {
    return this.#workers
  }

  // ------------------------------------------------------------------ admission

  /**
   * 1. Fewer workers than the core size: start one for this task, even if others are idle.
   * 2. Else queue it. Then look again: the pool may have been shut down meanwhile (take the task back and refuse it), or
   *    its last worker may have left (start one for the queue).
   * 3. The queue is full: start a worker up to the maximum size for this task, which thus overtakes the queued ones.
   *    Else refuse it.
   */
  execute(task: R): void {
    const control = this.#state.control
    if (control.workerCount < this.#state.corePoolSize && this.addWorker("core", task)) return
    if (control.isRunning && this.#queue.offer(task)) {
      if (!control.isRunning && this.remove(task)) this.#host.reject(task)
      else if (control.workerCount === 0) this.addWorker("maximum")
      return
    }
    if (!this.addWorker("maximum", task)) this.#host.reject(task)
  }

  /**
   * Starts a worker, with its first task if there is one. False if the pool's state or size forbids it, or the
   * factory refuses; a factory that throws lets its error through. The worker is counted before its thread is made,
   * and uncounted if that fails.
   */
  addWorker(bound: Bound, firstTask?: R): boolean {
    if (!this.#reserve(bound, firstTask)) return false
    const worker = new Worker(this.#state, firstTask)
    let started = false
    try {
      if (this.#host.newThread(worker) && this.#mayStart(firstTask)) {
        this.#workers.add(worker)
        worker.thread.start()
        this.#state.notePoolSize(this.#workers.size)
        started = true
      }
    } finally {
      if (!started) this.#unreserve(worker)
    }
    return started
  }

  #reserve(bound: Bound, firstTask: R | undefined): boolean {
    for (;;) {
      const seen = this.#state.control.snapshot
      // A pool that is shutting down still gets workers for what is queued, for nothing else.
      if (atLeast(seen, SHUTDOWN) && (atLeast(seen, STOP) || firstTask !== undefined || this.#queue.isEmpty))
        return false
      const limit = bound === "core" ? this.#state.corePoolSize : this.#state.maximumPoolSize
      if (countIn(seen) >= Math.min(limit, MOST_WORKERS)) return false
      if (this.#state.control.tryAddWorker(seen)) return true
    }
  }

  /** The factory ran user code, or another thread shut the pool down: look again before the worker counts for good. */
  #mayStart(firstTask: R | undefined): boolean {
    const seen = this.#state.control.snapshot
    return !atLeast(seen, SHUTDOWN) || (!atLeast(seen, STOP) && firstTask === undefined)
  }

  #unreserve(worker: Worker<R>): void {
    worker.release()
    this.#workers.delete(worker)
    this.#state.control.removeWorker()
    this.tryTerminate()
  }

  /** Makes sure that somebody will look at the queue, up to the core size. */
  ensureWorker(): void {
    const count = this.#state.control.workerCount
    if (count < this.#state.corePoolSize) this.addWorker("core")
    else if (count === 0) this.addWorker("maximum")
  }

  /** Takes a task back from the queue; true if it was there. */
  remove(task: R): boolean {
    const removed = this.#queue.remove(task)
    this.tryTerminate() // it may have been the last thing to wait for
    return removed
  }

  // ------------------------------------------------------------------ the worker loop

  /** A worker's life: its first task, then whatever the queue gives, until it must leave or a task kills it. */
  async run(worker: Worker<R>): Promise<void> {
    let died = true
    try {
      // Also here: if every task kills its worker, no worker ever gets to the end of this loop.
      if (worker.task === undefined && turnIsOver()) await nextTurn()
      for (;;) {
        if (worker.task === undefined) {
          const got = this.#getTask(worker)
          if (!(typeof got === "boolean" ? got : await got)) break
        }
        let task: R | undefined = worker.taskInHand
        this.#settleInterrupt(worker)
        try {
          this.#beforeExecute(worker, task)
          try {
            let pending = this.#host.begin(worker, task)
            if (pending !== undefined) {
              // Not `await` inside the call of complete(): an error of complete() itself is not the task's.
              let failed = false
              let outcome: unknown
              try {
                outcome = await pending
              } catch (error) {
                failed = true
                outcome = error
              }
              pending = undefined
              if (failed) this.#host.fail(task, outcome)
              else this.#host.complete(task, outcome)
              outcome = undefined
            }
            this.#host.afterExecute(task)
          } catch (error) {
            // Also when afterExecute itself threw: it is then called a second time, with its own error. [TP34]
            this.#host.afterExecute(task, error)
            throw error
          }
        } finally {
          worker.release()
          this.#state.completed.increment()
          task = undefined // as above with pending and outcome: a loop that waits would keep them in memory
        }
        if (turnIsOver()) await nextTurn()
      }
      died = false
    } finally {
      try {
        this.#workerExit(worker, died)
      } catch (error) {
        worker.thread.reportUncaught(error) // of the factory or terminated(); thrown, it would hide what killed the worker
      }
    }
  }

  /**
   * Once the pool has stopped, a task runs interrupted; before that it starts with a clear flag and a signal of its
   * own, whatever happened to the last one.
   */
  #settleInterrupt(worker: Worker<R>): void {
    if (atLeast(this.#state.control.snapshot, STOP)) worker.thread.flow.interrupt()
    else worker.thread.flow.renew()
  }

  #beforeExecute(worker: Worker<R>, task: R): void {
    try {
      this.#host.beforeExecute(worker, task)
    } catch (error) {
      this.#host.abandon(task, error)
      throw error
    }
  }

  /**
   * Gets the worker its next task: true if it has one now, false if it must leave, a promise of either if it has to
   * wait.
   */
  #getTask(worker: Worker<R>): boolean | Promise<boolean> {
    if (this.#leaves(worker, false)) return false
    const task = this.#queue.poll()
    if (task === undefined) return this.#waitForTask(worker)
    worker.accept(task)
    return true
  }

  async #waitForTask(worker: Worker<R>): Promise<boolean> {
    for (;;) {
      const timedOut = await this.#park(worker)
      if (worker.task !== undefined) return true
      if (this.#leaves(worker, timedOut)) return false
    }
  }

  /**
   * Whether a worker must leave; if so it is no longer counted, in the word and in the set alike. It must when the
   * pool has stopped, or is shut down and the queue is empty; when there are more than the maximum; or when it may
   * time out and did. But the last worker never leaves a queue with something in it.
   */
  #leaves(worker: Worker<R>, timedOut: boolean): boolean {
    const control = this.#state.control
    for (;;) {
      const seen = control.snapshot
      if (atLeast(seen, SHUTDOWN) && (atLeast(seen, STOP) || this.#queue.isEmpty)) {
        control.removeWorker()
        this.#workers.delete(worker)
        return true
      }
      const surplus = countIn(seen) > this.#state.maximumPoolSize || (timedOut && this.#mayTimeOut(seen))
      if (!surplus || (countIn(seen) === 1 && !this.#queue.isEmpty)) return false
      if (control.tryRemoveWorker(seen)) {
        this.#workers.delete(worker)
        return true
      }
    }
  }

  /** There are no "core workers": whichever is idle while there are more than the core size may go. */
  #mayTimeOut(seen: Snapshot): boolean {
    return this.#state.allowCoreThreadTimeOut || countIn(seen) > this.#state.corePoolSize
  }

  /**
   * Waits for a task, which then is in the worker's hand; true if the keep-alive time passed without one. An
   * interrupt just ends the wait.
   */
  #park(worker: Worker<R>): Promise<boolean> {
    const { flow } = worker.thread
    const timeout = this.#mayTimeOut(this.#state.control.snapshot) ? this.#state.keepAliveTime : Infinity
    return new Promise((resolve, reject) => {
      const settle: Settle<R | undefined> = {
        resolve(task) {
          flow.idle = false
          if (task !== undefined) worker.accept(task)
          resolve(task === undefined)
        },
        reject(error) {
          flow.idle = false
          if (error instanceof InterruptedError) resolve(false)
          else reject(error)
        },
      }
      flow.idle = this.#queue.isEmpty // a delay queue may hold what is not yet due: that is worth staying alive for
      this.#queue.receive(settle, flow, timeout)
    })
  }

  /**
   * The end of a worker. One that a task killed is replaced; one that left is only if the pool would otherwise be too
   * small for what is queued.
   */
  #workerExit(worker: Worker<R>, died: boolean): void {
    const { control } = this.#state
    worker.thread.flow.consumeInterrupt() // it was for a task, or to wake the worker: not for terminated()
    if (died) control.removeWorker()
    this.#workers.delete(worker)
    this.tryTerminate()
    if (atLeast(control.snapshot, STOP)) return
    if (!died) {
      const core = this.#state.allowCoreThreadTimeOut ? 0 : this.#state.corePoolSize
      const needed = Math.max(core, this.#queue.isEmpty ? 0 : 1)
      if (control.workerCount >= needed) return
    }
    this.addWorker("maximum")
  }

  // ------------------------------------------------------------------ interruption and termination

  /**
   * Makes idle workers look again at the pool's state and sizes. By their flows, not their threads: a factory may
   * wrap a worker's loop in a function that does not wait for it, and the thread then counts as ended.
   */
  interruptIdleWorkers(onlyOne = false): void {
    for (const worker of [...this.#workers]) {
      if (worker.isBusy || worker.thread.isInterrupted) continue
      worker.thread.flow.interrupt()
      if (onlyOne) return
    }
  }

  interruptWorkers(): void {
    for (const worker of [...this.#workers]) worker.thread.flow.interrupt()
  }

  /**
   * Ends the pool if nothing is left to do. Called wherever something that termination waits for may have been the
   * last: a worker's exit, a failed start, a removal, a shutdown. If idle workers remain, one is woken; as it leaves
   * it calls this again, and so the news travels.
   */
  tryTerminate(): void {
    const control = this.#state.control
    for (;;) {
      const seen = control.snapshot
      if (!atLeast(seen, SHUTDOWN) || atLeast(seen, TIDYING)) return
      if (!atLeast(seen, STOP) && !this.#queue.isEmpty) return
      if (countIn(seen) !== 0) {
        this.interruptIdleWorkers(true)
        return
      }
      if (!control.tryTidy(seen)) continue
      try {
        this.#host.terminated()
      } finally {
        control.terminate()
        this.#host.announceTermination()
      }
      return
    }
  }
}
