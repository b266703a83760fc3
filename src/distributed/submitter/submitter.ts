import { ABANDON, COME_BACK, COMPLETE, IS_SETTLED, RUN_REMOTELY } from "../../future/internals.ts"
import { randomBytes } from "#host/server/server"
import { RejectedExecutionError, TimeoutError } from "../../errors.ts"
import type { FutureTask } from "../../future/future-task.ts"
import type { Callable, Runnable } from "../../future/runnable.ts"
import { listen, unlisten } from "../../memory/flow/abort.ts"
import { guarded, uncaught } from "../../memory/flow/guard.ts"
import { type Steps, TIMEOUT, WaitList } from "../../memory/flow/waiting.ts"
import { handBack } from "../../pool/engine/unrun-tasks.ts"
import { runtime } from "#host/runtime/clock"
import { Timer } from "../../time/timer.ts"
import { Cancels, type CancelsHost } from "./cancelling.ts"
import { Catalogue } from "../job/catalogue.ts"
import { Connection } from "./connection.ts"
import { DistributedFutureTask } from "../job/distributed-future.ts"
import type { EngineQueue } from "../job/engine.ts"
import { JobEntry, type JobPlan } from "./job-entry.ts"
import { type JobTiming, type PlanContext, planFor, planToWatch } from "./job-plan.ts"
import { Ledger, type LedgerHost } from "./ledger.ts"
import { JobTrace } from "./job-trace.ts"
import { LookUps } from "./look-ups.ts"
import type { ExecutorSettings, TaskSettings } from "../job/options.ts"
import { Outbox, type OutboxHost } from "./outbox.ts"
import { RemoteJobs } from "./remote-jobs.ts"

type AnyFunction = (...args: never[]) => unknown

/** How many jobs are taken back at once. */
const AT_ONCE = 1000

/**
 * The submitting side of a DistributedExecutor, which all its views share. It plans jobs, sends them, gets their events
 * and ends with the last of them.
 */
export class Submitter implements OutboxHost, LedgerHost, CancelsHost {
  readonly #id = randomBytes(8).toString("hex")
  readonly settings: ExecutorSettings
  readonly #connection: Connection
  readonly #ledger = new Ledger(this)
  readonly #outbox = new Outbox(this)
  readonly #cancels = new Cancels(this.#ledger, this)
  readonly #lookUps: LookUps
  readonly remote: RemoteJobs
  readonly #context: PlanContext
  readonly #termination = new WaitList()
  readonly #trace: JobTrace
  #jobs = 0
  #isShutdown = false
  #isEnding = false
  #isTerminated = false

  constructor(settings: ExecutorSettings) {
    this.settings = settings
    this.#trace = new JobTrace(settings.name)
    this.#connection = new Connection(settings.engine, settings.name, this.#ledger)
    this.#lookUps = new LookUps(
      this.#ledger,
      () => this.queue(),
      (error) => this.report(error),
    )
    this.remote = new RemoteJobs(this.#ledger, this.#connection, (entry, interrupt) => this.cancel(entry, interrupt))
    this.#context = {
      from: this.#id,
      catalogue: new Catalogue(settings.tasks),
      maxPayload: settings.maxPayload,
      newId: () => this.newId(),
      now: () => (this.#connection.isOpen ? this.#connection.now() : undefined),
    }
  }

  /** An id that no other job has. */
  newId(): string {
    return `${this.#id}-${++this.#jobs}`
  }

  /** How many jobs this executor waits for. */
  get outstanding(): number {
    return this.#ledger.own
  }

  queue(): Promise<EngineQueue> {
    return this.#connection.queue()
  }

  toString(): string {
    return `DistributedExecutor \`${this.settings.name}\``
  }

  // ------------------------------------------------------------------ submitting

  /** Throws if the task cannot be sent, or after shutdown. `above` is the method that the program has called. */
  submit(
    command: FutureTask<unknown> | Callable<unknown>,
    settings: TaskSettings,
    above: AnyFunction,
    timing?: JobTiming,
  ): void {
    if (this.#isShutdown) throw new RejectedExecutionError(`${String(this)} is shut down`, command)
    const plan = planFor(command, settings, this.#context, timing)
    const submitter = callersOf(above)
    this.#trace.submit(plan, () => this.#send(plan, settings, submitter))
  }

  /** Undefined if the task is cancelled already. */
  #send(plan: JobPlan, settings: TaskSettings, submitter: JobEntry["submitter"]): JobEntry | undefined {
    const { signal, queueTimeout } = settings
    if (signal?.aborted === true) {
      plan.future?.[ABANDON](signal.reason)
      if (plan.carrier !== undefined) guarded(() => plan.carrier?.[COMPLETE](undefined))
      return undefined
    }
    plan.takeStores?.()
    const entry = this.#enter(plan)
    entry.submitter = submitter
    if (signal !== undefined) this.#heed(entry, signal)
    if (queueTimeout !== undefined) {
      entry.queueTimer = new Timer(plan.delay + queueTimeout, true, () => void this.#expire(entry, queueTimeout))
    }
    // A job that never runs need not be stored.
    if (plan.delay !== Infinity) this.#cancels.send(entry)
    return entry
  }

  send(entry: JobEntry): void {
    this.#outbox.put(entry)
  }

  #enter(plan: JobPlan): JobEntry {
    const entry = new JobEntry(plan, ++this.#jobs)
    plan.future?.[RUN_REMOTELY](this.remote, entry.handle)
    this.#ledger.add(entry)
    this.#lookUps.review(this.settings.reviewInterval)
    return entry
  }

  #heed(entry: JobEntry, signal: AbortSignal): void {
    const onAbort = (reason: unknown): void => {
      const { future } = entry.plan
      if (future === undefined) this.cancel(entry, true)
      else future[ABANDON](reason, true)
    }
    listen(signal, onAbort)
    entry.forgetSignal = () => unlisten(signal, onAbort)
  }

  /** The job has waited for too long: takes it back, if no node has begun it. */
  async #expire(entry: JobEntry, queueTimeout: number): Promise<void> {
    if (entry.isOver || entry.startedAt !== undefined || entry.wish !== undefined) return
    try {
      if (await this.#takeBack(entry)) {
        this.#ledger.fail(entry, new TimeoutError(`The task did not start within ${queueTimeout} ms`))
        this.#ledger.over(entry)
      }
    } catch (error) {
      this.report(error)
    }
  }

  /** The future of a job that any process has submitted. */
  watch(id: string): DistributedFutureTask<unknown> {
    if (this.#isShutdown) throw new RejectedExecutionError(`${String(this)} is shut down`)
    const future = new DistributedFutureTask<unknown>(() => undefined, id, this.remote)
    const entry = this.#enter(planToWatch(id, this.#id, future))
    entry.place = "sending"
    void this.#lookUps.find([entry]).catch((cause: unknown) => {
      const error = new RejectedExecutionError(`The job \`${id}\` cannot be looked up`, id, { cause })
      if (entry.isCancelling) this.report(error) // the future is cancelled, and cannot report it
      this.#ledger.fail(entry, error)
      this.#ledger.over(entry)
    })
    return future
  }

  // ------------------------------------------------------------------ called by the outbox

  stored(entries: readonly JobEntry[]): void {
    const named: JobEntry[] = []
    for (const entry of entries) {
      if (entry.isOver) continue
      if (entry.plan.isNamed) named.push(entry)
      else this.#isStored(entry)
    }
    if (named.length > 0) void this.#findNamed(named)
  }

  #isStored(entry: JobEntry): void {
    this.#ledger.stored(entry)
    if (entry.wish !== undefined) this.#cancels.travel(entry)
    else if (entry.hasToStop) this.#stop(entry)
    else if (this.#isShutdown && entry.plan.role === "shared-schedule") this.#letGo(entry)
    this.#tryTerminate()
  }

  /**
   * The engine may have had jobs of these ids before. An outcome that was kept when the job was sent counts, even if
   * its time is over now: no other job was added.
   */
  async #findNamed(entries: readonly JobEntry[]): Promise<void> {
    try {
      await this.#lookUps.find(entries, { withExpired: true })
    } catch (error) {
      if (entries.some(({ isOver }) => !isOver)) this.report(error) // the jobs are stored all the same
    }
    for (const entry of entries) if (!entry.isOver) this.#isStored(entry)
  }

  refused(entries: readonly JobEntry[], cause: unknown): void {
    for (const entry of entries) {
      if (entry.isOver) continue
      const { name, future, carrier, call } = entry.plan
      const task = carrier ?? future ?? call?.fn
      const error = new RejectedExecutionError(`The engine has not taken the task \`${name}\``, task, { cause })
      this.#ledger.fail(entry, error)
      this.#ledger.over(entry)
    }
  }

  lookUpAll(): void {
    this.#lookUps.all()
  }

  lookUp(entries: readonly JobEntry[]): void {
    void this.#lookUps.find(entries).catch(() => this.#lookUps.all())
  }

  // ------------------------------------------------------------------ cancelling

  /** The future is cancelled, or is about to be: tells the engine, as soon as the engine has the job. */
  cancel(entry: JobEntry, interrupt: boolean): void {
    this.#cancels.wish(entry, interrupt)
    if (entry.place === "outbox") {
      this.#outbox.takeOut(entry)
      // After the future is done, which happens in this very turn.
      runtime.microtask(() => {
        this.#ledger.cancel(entry, undefined)
        this.#ledger.over(entry)
      })
    } else if (entry.place === "stored") this.#cancels.travel(entry)
  }

  cancelAgain(entry: JobEntry): void {
    this.#cancels.travel(entry)
  }

  cancelled(): void {
    this.#cancels.release()
    this.#tryTerminate()
  }

  report(error: unknown): void {
    const { onError } = this.settings
    if (onError === undefined) uncaught(error)
    else guarded(() => onError(error))
  }

  // ------------------------------------------------------------------ ending

  get isShutdown(): boolean {
    return this.#isShutdown
  }

  get isTerminated(): boolean {
    return this.#isTerminated
  }

  shutdown(): void {
    if (this.#isShutdown) return
    this.#isShutdown = true
    for (const entry of [...this.#ledger.entries]) {
      const { role, series, delay, future } = entry.plan
      if (role === "shared-schedule") this.#letGo(entry)
      else if (role === "own" && (series !== undefined || delay === Infinity)) guarded(() => future?.cancel())
    }
    this.#tryTerminate()
  }

  /** Ends the entry of a job that belongs to no process, and goes on without this one. It must be stored. */
  #letGo(entry: JobEntry): void {
    if ((entry.place !== "stored" && entry.plan.delay !== Infinity) || entry.isCancelling) return
    const what = entry.plan.role === "own" ? "task" : "schedule"
    const goes = `and so does not follow the ${what} any more, which goes on`
    this.#ledger.cancel(entry, new RejectedExecutionError(`${String(this)} is shut down, ${goes}`))
    this.#ledger.over(entry)
  }

  async shutdownNow(): Promise<Runnable[]> {
    this.#isShutdown = true
    const own: JobEntry[] = []
    for (const entry of [...this.#ledger.entries]) {
      if (entry.plan.role === "shared-schedule") this.#letGo(entry)
      else if (isLeft(entry)) this.#letGo(entry)
      else if (entry.plan.role === "own" && !entry.isTakenBack) own.push(entry)
    }
    own.sort((a, b) => dueOf(a) - dueOf(b)) // in the order of due times; equal ones stay in the order of submission
    const unrun: Runnable[] = []
    const failures: unknown[] = []
    for (let start = 0; start < own.length; start += AT_ONCE) {
      const some = own.slice(start, start + AT_ONCE)
      const settled = await Promise.allSettled(some.map((entry) => this.#takeBack(entry)))
      for (const [i, entry] of some.entries()) {
        const outcome = settled[i] as PromiseSettledResult<boolean>
        if (outcome.status === "rejected") failures.push(outcome.reason)
        else if (outcome.value) this.#handBack(entry, unrun)
        else if (!entry.isOver) this.#stop(entry)
      }
    }
    this.#tryTerminate()
    if (failures.length > 0) throw failures[0]
    return unrun
  }

  /** Removes the job if no node has begun it; its future is left as it is. */
  async #takeBack(entry: JobEntry): Promise<boolean> {
    entry.isTakenBack = true
    try {
      if (this.#outbox.takeOut(entry) || entry.place === "outbox") return true
      await this.#outbox.sent()
      // For a job that is foreign, or may be, another process waits: it is not removed.
      const isTaken = entry.place === "stored" && !isLeft(entry) && (await (await this.queue()).remove(entry.id))
      entry.isTakenBack = isTaken
      if (isTaken) this.#ledger.removedHere(entry)
      return isTaken && !entry.isOver
    } catch (error) {
      entry.isTakenBack = false
      throw error
    }
  }

  #handBack(entry: JobEntry, unrun: Runnable[]): void {
    const { future, carrier, call } = entry.plan
    if (future === undefined) unrun.push(() => call?.fn(...(call.args as never[])))
    else if (!future[IS_SETTLED]) {
      future[COME_BACK]()
      unrun.push(handBack(carrier ?? future, String(this)))
    }
    this.#ledger.cancel(entry, undefined)
    this.#ledger.over(entry)
  }

  /** Interrupts a job that a node has. The engine tells its outcome when it is over. */
  #stop(entry: JobEntry): void {
    entry.hasToStop = true
    if (entry.plan.isNamed && entry.place !== "stored") return // first it has to be known which executor it belongs to
    if (isLeft(entry)) this.#letGo(entry)
    else this.cancel(entry, true)
  }

  ended(): void {
    this.#cancels.release()
    this.#tryTerminate()
  }

  #tryTerminate(): void {
    if (!this.#isShutdown || this.#isEnding || this.#ledger.own > 0) return
    this.#isEnding = true
    void this.#end()
  }

  async #end(): Promise<void> {
    for (const entry of [...this.#ledger.entries]) {
      if (entry.plan.role === "shared-schedule") this.#letGo(entry)
      this.#ledger.cancel(
        entry,
        new RejectedExecutionError(`${String(this)} has ended, and does not follow it any more`),
      )
      this.#ledger.over(entry)
    }
    await this.#cancels.settled()
    try {
      await this.#connection.close()
    } catch (error) {
      this.report(error)
    }
    this.#isTerminated = true
    this.#termination.signalAll()
  }

  *terminating(): Steps<boolean> {
    while (!this.#isTerminated) if ((yield this.#termination) === TIMEOUT) return false
    return true
  }
}

/** Another executor submitted it before: `shutdownNow` leaves it to that one, unless the program has cancelled it. */
function isLeft({ isForeign, plan: { role }, wish }: JobEntry): boolean {
  return isForeign && role === "own" && wish === undefined
}

/** For the order of jobs of one executor; jobs that are due at once come first. */
function dueOf({ dueAt = 0, plan: { delay } }: JobEntry): number {
  return delay === Infinity ? Number.MAX_VALUE : dueAt
}

/** The stack of the program's call. Cheap as long as the stack is not read. */
function callersOf(above: AnyFunction): { readonly stack?: string } {
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, above)
  return holder
}
