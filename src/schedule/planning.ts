import { Timetable, type TimedTasks } from "../core/timetable.ts"
import { CAPTURE, REMOTE_HANDLE, REMOTE_TASKS } from "../future/internals.ts"
import type { FutureTask } from "../future/future-task.ts"
import type { Runnable } from "../future/runnable.ts"
import { guarded, uncaught } from "../memory/flow/guard.ts"
import { observing, type PoolInfo } from "../observing.ts"
import type { PoolEngine } from "../pool/engine/pool-engine.ts"
import { type Clock, systemClock } from "../time/clock.ts"
import type { DelayedWorkCore, DelayedWorkQueue } from "./delayed-work-queue.ts"
import { EnclosedTask, type ScheduleHost, type ScheduledTask } from "./scheduled-task.ts"

type AnyTask = ScheduledTask<unknown>

/** The executor, as its planning sees it. */
export interface PlannedPool {
  readonly info: PoolInfo
  readonly engine: PoolEngine
  isShutdown(): boolean
  giveToEngine(task: Runnable): void
  reject(task: Runnable): void
  /** The user has cancelled the task. */
  cancelled(task: AnyTask): void
}

/** How a scheduled executor brings tasks to its queue. There are two ways, one for each kind of threads. */
export interface Planning extends ScheduleHost {
  /** By how many ms the clock of the thread that runs a task may be ahead of the clock of this thread. */
  readonly margin: number
  /** What the queue holds for a future that was given to `execute`. */
  enclose(future: FutureTask<unknown>): FutureTask<unknown>
  /** Queues a new task, or gives it to the rejection handler. */
  admit(task: FutureTask<unknown>): void
  /** Queues the next run of a series. */
  admitNext(run: AnyTask): void
  /** Cancels waiting tasks that may not run any more. */
  dropUnwanted(): void
}

/** For virtual threads: this thread keeps the timetable, and the queue holds the tasks themselves. */
export class LocalPlanning implements Planning {
  readonly clock: Clock
  readonly margin = 0
  readonly #core: DelayedWorkCore
  readonly #pool: PlannedPool
  readonly #timetable: Timetable<AnyTask>

  constructor(queue: DelayedWorkQueue, core: DelayedWorkCore, pool: PlannedPool) {
    const { engine } = pool
    this.clock = core.clock
    this.#core = core
    this.#pool = pool
    this.#timetable = new Timetable<AnyTask>(engine.state, engine.times, localTasks(core.clock), queue, {
      ensureWorker: () => engine.ensureWorker(),
      tryTerminate: () => engine.tryTerminate(),
      reportUncaught: uncaught,
    })
  }

  enclose(future: FutureTask<unknown>): AnyTask {
    return new EnclosedTask(future, this.clock.time(), this)
  }

  admit(task: FutureTask<unknown>): void {
    if (observing.by === undefined) this.#admit(task)
    else observing.by.submit(this.#pool.info, task, () => this.#admit(task))
  }

  #admit(task: FutureTask<unknown>): void {
    task[CAPTURE]()
    if (!this.#timetable.admit(task as AnyTask)) this.#pool.reject(task)
  }

  admitNext(run: AnyTask): void {
    run[CAPTURE]()
    this.#timetable.requeue(run)
  }

  dropUnwanted(): void {
    this.#timetable.dropUnwanted()
  }

  begin(task: AnyTask): boolean {
    return this.#timetable.begin(task)
  }

  goOn(task: AnyTask): void {
    this.#timetable.goOn(task)
  }

  cancelled(task: AnyTask): void {
    this.#pool.cancelled(task)
  }

  held(task: AnyTask): void {
    this.#core.held(task)
  }

  ended(task: AnyTask): void {
    this.#core.ended(task)
  }
}

/** For platform threads: each of them has a timetable over shared memory, in which the tasks wait. */
export class SharedPlanning implements Planning {
  readonly clock: Clock = systemClock
  /** The clocks of two threads may differ by microseconds: enough for a thread to take a run too early, in vain. */
  readonly margin = 1
  readonly #pool: PlannedPool

  constructor(pool: PlannedPool) {
    this.#pool = pool
  }

  enclose(future: FutureTask<unknown>): FutureTask<unknown> {
    return future
  }

  admit(task: FutureTask<unknown>): void {
    this.#pool.giveToEngine(task)
  }

  admitNext(run: AnyTask): void {
    if (this.#pool.isShutdown())
      run.cancel() // the threads may have left already
    else this.#pool.giveToEngine(run)
  }

  dropUnwanted(): void {
    this.#pool.engine.dropUnwanted?.()
  }

  /** A task that is run in this thread, and not by a worker, is none of the timetable: it is cancelled. */
  begin(): boolean {
    return false
  }

  goOn(): void {}

  cancelled(task: AnyTask): void {
    this.#pool.cancelled(task)
  }

  held(task: AnyTask): void {
    task[REMOTE_TASKS]?.hold?.(task[REMOTE_HANDLE], task.isHeld)
  }

  ended(): void {}
}

/** On virtual threads a task is the object itself. */
function localTasks(clock: Clock): TimedTasks<AnyTask> {
  return {
    now: () => clock.time(),
    timeOf: (task) => task.time,
    setTime(task, time) {
      task.time = time
    },
    periodOf: (task) => task.period,
    isCancelled: (task) => task.isCancelled,
    cancel: (task) => guarded(() => task.cancel()),
  }
}
