/** A task with a time: the scheduled executor keeps it in its queue, and returns it to its user as the future. */
import {
  ABANDON,
  CAUSE_OF_CANCELLATION,
  COME_BACK,
  EXPIRE,
  IS_PORTABLE,
  REMOTE_TIME,
  RENEW,
  TIMING,
} from "../future/internals.ts"
import { isPromiseLike } from "../checks.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, callableOf } from "../future/runnable.ts"
import type { Timing } from "../future/task-observers.ts"
import { FACTS, type Facts } from "../inspection.ts"
import { guarded } from "../memory/flow/guard.ts"
import { repeats } from "../core/series.ts"
import type { Clock } from "../time/clock.ts"
import type { ScheduledFuture } from "./scheduled-future.ts"
import { NOWHERE, type Placed, precedes } from "./task-heap.ts"

/** What a task asks of its executor; the first two only if it runs in this thread. */
export interface ScheduleHost {
  readonly clock: Clock
  /** Called when a thread has taken the task: whether the executor's state and its policies let it run. */
  begin(task: ScheduledTask<unknown>): boolean
  /** A run of a periodic task has ended well: the task runs again if it may. */
  goOn(task: ScheduledTask<unknown>): void
  /** The user has cancelled the task. */
  cancelled(task: ScheduledTask<unknown>): void
  /** `isHeld` of the task has changed. */
  held(task: ScheduledTask<unknown>): void
  /** The task is done, in any way. */
  ended(task: ScheduledTask<unknown>): void
}

let lastNumber = 0

/** Fields that are of no interest to users. */
const HIDDEN = { number: undefined, slot: undefined, counted: undefined, isHeld: undefined }

/*
 * core/series.ts describes the life of a periodic task. On virtual threads the queue holds this object. On platform
 * threads this object is the future of a task in shared memory: the time is there, and changes from run to run.
 */
export class ScheduledTask<T> extends FutureTask<T> implements ScheduledFuture<T>, Placed {
  readonly #host: ScheduleHost
  readonly #period: number
  /** In the order of creation, so that of two tasks due at the same time the older one is first. A series keeps it. */
  number: number = ++lastNumber
  /** The place in the queue's heap. */
  slot: number = NOWHERE
  /** Whether the queue counts this task among those that keep the process alive. Written by the queue alone. */
  counted = false
  /** Whether the process has to stay alive for this task. Written by `ref()` and `unref()` alone. */
  isHeld = true
  #time: number
  #running = false
  /** The name that the schedule was given. */
  name: string | undefined

  /** `period` is as in timetable.ts. */
  constructor(callable: Callable<T>, time: number, period: number, host: ScheduleHost) {
    super(callable)
    this.#time = time
    this.#period = period
    this.#host = host
  }

  /** When the task is due, on the executor's clock. Changes only while it is in no queue. */
  get time(): number {
    return this.isDone ? this.#time : (this[REMOTE_TIME]?.time ?? this.#time)
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

  /** Undefined if there will be no further run, or its time is not known now. */
  get #nextTime(): number | undefined {
    if (this.isDone) return undefined
    const { time, isRunning } = this[REMOTE_TIME] ?? { time: this.#time, isRunning: this.#running }
    if (isRunning) return this.#period > 0 ? time + this.#period : undefined
    return this[REMOTE_TIME] !== undefined || this.slot !== NOWHERE ? time : undefined
  }

  /** Whether the task is going to run or runs: it is not done, and was not taken out of its queue. */
  get isPlanned(): boolean {
    return !this.isDone && (this[REMOTE_TIME] !== undefined || this.slot !== NOWHERE || this.#running)
  }

  ref(): this {
    return this.#hold(true)
  }

  unref(): this {
    return this.#hold(false)
  }

  #hold(isHeld: boolean): this {
    if (this.isHeld === isHeld) return this
    this.isHeld = isHeld
    this.#host.held(this)
    return this
  }

  compareTo(other: ScheduledTask<unknown>): number {
    if (Object.is(other, this)) return 0
    return precedes(this, other) ? -1 : 1
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { isPeriodic, nextRunAt } = this
    return { ...super[FACTS], isPeriodic, nextRunAt, ...HIDDEN }
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
    this.#running = true
    if (!repeats(this.#period)) return super.run()
    const again = this.runAndReset()
    if (isPromiseLike(again)) return this.#goOnAfter(again)
    this.#goOn(again)
    return undefined
  }

  /** Called when a thread of this event loop has taken the task. If it may not begin, it is cancelled. */
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

  /** @internal Takes over the time of a periodic task, which has changed in shared memory. */
  override [COME_BACK](): void {
    if (this.isPeriodic) this.#time = this[REMOTE_TIME]?.time ?? this.#time
    super[COME_BACK]()
  }

  /** @internal This run() is for virtual threads; platform threads do the same with the slot. */
  override get [IS_PORTABLE](): boolean {
    return this.run === ScheduledTask.prototype.run
  }

  /** @internal */
  override get [TIMING](): Timing {
    return { time: this.#time, period: this.#period, isHeld: this.isHeld, clock: this.#host.clock }
  }
}

/**
 * Encloses a future that was given to `execute`: by a user, or by `invokeAll`, `map`, a view or a completion service.
 * The queue holds the enclosing task, which has a time. If that task ends without a run, the future must end in the
 * same way: otherwise flows that wait for it would wait for ever.
 */
export class EnclosedTask extends ScheduledTask<unknown> {
  readonly future: FutureTask<unknown>

  constructor(future: FutureTask<unknown>, time: number, host: ScheduleHost) {
    super(callableOf(future, undefined), time, 0, host)
    this.future = future
  }

  /** A cancelled future need not keep its place in the queue: `purge()` must see that. */
  override get isCancelled(): boolean {
    return super.isCancelled || this.future.isCancelled
  }

  protected override done(): void {
    super.done()
    // Guarded: the future may have a done() that throws, and this task must leave the queue all the same.
    if (this.state === "cancelled") guarded(() => this.future[ABANDON](this[CAUSE_OF_CANCELLATION]))
    else if (this.state === "failed") this.#failFuture(this.exceptionNow())
  }

  /** The run has failed: a hook threw, and the future has not run; or the future is over, and its `done()` threw. */
  #failFuture(error: unknown): void {
    const isToldElsewhere = this.future.isCancelled
    guarded(() => {
      if (!this.future[EXPIRE](error) && !isToldElsewhere) throw error
    })
  }

  /** @internal */
  override [RENEW](): FutureTask<unknown> {
    return this.future[RENEW]()
  }
}
