import { FutureTask } from "../future/future-task.ts"
import { now } from "../time/timer.ts"
import type { PoolTimes } from "../core/pool-times.ts"

/** After so many others a task that has not begun is given up: it may have been taken out, or refused. */
const PATIENCE = 10_000

/**
 * Measures how long tasks of a heap wait and run, one at a time: it picks a task when it is executed and follows it to
 * its end, and then the next one. So a pool with few tasks knows all its times, and one with many pays for few.
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

  /** A task with a time was not executed, but has waited for that: then it is followed from here on. */
  began(task: unknown): void {
    const isNew = this.#task === undefined && task instanceof FutureTask && task.timing !== undefined
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
