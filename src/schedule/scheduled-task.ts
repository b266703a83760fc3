/** A task with a time: what the scheduled executor keeps in its queue and gives to its users. */
import { isPromiseLike } from "../checks.ts"
import { FutureTask } from "../future/future-task.ts"
import type { Callable } from "../future/runnable.ts"
import type { Delayed } from "../queue/delay-queue.ts"
import { now } from "../time/timer.ts"
import type { ScheduledFuture } from "./scheduled-future.ts"

/** How a series goes on: `rate` ms after the start that was due, or `delay` ms after the end; neither: once. */
export type Period = { readonly rate: number } | { readonly delay: number } | undefined

/** What a task asks of the executor it belongs to. */
export interface ScheduleHost {
  /** Whether the state of the executor, and what it does after shutdown, lets this task run. */
  mayRun(task: ScheduledTask<unknown>): boolean
  /** Puts a periodic task back into the queue, or cancels it if it may not run again. */
  requeue(task: ScheduledTask<unknown>): void
  /** The task was cancelled by its user. */
  cancelled(task: ScheduledTask<unknown>): void
}

let lastNumber = 0

export class ScheduledTask<T> extends FutureTask<T> implements ScheduledFuture<T>, Delayed {
  readonly #host: ScheduleHost
  readonly #period: Period
  /** Breaks ties: of two tasks due at the same time the one created first runs first. A series keeps its number. */
  readonly #number: number = ++lastNumber
  /** When it is due, on the clock of `now()`. */
  #time: number

  constructor(callable: Callable<T>, time: number, period: Period, host: ScheduleHost) {
    super(callable)
    this.#time = time
    this.#period = period
    this.#host = host
  }

  get delay(): number {
    return this.#time - now()
  }

  get isPeriodic(): boolean {
    return this.#period !== undefined
  }

  get nextRunAt(): Date | undefined {
    if (this.isDone || this.#time === Infinity) return undefined
    return new Date(Date.now() + this.delay)
  }

  compareTo(other: this): number {
    if (this.#time !== other.#time) return this.#time < other.#time ? -1 : 1
    return this.#number - other.#number
  }

  override cancel(mayInterruptIfRunning = false): boolean {
    const cancelled = super.cancel(mayInterruptIfRunning)
    if (cancelled) this.#host.cancelled(this)
    return cancelled
  }

  override run(): void | Promise<void> {
    if (!this.#host.mayRun(this)) {
      super.cancel()
      return undefined
    }
    if (this.#period === undefined) return super.run()
    const again = this.runAndReset()
    if (isPromiseLike(again)) return this.#goOnAfter(again)
    this.#goOn(again)
    return undefined
  }

  async #goOnAfter(again: PromiseLike<boolean>): Promise<void> {
    this.#goOn(await again)
  }

  #goOn(again: boolean): void {
    if (!again || this.#period === undefined) return
    this.#time = "rate" in this.#period ? this.#time + this.#period.rate : now() + this.#period.delay
    this.#host.requeue(this)
  }
}
