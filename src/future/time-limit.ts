import { EXPIRE, WATCH, WATCHER } from "./internals.ts"
import { requirePositiveDuration } from "../checks.ts"
import { TimeoutError } from "../errors.ts"
import { guarded } from "../memory/flow/guard.ts"
import { Timer, type TimerKeeper } from "../time/timer.ts"
import type { FutureTask } from "./future-task.ts"
import type { RemoteReport, TaskWatcher } from "./task-observers.ts"

/**
 * The time limit of `Future.orTimeout`, which is set after the task was made. It replaces the watcher of the task, and
 * passes every call on to that watcher.
 */
class TimeLimit implements TaskWatcher {
  readonly #timer: Timer
  readonly #inner: TaskWatcher | undefined

  constructor(task: FutureTask<unknown>, ms: number) {
    this.#inner = task[WATCHER]
    this.#timer = new Timer(ms, false, () => {
      // done() of the task may throw, and no caller could catch that.
      guarded(() => task[EXPIRE](new TimeoutError(`The task did not end within ${ms} ms`)))
    })
  }

  get reportsErrors(): boolean {
    return this.#inner?.reportsErrors === true
  }

  started(): void {
    this.#inner?.started()
  }

  sentAway(startOf: () => number | undefined, report: RemoteReport): void {
    this.#inner?.sentAway?.(startOf, report)
  }

  runsHere(keeper: TimerKeeper): void {
    this.#timer.keepBy(keeper)
    this.#inner?.runsHere?.(keeper)
  }

  ended(): void {
    this.#timer.cancel()
    this.#inner?.ended()
  }
}

/** Fails the task with TimeoutError if it is not done so many milliseconds from now. */
export function limitTask(task: FutureTask<unknown>, ms: number): void {
  requirePositiveDuration("ms", ms)
  if (ms !== Infinity && !task.isDone) task[WATCH](new TimeLimit(task, ms))
}
