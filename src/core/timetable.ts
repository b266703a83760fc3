import { atLeast, STOP } from "./control-word.ts"
import type { Recorder } from "../memory/structures/histogram.ts"
import type { PoolState } from "./pool-state.ts"
import type { PoolTimes } from "./pool-times.ts"

/** Policies; none of them is set at first. */
export const GO_ON_WITH_PERIODIC = 1
export const DROP_DELAYED = 2
export const REMOVE_CANCELLED = 4

/**
 * The period of a task that runs once, and is one run of many all the same: its submitter keeps the series, and will
 * bring the next run itself. No period of a user's is that.
 */
export const OF_A_SERIES: number = NaN

/** Whether a task with this period goes back into the queue after a run. */
export function repeats(period: number): boolean {
  return period !== 0 && !Number.isNaN(period)
}

/** What there is to know of a task, and to do with one. Times are in ms, on the clock of {@link TimedTasks.now}. */
export interface TimedTasks<R> {
  now(): number
  timeOf(task: R): number
  setTime(task: R, time: number): void
  /**
   * 0 if it runs once; else in ms: positive from start to start, negative from the end to the next start. Or {@link
   * OF_A_SERIES}.
   */
  periodOf(task: R): number
  isCancelled(task: R): boolean
  /** The task is in nobody's hands, and will not run. */
  cancel(task: R): void
}

/** Where they wait. */
export interface TimedQueue<R> {
  add(task: R): void
  remove(task: R): boolean
  toArray(): R[]
}

/** The pool that runs them. */
export interface TimedPool<R> {
  reject(task: R): void
  ensureWorker(): void
  tryTerminate(): void
  /** A factory has thrown, in a thread that has to go on. */
  reportUncaught(error: unknown): void
}

/**
 * What a pool does with tasks that have times: whether one may run, whether it runs again, and what becomes of those
 * that wait when the pool is shut down. As the rest of a pool's algorithms it knows a task as a reference `R` only: on
 * virtual threads that is the task itself, on platform threads the number of a slot, and every worker has this same
 * object over the same memory.
 *
 * The life of a periodic task:
 *
 *     waiting -> running   a thread took it from the queue when it was due
 *     running -> waiting   the run ended well: a new time, and back into the queue
 *     running -> done      the run failed, or the task was cancelled meanwhile
 *     waiting -> done      cancelled; it stays in the queue unless it is removed
 *
 * It goes back into the queue only when its run is over, promise and all. So runs of one task never overlap, and
 * nothing has to see to that.
 */
export class Timetable<R> {
  readonly #state: PoolState
  readonly #tasks: TimedTasks<R>
  readonly #queue: TimedQueue<R>
  readonly #pool: TimedPool<R>
  readonly #lateness: Recorder

  constructor(
    state: PoolState,
    { lateness }: PoolTimes,
    tasks: TimedTasks<R>,
    queue: TimedQueue<R>,
    pool: TimedPool<R>,
  ) {
    this.#state = state
    this.#lateness = lateness
    this.#tasks = tasks
    this.#queue = queue
    this.#pool = pool
  }

  /**
   * The thread comes before the task: if the factory throws, nothing was accepted. The task is looked at again after
   * it was added, since the pool may have been shut down, by another thread or by the factory, which is the user's.
   */
  admit(task: R): void {
    if (!this.#state.control.isRunning) {
      this.#pool.reject(task)
      return
    }
    this.#pool.ensureWorker()
    this.#queue.add(task)
    if (this.mayRun(task) || !this.#queue.remove(task)) return
    this.#tasks.cancel(task)
    this.#pool.tryTerminate()
  }

  /** A thread has taken the task: whether it may run, and if so, it is noted how late it begins. */
  begin(task: R): boolean {
    if (!this.mayRun(task)) return false
    this.#lateness.record(this.#tasks.now() - this.#tasks.timeOf(task))
    return true
  }

  /** Whether the state of the pool, and what it does after shutdown, lets the task run. */
  mayRun(task: R): boolean {
    const { control } = this.#state
    if (control.isRunning) return true
    if (atLeast(control.snapshot, STOP)) return false
    if (this.#tasks.periodOf(task) !== 0) return this.#state.hasPolicy(GO_ON_WITH_PERIODIC)
    return !this.#state.hasPolicy(DROP_DELAYED) || this.#tasks.timeOf(task) <= this.#tasks.now()
  }

  /** A run of a periodic task has ended well; the task is in nobody's hands. */
  goOn(task: R): void {
    const period = this.#tasks.periodOf(task)
    this.#tasks.setTime(task, period > 0 ? this.#tasks.timeOf(task) + period : this.#tasks.now() - period)
    this.requeue(task)
  }

  /**
   * A series goes on with this: unlike {@link admit} it asks whether series may, and not whether anything new is taken.
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
      // While it was in no queue it could not be removed from one.
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
   * The pool is shut down, or a policy has changed since: cancels what may not run, and lets go of what is cancelled.
   */
  dropUnwanted(): void {
    for (const task of this.#queue.toArray()) {
      if (this.mayRun(task) && !this.#tasks.isCancelled(task)) continue
      if (this.#queue.remove(task)) this.#tasks.cancel(task)
    }
    this.#pool.tryTerminate()
  }
}
