import { RejectedExecutionError } from "../errors.ts"
import { guarded, type Report, uncaught } from "../memory/flow/guard.ts"
import { atLeast, countIn, isPaused, MOST_WORKERS, SHUTDOWN, type Snapshot, STOP, TIDYING } from "./control-word.ts"
import type { Admission, WorkQueue } from "./pool-host.ts"
import { EAGER, PACED, type PoolState } from "./pool-state.ts"
import type { WorkerTable, Worker } from "./worker.ts"
import type { WorkerExits } from "./worker-loop.ts"

/** Which limit a new worker counts against. */
type Bound = "core" | "maximum"

/**
 * The algorithms of a thread pool: which tasks are admitted, which workers are replaced, and when the pool ends.
 * worker-loop.ts has what a worker does in between.
 *
 * The core knows no objects of user code: a task is a reference `R`, and pool-host.ts says what must be done with one.
 * On virtual threads `R` is the Runnable itself, and all workers share a heap. On platform threads `R` is a slot
 * number, and every worker builds these same classes over the same block of memory. docs/design/pool.md says which part
 * runs where.
 */
export class PoolCore<R> implements WorkerExits<R> {
  readonly #state: PoolState
  readonly #queue: WorkQueue<R>
  readonly #admission: Admission<R>
  readonly #workers: WorkerTable<R>
  #isRelieving = false
  /** Whether the factory threw at its last call. A factory that returned no thread has refused: that is no failure. */
  #hasFactoryThrown = false
  #isClosing = false

  constructor(state: PoolState, queue: WorkQueue<R>, admission: Admission<R>, workers: WorkerTable<R>) {
    this.#state = state
    this.#queue = queue
    this.#admission = admission
    this.#workers = workers
  }

  // ------------------------------------------------------------------ admission

  /**
   * Admits a task. False if the pool does not take it: then the caller gives it to the rejection handler.
   *
   * 1. Fewer workers than the core size: starts one for this task, even if others are idle.
   * 2. Else queues it. Then looks again: another thread may have shut the pool down meanwhile (takes the task back and
   *    refuses it), or the last worker may have left (starts one for the queue).
   * 3. The queue is full: starts a worker up to the maximum size for this task, which thus overtakes the queued ones.
   *    Else refuses it.
   *
   * If the pool grows eagerly, step 2 also starts a worker up to the maximum size, unless the idle ones suffice for all
   * that waits. The new worker takes its tasks from the queue: so no task overtakes another, and a worker that becomes
   * free before the new thread has begun takes the task. A virtual thread begins at once, and gets the task itself if
   * no other waits: so the task takes no place in a queue with a bound.
   *
   * If the pool has a rate limiter, every task is queued, because it waits for the limiter there and not in the hand
   * of a worker. So step 1 queues the task and then starts a worker, and step 3 refuses it.
   *
   * While the pool is paused, a task is queued even if there are fewer workers than the core size: see {@link resume}.
   */
  admit(task: R): boolean {
    const { control } = this.#state
    const hasPolicies = this.#state.hasPolicy(PACED | EAGER)
    const isPaced = hasPolicies && this.#state.hasPolicy(PACED)
    const isEager = hasPolicies && this.#state.hasPolicy(EAGER)
    let seen = control.snapshot
    if (!isPaced && countIn(seen) < this.#state.corePoolSize && !isPaused(seen)) {
      if (this.addWorker("core", task)) return true
      seen = control.snapshot
    }
    if (!isPaced && isEager && this.#beginsAtOnce) {
      if (this.addWorker("maximum", task)) return true
      seen = control.snapshot
    }
    if (seen >= SHUTDOWN || !this.#queue.offer(task)) return !isPaced && this.addWorker("maximum", task)
    seen = control.snapshot // of now that the task is in the queue
    if (seen >= SHUTDOWN) {
      if (this.#takeBack(task)) return false
      seen = control.snapshot
    }
    const workerCount = countIn(seen)
    if (workerCount === 0) this.addWorker("maximum")
    else if (isPaced && workerCount < this.#state.corePoolSize) this.#growFor(task, "core")
    else if (isEager) this.#growFor(task, "maximum")
    return true
  }

  /** Whether a new worker could begin a task now that no idle worker could. */
  get #beginsAtOnce(): boolean {
    const { control, activeCount } = this.#state
    const seen = control.snapshot
    if (this.#admission.hasIdleWorkers !== undefined || isPaused(seen)) return false
    return this.#queue.isEmpty && countIn(seen) <= activeCount
  }

  /** The task was queued. If the factory throws now, the task is not accepted, unless a worker has it already. */
  #growFor(task: R, bound: Bound): void {
    if (bound === "core" ? isPaused(this.#state.control.snapshot) : !this.#isWanting) return
    try {
      this.addWorker(bound)
    } catch (error) {
      if (this.#takeBack(task)) throw error
      uncaught(error)
    }
  }

  /** Whether more tasks wait than there are idle workers, although there may be more workers. */
  get #isWanting(): boolean {
    const seen = this.#state.control.snapshot
    if (this.#queue.isEmpty || isPaused(seen) || countIn(seen) >= this.#state.maximumPoolSize) return false
    const { hasIdleWorkers } = this.#admission
    return !(hasIdleWorkers?.() ?? countIn(seen) - this.#state.activeCount >= this.#queue.size)
  }

  /** Starts workers for what waits: up to the core size, or up to the maximum size if the pool grows eagerly. */
  grow(): void {
    const { control, corePoolSize } = this.#state
    const wanted = Math.min(corePoolSize - control.workerCount, this.#queue.size)
    for (let i = 0; i < wanted; i++) if (!this.addWorker("core") || this.#queue.isEmpty) return
    if (this.#state.hasPolicy(EAGER)) while (this.#isWanting && this.addWorker("maximum"));
  }

  /** Not if a rate limiter holds the tasks back: a new worker would find no task, leave, and be replaced again. */
  #growEagerly(): void {
    if (this.#state.hasPolicy(EAGER) && !this.#state.hasPolicy(PACED)) this.grow()
  }

  /**
   * Starts a worker, with its first task if there is one. False if the pool's state or size forbids it, or the factory
   * refuses; an error of the factory is thrown to the caller. The worker is counted before its thread is made, and
   * uncounted if that fails.
   */
  addWorker(bound: Bound, firstTask?: R): boolean {
    if (!this.#mayAdd(this.#state.control.snapshot, bound, firstTask)) return false
    let worker = this.#admission.enlist?.(firstTask)
    if (!this.#reserve(bound, firstTask)) {
      if (worker !== undefined) {
        this.#discard(worker)
        this.tryTerminate() // another thread may have thought that this worker would do so
      }
      return false
    }
    let started = false
    try {
      this.#hasFactoryThrown = true
      worker ??= this.#admission.newWorker(firstTask)
      if (worker !== undefined && this.#mayStart(firstTask)) {
        this.#workers.add(worker)
        worker.start()
        this.#state.notePoolSize(this.#workers.size)
        started = true
      }
      this.#hasFactoryThrown = false
    } finally {
      if (!started) this.#unreserve(worker)
    }
    return started
  }

  #reserve(bound: Bound, firstTask: R | undefined): boolean {
    for (;;) {
      const seen = this.#state.control.snapshot
      if (!this.#mayAdd(seen, bound, firstTask)) return false
      if (this.#state.control.tryAddWorker(seen)) return true
    }
  }

  #mayAdd(seen: Snapshot, bound: Bound, firstTask: R | undefined): boolean {
    // A pool that is shutting down still gets workers for its queued tasks, for nothing else.
    if (atLeast(seen, SHUTDOWN) && (atLeast(seen, STOP) || firstTask !== undefined || this.#queue.isEmpty)) return false
    const limit = bound === "core" ? this.#state.corePoolSize : this.#state.maximumPoolSize
    return countIn(seen) < Math.min(limit, MOST_WORKERS)
  }

  /**
   * Looks again before the worker is started: the factory, which is user code, or another thread may have shut the
   * pool down.
   */
  #mayStart(firstTask: R | undefined): boolean {
    const seen = this.#state.control.snapshot
    return !atLeast(seen, SHUTDOWN) || (!atLeast(seen, STOP) && firstTask === undefined)
  }

  #unreserve(worker: Worker<R> | undefined): void {
    this.#state.control.removeWorker()
    if (worker !== undefined) this.#discard(worker)
    this.tryTerminate()
  }

  #discard(worker: Worker<R>): void {
    worker.release()
    this.#workers.delete(worker)
  }

  /** Makes sure that a worker will look at the queue; starts one if there are fewer than the core size. */
  ensureWorker(): void {
    const count = this.#state.control.workerCount
    if (count < this.#state.corePoolSize) this.addWorker("core")
    else if (count === 0) this.addWorker("maximum")
    else this.#growEagerly()
  }

  /** Takes a task back from the queue; true if it was there. */
  remove(task: R): boolean {
    const removed = this.#queue.remove(task)
    this.tryTerminate() // termination may have waited for this task only
    return removed
  }

  #takeBack(task: R): boolean {
    if (this.#queue.takeBack === undefined) return this.remove(task)
    const removed = this.#queue.takeBack(task)
    this.tryTerminate()
    return removed
  }

  // ------------------------------------------------------------------ workers

  left(worker: Worker<R>): void {
    this.#workers.delete(worker, true)
  }

  ended(worker: Worker<R>, died: boolean, isSpent?: boolean): void {
    try {
      this.workerExit(worker, died, isSpent)
    } finally {
      this.relieve((error) => worker.reportUncaught(error))
    }
  }

  /**
   * Called at the end of a worker. A worker that a task killed is replaced, and so is one that is spent while tasks
   * wait. Another worker that left is replaced only if the pool would otherwise be too small for its queue: an eager
   * pool, too small for the tasks that were queued while that worker still counted as idle. [GE14]
   */
  workerExit(worker: Worker<R>, died: boolean, isSpent = false): void {
    const { control } = this.#state
    if (died) {
      worker.countsDown?.(true)
      control.removeWorker()
    }
    this.#workers.delete(worker)
    this.tryTerminate()
    if (atLeast(control.snapshot, STOP)) return
    if (!died) {
      const core = this.#state.allowCoreThreadTimeOut ? 0 : this.#state.corePoolSize
      const needed = Math.max(core, this.#queue.isEmpty ? 0 : 1)
      if (control.workerCount >= needed && (!isSpent || this.#queue.isEmpty)) {
        this.#growEagerly()
        return
      }
    }
    this.addWorker("maximum")
  }

  /** Notes that the factory threw in a call that {@link addWorker} did not make. */
  noteFactoryThrew(): void {
    this.#hasFactoryThrown = true
  }

  /** The pool is being closed: its caller waits for the end, so no task may wait for a thread that will not come. */
  closing(): void {
    this.#isClosing = true
  }

  /**
   * Helps tasks that wait while the pool has no thread, because the factory threw when the last thread was to be
   * replaced: no thread would ever look at them. Asks the factory once more; if it fails again, the tasks fail. Called
   * after a thread has ended, and when the pool is shut down. Does nothing in threads that make no threads. [TP118]
   *
   * If the factory has refused by returning null, the tasks go on waiting for the thread of a later task, as in Java;
   * but not if the pool is closed. [TP26]
   */
  relieve(report: Report): void {
    if (this.#admission.failWaiting === undefined || this.#isRelieving || !this.#isStranded) return
    if (!this.#hasFactoryThrown && !this.#isClosing) return
    this.#isRelieving = true // the factory is user code, and may call the pool
    const errors: unknown[] = []
    guarded(
      () => this.addWorker("maximum"),
      (error) => errors.push(error),
    )
    this.#isRelieving = false
    if (this.#isStranded && (errors.length > 0 || this.#isClosing)) {
      const why = "The pool has no thread, and its thread factory failed to make one"
      const options = errors.length === 0 ? undefined : { cause: errors[0] }
      this.#admission.failWaiting(new RejectedExecutionError(why, undefined, options), report)
    } else for (const error of errors) report(error)
    guarded(() => this.tryTerminate(), report)
  }

  get #isStranded(): boolean {
    const seen = this.#state.control.snapshot
    return countIn(seen) === 0 && !atLeast(seen, STOP) && !this.#queue.isEmpty
  }

  // ------------------------------------------------------------------ pause

  /**
   * No worker begins a task any more. Idle workers move to the gate, so that no task is handed to them; should this
   * thread die before they have, a worker keeps the task that it was handed, and waits with it at the gate.
   */
  pause(): void {
    if (this.#state.control.setPaused(true)) this.interruptIdleWorkers()
  }

  /** Lets workers go on, and starts those that were not started for the tasks that were queued meanwhile. */
  resume(): void {
    if (this.#state.control.setPaused(false)) this.resumed()
  }

  /** The second half of {@link resume}. */
  resumed(): void {
    this.#state.gate.open()
    this.#queue.lookAgain?.()
    this.grow()
  }

  // ------------------------------------------------------------------ interruption and termination

  /** Makes idle workers look again at the pool's state and sizes. */
  interruptIdleWorkers(onlyOne = false): void {
    for (const worker of [...this.#workers]) {
      if (worker.isBusy || worker.isInterrupted) continue
      worker.interrupt()
      if (onlyOne) return
    }
  }

  interruptWorkers(): void {
    for (const worker of [...this.#workers]) worker.interrupt()
  }

  /**
   * Ends the pool if nothing is left to do. Called after each event that termination may wait for: a worker's exit, a
   * failed start, a removal, a shutdown. If idle workers remain, wakes one of them; that worker leaves, calls this
   * again and so wakes the next.
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
      if (this.#admission.mayEnd?.(this.#queue.isEmpty) === false) return
      if (!control.tryTidy(seen)) continue
      this.#admission.endPool()
      return
    }
  }
}
