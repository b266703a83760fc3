import { atLeast, STOP } from "./control-word.ts"
import type { Recorder } from "../memory/structures/histogram.ts"
import type { PoolState } from "./pool-state.ts"
import type { PoolTimes } from "./pool-times.ts"
import { GO_ON_WITH_PERIODIC, DROP_DELAYED, REMOVE_CANCELLED, OF_A_SERIES } from "./series.ts"

/** What the timetable asks of tasks, and does to them. Times are in ms, on the clock of {@link TimedTasks.now}. */
export interface TimedTasks<R> {
  now(): number
  timeOf(task: R): number
  setTime(task: R, time: number): void
  /**
   * 0 for a task that runs once; else a period in ms: positive from start to start, negative from the end of a run to
   * the next start. Or {@link OF_A_SERIES}.
   */
  periodOf(task: R): number
  isCancelled(task: R): boolean
  /** Cancels a task that is in no queue, that no thread runs, and that will not run. */
  cancel(task: R): void
}

/** The queue in which tasks with times wait. */
export interface TimedQueue<R> {
  add(task: R): void
  remove(task: R): boolean
  toArray(): R[]
}

/** The pool that runs tasks with times. */
export interface TimedPool {
  ensureWorker(): void
  tryTerminate(): void
  /** Reports an error of the factory, thrown in a thread that has to go on. */
  reportUncaught(error: unknown): void
}

/**
 * Decides about a pool's tasks with times: whether a task may run, whether it runs again, and which waiting tasks are
 * cancelled when the pool is shut down. Like the rest of the core it knows a task as a reference `R` only: on virtual
 * threads that is the task itself, on platform threads the number of a slot, and every worker has a timetable over the
 * same memory.
 *
 * The life of a periodic task:
 *
 *     waiting -> running   a thread took it from the queue when it was due
 *     running -> waiting   the run ended well: a new time, and back into the queue
 *     running -> done      the run failed, or the task was cancelled meanwhile
 *     waiting -> done      cancelled; it stays in the queue unless it is removed
 *
 * A task goes back into the queue only when its run is over, including the promise it returned. So runs of one task
 * never overlap, without any further check.
 */
export class Timetable<R> {
  readonly #state: PoolState
  readonly #tasks: TimedTasks<R>
  readonly #queue: TimedQueue<R>
  readonly #pool: TimedPool
  readonly #lateness: Recorder

  constructor(state: PoolState, { lateness }: PoolTimes, tasks: TimedTasks<R>, queue: TimedQueue<R>, pool: TimedPool) {
    this.#state = state
    this.#lateness = lateness
    this.#tasks = tasks
    this.#queue = queue
    this.#pool = pool
  }

  /**
   * Admits a task. False if the pool is shut down: then the caller gives it to the rejection handler.
   *
   * Starts a worker, if one is missing, before it queues the task: if the factory throws, no task was accepted. Checks
   * again after the task was added, since another thread, or the factory, which is user code, may have shut the pool
   * down.
   */
  admit(task: R): boolean {
    if (!this.#state.control.isRunning) return false
    this.#pool.ensureWorker()
    this.#queue.add(task)
    if (this.mayRun(task) || !this.#queue.remove(task)) return true
    this.#tasks.cancel(task)
    this.#pool.tryTerminate()
    return true
  }

  /** Called by a thread that has taken the task. Whether the task may run; if so, records how late it begins. */
  begin(task: R): boolean {
    if (!this.mayRun(task)) return false
    const lateness = this.#tasks.now() - this.#tasks.timeOf(task)
    this.#lateness.record(lateness)
    const period = this.#tasks.periodOf(task)
    if (period > 0 && lateness >= period) this.#state.missed.increment()
    return true
  }

  /** Whether the state of the pool, and its policies after shutdown, let the task run. */
  mayRun(task: R): boolean {
    const { control } = this.#state
    if (control.isRunning) return true
    if (atLeast(control.snapshot, STOP)) return false
    if (this.#tasks.periodOf(task) !== 0) return this.#state.hasPolicy(GO_ON_WITH_PERIODIC)
    return !this.#state.hasPolicy(DROP_DELAYED) || this.#tasks.timeOf(task) <= this.#tasks.now()
  }

  /**
   * Queues a periodic task again whose run has ended well. Called while the task is in no queue and no thread runs it.
   */
  goOn(task: R): void {
    const period = this.#tasks.periodOf(task)
    this.#tasks.setTime(task, period > 0 ? this.#tasks.timeOf(task) + period : this.#tasks.now() - period)
    this.requeue(task)
  }

  /**
   * Queues the next run of a series. Unlike {@link admit} it asks whether a series may go on, and not whether the pool
   * accepts new tasks.
   */
  requeue(task: R): void {
    if (!this.mayRun(task)) {
      this.#tasks.cancel(task)
      return
    }
    this.#queue.add(task)
    if (!this.mayRun(task) && this.#queue.remove(task)) {
      this.#tasks.cancel(task)
      return
    }
    if (this.#state.hasPolicy(REMOVE_CANCELLED) && this.#tasks.isCancelled(task)) {
      // While the task was in no queue, cancel() could not remove it from one.
      if (this.#queue.remove(task)) this.#tasks.cancel(task)
      return
    }
    try {
      this.#pool.ensureWorker()
    } catch (error) {
      this.#pool.reportUncaught(error)
    }
  }

  /**
   * Called after a shutdown, or when a policy has changed since: cancels tasks that may not run, removes cancelled
   * ones.
   */
  dropUnwanted(): void {
    for (const task of this.#queue.toArray()) {
      if (this.mayRun(task) && !this.#tasks.isCancelled(task)) continue
      if (this.#queue.remove(task)) this.#tasks.cancel(task)
    }
    this.#pool.tryTerminate()
  }
}
