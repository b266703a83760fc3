import { REMOTE_HANDLE } from "../../future/internals.ts"
import { FutureTask } from "../../future/future-task.ts"
import type { Future } from "../../future/future.ts"
import type { Callable } from "../../future/runnable.ts"
import { FACTS, type Facts } from "../../inspection.ts"
import type { ScheduledFuture } from "../../schedule/scheduled-future.ts"
import { CancellationError } from "../../errors.ts"
import type { SeriesData } from "./job-data.ts"

/** The future of a task that runs on another machine. */
export interface DistributedFuture<T> extends Future<T> {
  /** The name of the task in all processes: `executor.future(id)` gives the same future elsewhere. */
  readonly id: string

  /**
   * Is fulfilled when the engine has the task: from then on the task survives the death of this process. Rejects if the
   * engine does not take it, or if it was cancelled before. Ignoring a rejection raises no unhandledRejection.
   *
   * If a future of `future(id)` is cancelled at once: is fulfilled when the engine has the cancellation, and rejects
   * with IllegalStateError if it has no such task.
   */
  readonly stored: Promise<void>

  /** The last value that the task has reported; undefined if there is none. */
  readonly progress: unknown
}

/** The future of a task that runs on other machines, later or again and again. */
export interface DistributedScheduledFuture<T> extends DistributedFuture<T>, ScheduledFuture<T> {}

/** What a future needs of its executor. */
export interface FutureHost {
  /**
   * When the job with this handle is due, by the engine's clock, whether it runs, and that clock; undefined if the job
   * is over.
   */
  dueOf(handle: number): { readonly time: number; readonly isRunning: boolean; readonly now: number } | undefined
  /** From now on the process has to stay alive for the job with this handle, or need not. */
  hold(handle: number, isHeld: boolean): void
}

/*
 * The ledger tells the future of events through static methods, because the program has these objects and must not find
 * such methods on them.
 */
export class DistributedFutureTask<T> extends FutureTask<T> implements DistributedScheduledFuture<T> {
  readonly id: string
  readonly #host: FutureHost
  #kind: SeriesData["kind"] | undefined
  #period: number | undefined
  #progress: unknown
  /** Whether the engine has the job: undefined as long as that is not known. */
  #storing: { readonly error?: unknown } | undefined
  #promise: Promise<void> | undefined
  #tell: (() => void) | undefined

  constructor(callable: Callable<T>, id: string, host: FutureHost, kind?: SeriesData["kind"], period?: number) {
    super(callable)
    this.id = id
    this.#host = host
    this.#kind = kind
    this.#period = period
  }

  get stored(): Promise<void> {
    this.#promise ??= this.#whenStored()
    return this.#promise
  }

  #whenStored(): Promise<void> {
    const promise = new Promise<void>((resolve, reject) => {
      this.#tell = () => {
        if (this.#storing !== undefined && "error" in this.#storing) reject(this.#storing.error)
        else resolve()
      }
    })
    promise.catch(() => undefined) // the future has the error as well
    if (this.#storing !== undefined) this.#tell?.()
    return promise
  }

  get progress(): unknown {
    return this.#progress
  }

  get isPeriodic(): boolean {
    return this.#kind !== undefined
  }

  get delay(): number {
    const due = this.isDone ? undefined : this.#host.dueOf(this[REMOTE_HANDLE])
    return due === undefined ? 0 : due.time - due.now
  }

  get nextRunAt(): Date | undefined {
    const due = this.isDone ? undefined : this.#host.dueOf(this[REMOTE_HANDLE])
    if (due === undefined) return undefined
    const time = due.isRunning ? this.#timeAfter(due.time) : due.time
    const date = new Date(time ?? NaN)
    return Number.isNaN(date.getTime()) ? undefined : date // a Date ends in the year 275760
  }

  ref(): this {
    this.#host.hold(this[REMOTE_HANDLE], true)
    return this
  }

  unref(): this {
    this.#host.hold(this[REMOTE_HANDLE], false)
    return this
  }

  /** When the run after the one due at this time is due, if that can be known before this one ends. */
  #timeAfter(time: number): number | undefined {
    return this.#kind === "rate" ? time + (this.#period ?? NaN) : undefined
  }

  /** @internal */
  override get [FACTS](): Facts {
    const { id, progress } = this
    return { ...super[FACTS], id, progress }
  }

  /** A future that is done before it was given to an executor will never be stored. */
  protected override done(): void {
    if (this.#storing === undefined && this[REMOTE_HANDLE] === 0) {
      DistributedFutureTask.notStored(this, new CancellationError("The task was cancelled before it was stored"))
    }
  }

  /** @internal */
  static stored(future: DistributedFutureTask<unknown>): void {
    future.#storing ??= {}
    future.#tell?.()
  }

  /** @internal No effect if it was stored before. */
  static notStored(future: DistributedFutureTask<unknown>, error: unknown): void {
    future.#storing ??= { error }
    future.#tell?.()
  }

  /** @internal */
  static progressed(future: DistributedFutureTask<unknown>, value: unknown): void {
    future.#progress = value
  }

  /** @internal Sets the kind of schedule, for a future made from its id alone. */
  static learn(future: DistributedFutureTask<unknown>, series: SeriesData | undefined): void {
    future.#kind = series?.kind
    future.#period = series?.period
  }
}
