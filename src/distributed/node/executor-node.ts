import { randomUUID } from "#host/server/server"
import { requireOptions, wrongType } from "../../checks.ts"
import { Executors } from "../../executors.ts"
import type { ExecutorService } from "../../executor/executor.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../../inspection.ts"
import { listen, unlisten } from "../../memory/flow/abort.ts"
import { Flow } from "../../memory/flow/flow.ts"
import { guarded } from "../../memory/flow/guard.ts"
import { KeepAlive } from "../../memory/thread/keep-alive.ts"
import {
  abortOf,
  awaiting,
  type Steps,
  TIMEOUT,
  timeoutOf,
  WaitList,
  type WaitOptions,
} from "../../memory/flow/waiting.ts"
import { Timer } from "../../time/timer.ts"
import { textOf } from "../../user-values.ts"
import { Catalogue } from "../job/catalogue.ts"
import type { ClaimedJob, Consumer, EngineListener, EngineQueue } from "../job/engine.ts"
import type { JobHost } from "./job-run.ts"
import { LocalRuns } from "./local-run.ts"
import { NodeJobs } from "./node-jobs.ts"
import {
  type ExecutorNodeOptions,
  type NodeSettings,
  requireNodeOptions,
  requireSignals,
  type SignalName,
} from "./node-options.ts"
import { NodePresence } from "./node-presence.ts"
import { SignalWatch } from "./node-signals.ts"
import { ProgressInbox } from "./progress-inbox.ts"

/** How long a node that has given its jobs back waits for the engine to confirm that, in ms. */
const FAREWELL = 5000

/** What is opened before the node is made. */
interface Parts {
  readonly settings: NodeSettings
  readonly catalogue: Catalogue
  readonly queue: EngineQueue
}

/**
 * A process that takes the tasks of a `DistributedExecutor` and runs them on a local executor.
 *
 *     await using node = await ExecutorNode.start({ name: "images", engine, tasks, signals: ["SIGTERM", "SIGINT"] })
 *     await node.awaitTermination()
 *
 * It runs only the functions of its catalogue, by their names. Retries, time limits, schedules and cancellation are
 * those of the submitter; a task that is cancelled on another machine is interrupted here, and a platform thread that
 * does not stop is terminated by the local pool.
 *
 * A node that is cut off from the engine takes no new jobs and interrupts those it has lost: other nodes run them
 * again. It reconnects by itself. `close()` drains: the node takes no more jobs, and finishes those that it has.
 *
 * A node keeps its process alive until it is closed.
 */
export class ExecutorNode implements AsyncDisposable {
  readonly #id = randomUUID()
  readonly #settings: NodeSettings
  readonly #catalogue: Catalogue
  readonly #queue: EngineQueue
  readonly #executor: ExecutorService
  /** Closed with the node. */
  readonly #ownExecutor: ExecutorService | undefined
  readonly #inbox: ProgressInbox
  readonly #jobs: NodeJobs
  readonly #host: JobHost
  readonly #presence: NodePresence
  readonly #ended = new WaitList()
  readonly #keepAlive = new KeepAlive()
  #consumer: Consumer | undefined
  #signals: SignalWatch | undefined
  #isRefused = false
  #closing: Promise<void> | undefined
  #farewell: (() => void) | undefined
  #isClosed = false

  /** Nodes are started by {@link ExecutorNode.start}. */
  private constructor({ settings, catalogue, queue }: Parts) {
    if (!(catalogue instanceof Catalogue)) {
      throw wrongType("An ExecutorNode cannot be made by `new ExecutorNode(…)`: call `await ExecutorNode.start({ … })`")
    }
    this.#settings = settings
    this.#catalogue = catalogue
    this.#queue = queue
    this.#ownExecutor = settings.executor === undefined ? Executors.newFixedThreadPool(settings.concurrency) : undefined
    this.#executor = settings.executor ?? (this.#ownExecutor as ExecutorService)
    this.#inbox = new ProgressInbox((error) => this.#report(error))
    const report = (error: unknown): void => this.#report(error)
    this.#presence = new NodePresence(queue, this, report)
    this.#jobs = new NodeJobs(queue, report, () => this.#presence.changed())
    this.#host = this.#newHost()
    this.#keepAlive.hold(this)
  }

  /**
   * Connects to the engine and begins to take jobs. Rejects if the engine cannot be reached, with an error that says
   * what is missing, or if the catalogue cannot be loaded.
   */
  static async start(options: ExecutorNodeOptions): Promise<ExecutorNode> {
    const settings = requireNodeOptions(options)
    const catalogue = new Catalogue(settings.tasks)
    await catalogue.load()
    const queue = await settings.engine.open(settings.name, "node")
    // A flow of its own: an interrupt of the thread that starts the node is not meant for the node.
    const node = new ExecutorNode({ settings, catalogue, queue })
    try {
      await new Flow().run(() => node.#start())
    } catch (error) {
      await node.close(0)
      throw error
    }
    return node
  }

  async #start(): Promise<void> {
    const { concurrency, lockDuration, signals } = this.#settings
    await this.#queue.listen(this.#listener())
    this.#consumer = await this.#queue.consume({
      node: this.#id,
      concurrency,
      lockDuration,
      run: (job, consumer) => this.#jobs.run(job, this.#host, consumer),
    })
    await this.#presence.begin()
    if (signals.length > 0) this.shutdownOnSignals({ signals })
  }

  // ------------------------------------------------------------------ looking

  /** Unique among all nodes. */
  get id(): string {
    return this.#id
  }

  /** The name of the queue. */
  get name(): string {
    return this.#settings.name
  }

  /** The name of this node. */
  get nodeName(): string {
    return this.#settings.nodeName
  }

  /** How many jobs it runs at once, at most. */
  get concurrency(): number {
    return this.#settings.concurrency
  }

  /** How many jobs it runs now. */
  get running(): number {
    return this.#jobs.size
  }

  /** Whether it is closed. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { id, name, nodeName, concurrency, running, isClosed } = this
    return { id, name, nodeName, concurrency, running, isClosed, engine: textOf(this.#settings.engine) }
  }

  /** Its name and its queue. */
  toString(): string {
    return `ExecutorNode[${this.nodeName} of ${this.name}]`
  }

  // ------------------------------------------------------------------ ending

  /**
   * Drains: takes no more jobs, lets those that it has come to their end, tells the engine, then disconnects. When the
   * time is up or the signal aborts, tasks that still run are interrupted and given back, for other nodes. An executor
   * that was passed to the node stays open.
   */
  close(wait?: WaitOptions): Promise<void> {
    const timeout = timeoutOf(wait)
    const signal = abortOf(wait)
    this.#closing ??= new Flow().run(() => this.#close())
    return timeout === Infinity && signal === undefined
      ? this.#closing
      : this.#closeWithin(this.#closing, timeout, signal)
  }

  /** The same as `close()`: for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Waits until the node is closed, by a call of `close` or by a signal; false if the time is up. */
  awaitTermination(wait?: WaitOptions): Promise<boolean> {
    return awaiting(this.#terminating(), wait)
  }

  *#terminating(): Steps<boolean> {
    while (!this.#isClosed) if ((yield this.#ended) === TIMEOUT) return false
    return true
  }

  /**
   * Closes the node when the process gets one of these signals, by default `SIGTERM` or `SIGINT`; with `timeout` as
   * `close({ timeout })`. Then the process ends by itself, unless the program has something else to do. A second signal
   * ends it at once.
   */
  shutdownOnSignals(options: { readonly signals?: readonly SignalName[]; readonly timeout?: number } = {}): void {
    const { signals = ["SIGTERM", "SIGINT"], timeout } = requireOptions("options", options, {
      signals: true,
      timeout: true,
    })
    requireSignals(signals)
    timeoutOf(timeout)
    this.#signals?.stop()
    if (this.#isClosed) return
    this.#signals = new SignalWatch(signals, () => void this.close(timeout))
    this.#signals.start()
  }

  async #closeWithin(closing: Promise<void>, timeout: number, signal: AbortSignal | undefined): Promise<void> {
    const giveUp = (): void => this.#giveUp()
    if (timeout <= 0 || signal?.aborted === true) giveUp()
    const timer = new Timer(Math.max(timeout, 0), false, giveUp)
    if (signal?.aborted === false) listen(signal, giveUp)
    try {
      await closing
    } finally {
      timer.cancel()
      if (signal !== undefined) unlisten(signal, giveUp)
    }
  }

  #giveUp(): void {
    this.#jobs.giveBack()
    this.#farewell?.()
  }

  async #close(): Promise<void> {
    this.#presence.drain()
    await this.#beforeFarewell(() => this.#leave())
    this.#presence.stop()
    await this.#attempt(() => this.#queue.close())
    this.#inbox.close()
    if (this.#ownExecutor !== undefined)
      await this.#attempt(() => this.#endOwnExecutor(this.#ownExecutor as ExecutorService))
    this.#signals?.stop()
    this.#isClosed = true
    this.#keepAlive.release(this)
    this.#ended.signalAll()
  }

  /** Is fulfilled when all jobs have ended, and the engine knows that and that the node is gone. */
  async #leave(): Promise<void> {
    if (this.#consumer === undefined) return
    await this.#attempt(() => (this.#consumer as Consumer).drain())
    await this.#presence.end()
  }

  /** Waits for the step. Once the jobs are given back, it does not wait long: the engine may be out of reach. */
  async #beforeFarewell(step: () => Promise<void>): Promise<void> {
    let timer: Timer | undefined
    const givenUp = new Promise<void>((resolve) => {
      this.#farewell = () => {
        timer ??= new Timer(FAREWELL, false, resolve)
      }
    })
    try {
      await Promise.race([step(), givenUp])
    } finally {
      timer?.cancel()
      this.#farewell = undefined
    }
  }

  /** Tasks that still run there were cancelled; their outcomes do not count. */
  async #endOwnExecutor(executor: ExecutorService): Promise<void> {
    executor.shutdownNow()
    await executor.close()
  }

  async #attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      this.#report(error)
    }
  }

  // ------------------------------------------------------------------ other processes

  #listener(): EngineListener {
    return {
      active: nothing,
      completed: nothing,
      failed: nothing,
      removed: nothing,
      delayed: nothing,
      progress: nothing,
      control: (message) => this.#jobs.control(message),
      gap: () => void this.#jobs.lookUp(),
      error: (error) => this.#report(error),
    }
  }

  // ------------------------------------------------------------------ for jobs

  #newHost(): JobHost {
    const { nodeName, maxPayload, lockDuration } = this.#settings
    return {
      nodeName,
      aloneFor: lockDuration,
      catalogue: this.#catalogue,
      local: new LocalRuns(this.#executor, this.#inbox, nodeName, maxPayload),
      inbox: this.#inbox,
      now: () => this.#queue.now(),
      isCancelled: (id) => this.#jobs.isCancelled(id),
      report: (error, job) => this.#report(error, job),
      refused: (error, job) => this.#refused(error, job),
    }
  }

  /**
   * Reports the error once. If the local executor is shut down, this node cannot run any job and leaves them to other
   * nodes.
   */
  #refused(error: unknown, job: ClaimedJob): void {
    if (!this.#isRefused) this.#report(error, job)
    this.#isRefused = true
    if (this.#executor.isShutdown) void this.close()
  }

  #report(error: unknown, job?: ClaimedJob): void {
    const { onError = print } = this.#settings
    const context = { node: this.nodeName, ...(job && { job: { id: job.id, name: job.name } }) }
    guarded(
      () => onError(error, context),
      (second) => {
        print(error, context)
        print(second, context)
      },
    )
  }
}

/** Nodes ignore events of jobs, which concern only the submitters. */
function nothing(): void {}

/** Prints an error as an unhandled error of a thread is printed. */
function print(error: unknown, { node, job }: { node: string; job?: { id: string; name: string } }): void {
  const title = `Exception in node "${node}"${job === undefined ? "" : `, job ${job.id} of task "${job.name}"`}`
  guarded(
    () => console.error(title, error),
    () =>
      guarded(
        () => console.error(title, textOf(error)),
        () => undefined,
      ),
  )
}
