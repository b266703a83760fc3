import { TIMING } from "../../future/internals.ts"
import { FutureTask } from "../../future/future-task.ts"
import { now } from "../../time/timer.ts"
import type { PoolTimes } from "../../core/pool-times.ts"

/** So many tasks are followed at most, and so many more that run. */
const MOST = 128

/**
 * Measures how long tasks of this heap wait and run. It follows tasks from execute() to their end: all of them while
 * few wait, and otherwise one of so many that at most MOST of those that wait are followed, evenly from the whole
 * queue. So a pool with few tasks measures all of them, and a pool with many pays for few.
 */
export class Probe {
  readonly #times: PoolTimes
  /** When the followed tasks were executed. A task that was taken out of the queue stays until it is in the way. */
  readonly #waiting = new Map<unknown, number>()
  /** When the followed tasks began. */
  readonly #running = new Map<unknown, number>()
  /** One of so many tasks is followed. */
  #stride = 1
  #passed = 0

  constructor(times: PoolTimes) {
    this.#times = times
  }

  executed(task: unknown): void {
    if (++this.#passed < this.#stride) return
    this.#passed = 0
    if (this.#waiting.size >= MOST) this.#thin()
    if (!this.#waiting.has(task)) this.#waiting.set(task, now())
  }

  /** The pool has not taken the task. */
  forget(task: unknown): void {
    this.#waiting.delete(task)
  }

  /** The queue is empty. */
  rests(): void {
    this.#stride = 1
  }

  /** Gives up tasks that will not run, and if these are few, every second task. */
  #thin(): void {
    const waiting = this.#waiting
    for (const task of waiting.keys()) if (task instanceof FutureTask && task.isDone) waiting.delete(task)
    if (waiting.size <= MOST / 2) return
    let isSecond = false
    for (const task of waiting.keys()) {
      if (isSecond) waiting.delete(task)
      isSecond = !isSecond
    }
    this.#stride *= 2
  }

  /** A task with a time does not pass executed(): the probe follows it from here on. */
  began(task: unknown): void {
    const since = this.#waiting.size === 0 ? undefined : this.#waiting.get(task)
    if (since === undefined && !(task instanceof FutureTask && task[TIMING] !== undefined)) return
    const time = now()
    if (since !== undefined) {
      this.#times.wait.record(time - since)
      this.#waiting.delete(task)
    }
    if (this.#running.size < MOST) this.#running.set(task, time)
  }

  ended(task: unknown): void {
    const since = this.#running.size === 0 ? undefined : this.#running.get(task)
    if (since === undefined) return
    this.#times.run.record(now() - since)
    this.#running.delete(task)
  }
}
