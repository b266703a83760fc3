import { runtime, type Timeout } from "#host/runtime/clock"
import type { FutureTask } from "../future/future-task.ts"
import {
  type Observer,
  observing,
  type PoolInfo,
  type RingPool,
  type TaskOutcome,
  type ThreadInfo,
  type WaitedFor,
} from "../observing.ts"
import { perThread } from "../per-thread.ts"
import { sharedNow } from "../time/shared-clock.ts"
import { type Channels, channelsOfThread, hasSubscribers, tell, wallTimeOf } from "./channels.ts"
import { EventLog, type Sink } from "./event-log.ts"
import { Runs } from "./runs.ts"
import { SubmittedTasks } from "./submitted-tasks.ts"
import { Unobserved } from "./unobserved.ts"

/** In ms: the time between two deliveries to listeners, and between two readings of the rings. */
const INTERVAL = 100

/**
 * Receives what the pools of this thread report, and passes it on: to listeners as events, to subscribers by channels.
 *
 * The hub is the observer of the thread while there is a listener or a subscriber. Each new one wakes the hub, and the
 * hub checks from time to time whether the last one has gone. It leaves submissions to submitted-tasks.ts, and runs and
 * waits to runs.ts.
 */
export class Hub implements Observer {
  readonly channels: Channels = channelsOfThread(() => this.on())
  readonly #unobserved = new Unobserved(this.channels.unobserved)
  readonly #log = new EventLog()
  readonly #tasks = new SubmittedTasks(this.#log, this.channels, this.#unobserved)
  readonly #runs = new Runs(this.#log, this.channels, this.#tasks)
  #droppedBefore = 0
  #timer: Timeout | undefined

  // ------------------------------------------------------------------ on and off

  /** From now on the pools of this thread report what happens. */
  on(): void {
    if (observing.by === this) return
    observing.by = this
    this.#timer = runtime.startInterval(() => this.#tick(), INTERVAL)
    this.#timer.unref()
    for (const pool of observing.rings) pool.listen(true)
  }

  #tick(): void {
    this.drain()
    if (this.#log.isHeard || this.#unobserved.isWanted || hasSubscribers(this.channels)) return
    observing.by = undefined
    for (const pool of observing.rings) pool.listen(false)
    runtime.stopTimeout(this.#timer)
    this.#tasks.forget()
    this.#runs.forget()
    this.#unobserved.forget()
  }

  /** Failures in this pool that no code has looked at are to be printed. */
  printUnobserved(pool: PoolInfo): void {
    this.#unobserved.print(pool)
    this.on()
  }

  add(sink: Sink): void {
    this.drain() // what has happened before concerns the others
    this.#log.add(sink)
    this.on()
  }

  remove(sink: Sink): void {
    this.drain()
    this.#log.remove(sink)
    if (!this.#log.isHeard) this.#tick()
  }

  // ------------------------------------------------------------------ rings

  /** How many events were lost so far. */
  get dropped(): number {
    let sum = this.#droppedBefore
    for (const pool of observing.rings) sum += pool.droppedEvents
    return sum
  }

  /** Reads all rings, and calls the listeners. */
  drain(): void {
    if (observing.by !== this) return
    for (const pool of observing.rings) this.readRings(pool)
    this.#log.deliver()
  }

  readRings(pool: RingPool): void {
    this.#tasks.whileReading(pool.info, () => pool.readRings(this.#runs))
  }

  poolEnded(pool: RingPool): void {
    this.readRings(pool)
    this.#droppedBefore += pool.droppedEvents
  }

  // ------------------------------------------------------------------ pools and threads

  poolCreated(pool: PoolInfo): void {
    tell(this.channels.poolCreated, () => ({ pool, time: wallTimeOf(sharedNow()) }))
  }

  poolTerminated(pool: PoolInfo): void {
    this.#unobserved.poolTerminated(pool)
    tell(this.channels.poolTerminated, () => ({ pool, time: wallTimeOf(sharedNow()) }))
  }

  started(pool: PoolInfo, thread: ThreadInfo): void {
    const time = sharedNow()
    this.#log.push("started", time, pool, thread)
    tell(this.channels.workerStarted, () => ({ pool, thread, time: wallTimeOf(time) }))
  }

  exited(pool: PoolInfo, thread: ThreadInfo, died: boolean): void {
    const time = sharedNow()
    this.#runs.exited(thread, time)
    this.#log.push("exited", time, pool, thread, 0, "", died ? "failed" : "success")
    tell(this.channels.workerExited, () => ({ pool, thread, time: wallTimeOf(time), died }))
  }

  idle(pool: PoolInfo, thread: ThreadInfo): void {
    this.#log.push("idle", sharedNow(), pool, thread)
  }

  // ------------------------------------------------------------------ tasks

  submit(pool: PoolInfo, task: object, give: () => void): void {
    this.#tasks.submit(pool, task, give)
  }

  recorded(pool: PoolInfo, task: object, handle: number): void {
    this.#tasks.recorded(pool, task, handle)
  }

  rejected(pool: PoolInfo, task: object): void {
    this.#tasks.rejected(pool, task)
  }

  commandEnded(pool: PoolInfo, handle: number, outcome: TaskOutcome, error: unknown): void {
    this.#tasks.commandEnded(pool, handle, outcome, error)
  }

  began(pool: PoolInfo, thread: ThreadInfo, task: object): void {
    this.#runs.began(pool, thread, task)
  }

  ended(_pool: PoolInfo, thread: ThreadInfo, task: object, error: unknown): void {
    this.#runs.ended(thread, task, error)
  }

  futureOf(task: number): FutureTask<unknown> | undefined {
    return this.#runs.futureOf(task)
  }

  blocked(thread: object | undefined, what: WaitedFor): boolean {
    return this.#runs.blocked(thread, what)
  }

  unblocked(thread: object | undefined, what: WaitedFor): void {
    this.#runs.unblocked(thread, what)
  }

  failureSeen(future: object): void {
    this.#unobserved.seen(future)
  }
}

/** The hub of this thread. */
export function hub(): Hub {
  return perThread("event hub", () => new Hub())
}
