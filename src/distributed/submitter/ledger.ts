import { ABANDON, COME_BACK, COMPLETE, FAIL, IS_SETTLED } from "../../future/internals.ts"
import { CancellationError, IllegalStateError } from "../../errors.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { KeepAlive } from "../../memory/thread/keep-alive.ts"
import { now } from "../../time/timer.ts"
import { setOwn } from "../../user-values.ts"
import type { EngineListener, JobRecord } from "../job/engine.ts"
import { decodeFailure, type Failure } from "../job/failure.ts"
import type { JobEntry } from "./job-entry.ts"
import { isSameRule } from "./job-plan.ts"
import { Removals } from "./removals.ts"
import { decodeResult } from "../job/payload.ts"
import { DistributedFutureTask } from "../job/distributed-future.ts"

export interface LedgerHost {
  /** An entry is over. */
  ended(entry: JobEntry): void
  /** Events may have been lost: all jobs have to be looked up. */
  lookUpAll(): void
  /** The job is to run again although it was to be cancelled: the cancellation has to be sent once more. */
  cancelAgain(entry: JobEntry): void
  /** A cancellation has arrived at the engine, or has failed. */
  cancelled(entry: JobEntry): void
  /** An event may have been about an earlier job of the same id: these jobs have to be looked up. */
  lookUp(entries: readonly JobEntry[]): void
  report(error: unknown): void
}

/**
 * The jobs that an executor waits for: those that it has submitted and that have not ended on the engine, and those of
 * other processes that it watches.
 *
 * A future may be done before its job is over: a cancelled future is done at once, while a node may still run the task.
 * `awaitTermination` waits for the jobs.
 *
 * The engine notifies all processes of all events; events of jobs that are not in this ledger are ignored. When events
 * may have been lost, all jobs are looked up. The ledger may get an event of a job more than once, and before the
 * engine has confirmed it: the first news of its end counts.
 */
export class Ledger implements EngineListener {
  readonly #host: LedgerHost
  readonly #byHandle = new Map<number, JobEntry>()
  /** A list has more than one entry only if the same id was submitted more than once. */
  readonly #byId = new Map<string, JobEntry[]>()
  readonly #keepAlive = new KeepAlive()
  /** Jobs that this executor has removed, and whose event has not come yet. */
  readonly #removed = new Removals()
  #own = 0
  #newest = 0

  constructor(host: LedgerHost) {
    this.#host = host
  }

  // ------------------------------------------------------------------ entries

  add(entry: JobEntry): void {
    this.#byHandle.set(entry.handle, entry)
    this.#newest = entry.handle
    const same = this.#byId.get(entry.id)
    if (same === undefined) this.#byId.set(entry.id, [entry])
    else same.push(entry)
    if (entry.isOwn) this.#own++
    if (entry.keepsAlive) this.#keepAlive.hold(entry)
  }

  get(handle: number): JobEntry | undefined {
    return this.#byHandle.get(handle)
  }

  /** All entries, in the order in which they were added. */
  get entries(): Iterable<JobEntry> {
    return this.#byHandle.values()
  }

  get size(): number {
    return this.#byHandle.size
  }

  /** The handle of the entry that was added last. */
  get newest(): number {
    return this.#newest
  }

  /** How many jobs the executor has to wait for before it can terminate. */
  get own(): number {
    return this.#own
  }

  /** The engine has the job. */
  stored(entry: JobEntry): void {
    if (entry.place !== "sending") return
    this.change(entry, () => (entry.place = "stored"))
    // For a watched future, `stored` means that its cancellation is stored.
    if (entry.plan.role !== "watched" || !entry.isCancelling) this.#settleStored(entry)
  }

  #settleStored({ plan: { future }, place }: JobEntry, error?: unknown): void {
    if (!(future instanceof DistributedFutureTask)) return
    if (place === "stored") DistributedFutureTask.stored(future)
    else DistributedFutureTask.notStored(future, error)
  }

  /** Makes a change that may decide whether the executor, and the program, wait for the entry. */
  change(entry: JobEntry, change: () => void): void {
    const wasOwn = entry.isOwn
    change()
    this.#own += Number(entry.isOwn) - Number(wasOwn)
    if (!entry.keepsAlive) this.#keepAlive.release(entry)
    else if (!entry.isOver) this.#keepAlive.hold(entry)
  }

  /** The cancellation has arrived at the engine, or has failed and the program has got that error. */
  wishSettled(entry: JobEntry): void {
    if (entry.isOver) return
    this.change(entry, () => (entry.isWishSettled = true))
    this.#settleStored(entry)
    this.#host.cancelled(entry)
  }

  wishFailed({ plan: { future, role } }: JobEntry, error: unknown): void {
    if (role === "watched" && future instanceof DistributedFutureTask) DistributedFutureTask.notStored(future, error)
  }

  /** Whether an earlier entry of the same id is being cancelled. */
  isBehindCancel({ id, handle }: JobEntry): boolean {
    return this.#byId.get(id)?.some((other) => other.handle < handle && other.isCancelling) === true
  }

  /**
   * This executor has removed the job. All entries that waited for it end with it; a job submitted under its id from
   * now on is another one.
   */
  removedHere(entry: JobEntry): void {
    if (!entry.plan.isNamed || entry.isHeardRemoved) return
    this.#removed.add(entry.id)
    for (const other of [...(this.#byId.get(entry.id) ?? [])]) {
      if (other !== entry && other.place === "stored" && !other.isTakenBack) this.#drop(other)
    }
  }

  /** The job has ended, in this process or on the engine. Its future is done. */
  over(entry: JobEntry): void {
    if (entry.isOver) return
    // The job has ended before its cancellation has arrived: there is nothing to cancel any more. [DX35]
    if (entry.isCancelling) this.#settleStored(entry)
    if (entry.isOwn) this.#own--
    entry.place = "over"
    this.#byHandle.delete(entry.handle)
    const same = this.#byId.get(entry.id) ?? []
    if (same.length <= 1) this.#byId.delete(entry.id)
    else same.splice(same.indexOf(entry), 1)
    this.#keepAlive.release(entry)
    entry.queueTimer?.cancel()
    entry.forgetSignal?.()
    const { carrier } = entry.plan
    if (carrier !== undefined) guarded(() => carrier[COMPLETE](undefined))
    entry.onOver?.()
    this.#host.ended(entry)
  }

  // ------------------------------------------------------------------ ends

  #complete(entry: JobEntry, outcome: string): void {
    const { future, name, call } = entry.plan
    this.stored(entry)
    if (future !== undefined && !future[IS_SETTLED]) {
      future[COME_BACK]()
      try {
        const value = decodeResult(name, outcome)
        guarded(() => future[COMPLETE](call?.result === undefined ? value : call.result.value))
      } catch (error) {
        guarded(() => future[FAIL](error))
      }
    }
    this.over(entry)
  }

  #fail(entry: JobEntry, { kind, error }: Failure): void {
    this.stored(entry)
    if (kind === "cancelled") this.cancel(entry, causeIn(error))
    else this.fail(entry, error, kind === "error")
    this.over(entry)
  }

  /** Fails the future, if there is one. `isReported` if a node has reported the error of a command. */
  fail(entry: JobEntry, given: unknown, isReported = false): void {
    const { future } = entry.plan
    const error = withSubmitter(entry, given)
    if (future === undefined) {
      entry.failure = { error }
      if (!isReported) this.#host.report(error)
    } else if (!future[IS_SETTLED]) {
      future[COME_BACK]()
      guarded(() => future[FAIL](error))
    }
    this.#settleStored(entry, error)
  }

  /** Cancels only the future, if there is one. */
  cancel(entry: JobEntry, cause: unknown): void {
    const { future } = entry.plan
    entry.isCancelled = true
    if (future !== undefined && !future[IS_SETTLED]) {
      future[COME_BACK]()
      guarded(() => future[ABANDON](cause))
    }
    this.#settleStored(entry, new CancellationError("The task was cancelled before it was stored"))
  }

  #drop(entry: JobEntry): void {
    this.stored(entry)
    this.cancel(entry, undefined)
    this.over(entry)
  }

  // ------------------------------------------------------------------ events of the engine

  active(id: string): void {
    if (this.#removed.has(id)) return
    this.#each(id, (entry) => {
      entry.startedAt ??= now()
      entry.isRunning = true
      entry.queueTimer?.cancel()
    })
  }

  completed(id: string, outcome: string): void {
    this.#each(id, (entry) => this.#complete(entry, outcome))
  }

  failed(id: string, reason: string): void {
    this.#each(id, (entry) => this.#fail(entry, decodeFailure(reason)))
  }

  removed(id: string): void {
    if (this.#removed.heard(id)) {
      const stored = this.#byId.get(id)?.filter(({ place }) => place === "stored") ?? []
      if (stored.length > 0) this.#host.lookUp(stored)
      return
    }
    this.#each(id, (entry) => {
      entry.isHeardRemoved = true
      if (!entry.isTakenBack) this.#drop(entry) // otherwise this executor has removed it, and ends the entry itself
    })
  }

  delayed(id: string, dueAt: number): void {
    if (this.#removed.has(id)) return
    this.#each(id, (entry) => {
      entry.isRunning = false
      entry.dueAt = dueAt
      if (entry.wish === undefined) return
      this.stored(entry) // a watched entry may still be looked up
      this.#host.cancelAgain(entry)
    })
  }

  progress(id: string, value: unknown): void {
    if (this.#removed.has(id)) return
    this.#each(id, ({ plan: { future } }) => {
      if (future instanceof DistributedFutureTask) DistributedFutureTask.progressed(future, value)
    })
  }

  control(): void {
    // Control messages are meant for nodes.
  }

  gap(): void {
    this.#removed.clear()
    this.#host.lookUpAll()
  }

  error(error: unknown): void {
    this.#host.report(error)
  }

  #each(id: string, tell: (entry: JobEntry) => void): void {
    const entries = this.#byId.get(id)
    if (entries === undefined) return
    for (const entry of [...entries]) {
      // An entry that is not sent yet is another run of the same id.
      if (entry.place !== "outbox") tell(entry)
    }
  }

  // ------------------------------------------------------------------ results of look-ups

  /** Handles the engine's record of a job; undefined if the engine has none. */
  found(entry: JobEntry, record: JobRecord | undefined): void {
    if (entry.isOver) return
    if (record === undefined) {
      if (entry.wish === undefined) this.fail(entry, missing(entry), true)
      else {
        // The future is cancelled all the same; its `stored` rejects, as there was nothing to cancel.
        if (entry.plan.role === "watched") this.#settleStored(entry, missing(entry))
        this.cancel(entry, undefined)
      }
      this.over(entry)
      return
    }
    const { role, from } = entry.plan
    const conflict = role === "watched" ? undefined : conflictWith(entry, record)
    if (conflict !== undefined) {
      this.fail(entry, conflict)
      this.over(entry)
      return
    }
    entry.isForeign = record.data.from !== from
    this.stored(entry)
    this.#note(entry, record)
    if (record.state === "completed") this.#complete(entry, record.outcome ?? "")
    else if (record.state === "failed") this.#fail(entry, decodeFailure(record.outcome ?? ""))
    else if (entry.wish !== undefined) this.#host.cancelAgain(entry)
  }

  #note(entry: JobEntry, { state, dueAt, data, progress }: JobRecord): void {
    entry.isRunning = state === "active"
    if (entry.isRunning) entry.startedAt ??= now()
    entry.dueAt = dueAt ?? data.series?.due ?? entry.dueAt
    const { future } = entry.plan
    if (!(future instanceof DistributedFutureTask)) return
    if (progress !== undefined) DistributedFutureTask.progressed(future, progress)
    if (entry.plan.role === "watched") DistributedFutureTask.learn(future, data.series)
  }
}

/** The cause of a cancellation on a node is the cause of its CancellationError. */
function causeIn(error: unknown): unknown {
  return error instanceof CancellationError ? error.cause : error
}

function missing({ id, plan: { role } }: JobEntry): IllegalStateError {
  const what = role === "watched" ? `No job \`${id}\` is known` : `The job \`${id}\` is not known any more`
  return new IllegalStateError(
    `${what}: it was never stored, or it was cancelled before it began, or it has ended and its result has expired (\`keepResults\`)`,
  )
}

/** Why the job that the engine has under this id is another one; undefined if it is the same. */
function conflictWith(
  { id, plan: { name, args, series } }: JobEntry,
  record: JobRecord,
): IllegalStateError | undefined {
  if (record.name !== name) {
    return new IllegalStateError(
      `The id \`${id}\` belongs to a job of the task \`${record.name}\`, and not \`${name}\`: give each job an id of its own`,
    )
  }
  const isSame = isSameRule(series, record.data.series)
  if (isSame && args === record.data.args) return undefined
  const isEnded = record.state === "completed" || record.state === "failed"
  const advice = isEnded
    ? "which has ended, and whose outcome is kept for a while (`keepResults`): give another id"
    : "cancel that first (`future(id).cancel()`), or give another id"
  return new IllegalStateError(
    `The id \`${id}\` belongs to a job of the task \`${name}\` with other ${isSame ? "arguments" : "times"}${isEnded ? "," : ":"} ${advice}`,
  )
}

/** Adds the stack of the submitter below the stack of the machine that ran the task, or of this handle. */
function withSubmitter({ submitter }: JobEntry, error: unknown): unknown {
  const frames = submitter?.stack?.split("\n").filter((line) => line.startsWith("    at ")) ?? []
  if (!(error instanceof Error) || typeof error.stack !== "string" || frames.length === 0) return error
  setOwn(error, "stack", `${error.stack}\n    at submit (corepool)\n${frames.join("\n")}`, false)
  return error
}
