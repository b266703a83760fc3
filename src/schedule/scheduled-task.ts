/** A task with a time: what the scheduled executor keeps in its queue and gives to its users. */
import { isPromiseLike } from "../checks.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, callableOf } from "../future/runnable.ts"
import type { Timing } from "../future/task-observers.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { guarded } from "../memory/flow/guard.ts"
import { repeats } from "../core/timetable.ts"
import type { Clock } from "../time/clock.ts"
import type { ScheduledFuture } from "./scheduled-future.ts"
import { NOWHERE, type Placed, precedes } from "./task-heap.ts"

/** What a task asks of the executor it belongs to; the first two only if it runs in this thread. */
export interface ScheduleHost {
  readonly clock: Clock
  /** A thread has taken the task: whether the state of the executor, and what it does after shutdown, lets it run. */
  begin(task: ScheduledTask<unknown>): boolean
  /** A run of a periodic task has ended well: it runs again if it may. */
  goOn(task: ScheduledTask<unknown>): void
  /** The task was cancelled by its user. */
  cancelled(task: ScheduledTask<unknown>): void
  /** The task is done, by whatever road. */
  ended(task: ScheduledTask<unknown>): void
}

let lastNumber = 0

/*
 * How the life of a periodic task goes is in core/timetable.ts. On virtual threads this object is what lies in the
 * queue; on platform threads it is the future of a task in shared memory, which has the time, and changes it from run
 * to run.
 */
export class ScheduledTask<T> extends FutureTask<T> implements ScheduledFuture<T>, Placed {
  readonly #host: ScheduleHost
  readonly #period: number
  /**
   * In the order of creation, so of two tasks due at the same time the older one is first. A series keeps its number.
   */
  number: number = ++lastNumber
  /** Where it is in the queue's heap. */
  slot: number = NOWHERE
  /** Whether the queue counts it as something to stay alive for. Written by the queue alone. */
  counted = false
  #time: number
  /** Only kept for periodic tasks: the others are taken from the queue once. */
  #running = false

  /** `period` is as in timetable.ts. */
  constructor(callable: Callable<T>, time: number, period: number, host: ScheduleHost) {
    super(callable)
    this.#time = time
    this.#period = period
    this.#host = host
  }

  /** When it is due, on the executor's clock. Changes only while it is in no queue. */
  get time(): number {
    return this.isDone ? this.#time : (this.remoteTime?.time ?? this.#time)
  }

  set time(time: number) {
    this.#time = time
  }

  get period(): number {
    return this.#period
  }

  get delay(): number {
    return this.time - this.#host.clock.time()
  }

  get isPeriodic(): boolean {
    return this.#period !== 0
  }

  get nextRunAt(): Date | undefined {
    if (this.#nextTime === undefined) return undefined
    const { clock } = this.#host
    const date = new Date(clock.wallTime() + this.#nextTime - clock.time())
    return Number.isNaN(date.getTime()) ? undefined : date // a Date ends in the year 275760
  }

  /** Undefined if there will be no further run, or none that is known now. */
  get #nextTime(): number | undefined {
    if (this.isDone) return undefined
    const { time, isRunning } = this.remoteTime ?? { time: this.#time, isRunning: this.#running }
    if (isRunning) return this.#period > 0 ? time + this.#period : undefined
    return this.remoteTime !== undefined || this.slot !== NOWHERE ? time : undefined
  }

  compareTo(other: ScheduledTask<unknown>): number {
    if (Object.is(other, this)) return 0
    return precedes(this, other) ? -1 : 1
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { isPeriodic, nextRunAt } = this
    return { ...super[FACTS], isPeriodic, nextRunAt, number: undefined, slot: undefined, counted: undefined }
  }

  override cancel(mayInterruptIfRunning = false): boolean {
    const cancelled = super.cancel(mayInterruptIfRunning)
    if (cancelled) this.#host.cancelled(this)
    return cancelled
  }

  protected override done(): void {
    this.#host.ended(this)
  }

  override run(): void | Promise<void> {
    if (!this.mayBegin()) {
      this.cancel()
      return undefined
    }
    if (!repeats(this.#period)) return super.run()
    this.#running = true
    const again = this.runAndReset()
    if (isPromiseLike(again)) return this.#goOnAfter(again)
    this.#goOn(again)
    return undefined
  }

  /** A thread of this one has taken it when it was due; if it may not begin, it is cancelled. */
  protected mayBegin(): boolean {
    return this.#host.begin(this)
  }

  async #goOnAfter(again: PromiseLike<boolean>): Promise<void> {
    this.#goOn(await again)
  }

  #goOn(again: boolean): void {
    this.#running = false
    if (again) this.#host.goOn(this)
  }

  /** @internal A series has another time by now. */
  override comeBack(): void {
    if (this.isPeriodic) this.#time = this.remoteTime?.time ?? this.#time
    super.comeBack()
  }

  /** @internal Its own way of running is that of virtual threads; others do the same with the slot. */
  override get isPortable(): boolean {
    return this.run === ScheduledTask.prototype.run
  }

  /** @internal */
  override get timing(): Timing {
    return { time: this.#time, period: this.#period }
  }
}

/**
 * A future that was made elsewhere and given to `execute`: by a user, or by `invokeAll`, `map`, a view or a
 * completion service. It stands in the queue inside a task with a time. What becomes of that task without a run must
 * become of the future, or whoever waits for it would wait for ever.
 */
export class EnclosedTask extends ScheduledTask<unknown> {
  readonly #future: FutureTask<unknown>

  constructor(future: FutureTask<unknown>, time: number, host: ScheduleHost) {
    super(callableOf(future, undefined), time, 0, host)
    this.#future = future
  }

  /** A cancelled future is not worth its place, so `purge()` must see it. */
  override get isCancelled(): boolean {
    return super.isCancelled || this.#future.isCancelled
  }

  protected override done(): void {
    super.done()
    // The future may have a done() of its own, which must not keep this task from leaving the queue.
    if (this.state === "cancelled") guarded(() => this.#future.abandon(this.causeOfCancellation))
    else if (this.state === "failed") this.#failFuture(this.exceptionNow())
  }

  /**
   * The run has failed: a hook has thrown, and the future has not run; or it is over, and this is the error of its
   * `done()`.
   */
  #failFuture(error: unknown): void {
    const isToldElsewhere = this.#future.isCancelled
    guarded(() => {
      if (!this.#future.expire(error) && !isToldElsewhere) throw error
    })
  }

  override renew(): FutureTask<unknown> {
    return this.#future.renew()
  }
}
