import { TIMING } from "../future/internals.ts"
import { FutureTask } from "../future/future-task.ts"
import { now } from "../time/timer.ts"
import type { PoolTimes } from "../core/pool-times.ts"

/** After so many other tasks the probe gives up a task that has not begun: it may have been removed, or rejected. */
const PATIENCE = 10_000

/**
 * Measures how long tasks of this heap wait and run, one task at a time: it follows a task from execute() to its end,
 * and then picks the next one. So a pool with few tasks measures all of them, and a pool with many pays for few.
 */
export class Probe {
  readonly #times: PoolTimes
  #task: unknown
  #since = 0
  #isRunning = false
  #others = 0

  constructor(times: PoolTimes) {
    this.#times = times
  }

  executed(task: unknown): void {
    if (this.#task !== undefined && (this.#isRunning || ++this.#others < PATIENCE)) return
    this.#task = task
    this.#since = now()
    this.#isRunning = false
    this.#others = 0
  }

  /** A task with a time does not pass executed(): the probe follows it from here on. */
  began(task: unknown): void {
    const isNew = this.#task === undefined && task instanceof FutureTask && task[TIMING] !== undefined
    if ((task !== this.#task && !isNew) || this.#isRunning) return
    const time = now()
    if (isNew) this.#task = task
    else this.#times.wait.record(time - this.#since)
    this.#since = time
    this.#isRunning = true
  }

  ended(task: unknown): void {
    if (task !== this.#task || !this.#isRunning) return
    this.#times.run.record(now() - this.#since)
    this.#task = undefined
    this.#isRunning = false
  }
}
