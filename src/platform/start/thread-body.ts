import { REPORT_UNCAUGHT } from "../../memory/flow/internals.ts"
import { load, sharedWords } from "#atomics"
import { warn } from "#host/runtime/warnings"
import { hasFinished, isInspected, type RuntimeThread } from "#host/threads/workers"
import { isExitTheEnd } from "#host/runtime/capabilities"
import { outputsFor } from "#host/threads/output"
import { ThreadDeathError } from "../../errors.ts"
import { LifeProbe } from "../../memory/thread/life.ts"
import { contextIn } from "../../memory/thread/this-thread.ts"
import { VERSION } from "../../per-thread.ts"
import type { PlatformThreadOptions } from "../../thread/platform-threads.ts"
import type { Thread, ThreadBody } from "../../thread/thread.ts"
import { Timer } from "../../time/timer.ts"
import type { PoolHandle } from "../memory/pool-memory.ts"
import type { SideChannel } from "../transport/side-channel.ts"
import type { SharedWorker } from "../memory/workers/shared-worker.ts"
import { FAREWELL, type Orders, PRELOADING, PROGRESS, readReason, SAID_ALL, STAGE } from "./worker-orders.ts"
import { takeAhead } from "./thread-ahead.ts"
import { startWorker } from "./worker-start.ts"

/** Why a thread has ended unexpectedly. */
export interface Death {
  readonly code: number
  readonly error: unknown
}

/** How often an owner that blocks checks that its threads still exist, in ms. */
export const PULSE = 100

/** The options of threads that have died while they preloaded modules: see worker-preload.ts. */
const deadly = new WeakSet<PlatformThreadOptions>()

/** A worker thread of the runtime, as the body of a Thread: starts the thread, and reports its end. */
export class WorkerBody implements ThreadBody {
  readonly #pool: PoolHandle
  readonly #sideChannel: SideChannel
  readonly #worker: SharedWorker
  readonly #options: PlatformThreadOptions
  readonly #died: (body: WorkerBody) => void
  readonly #progress = sharedWords(PROGRESS)
  #thread: RuntimeThread | undefined
  #name = ""
  #self: Thread | undefined
  #death: Death | undefined
  /** Whether a task has failed because the thread has died: that task then has the error. */
  isBlamed = false
  /** Whether the thread ends because a command of this thread has thrown. */
  hasThrown = false
  #probe: LifeProbe | undefined
  /** Why the thread was ended, if no task is to blame. */
  #reason: ThreadDeathError | undefined

  constructor(
    pool: PoolHandle,
    sideChannel: SideChannel,
    worker: SharedWorker,
    options: PlatformThreadOptions,
    died: (body: WorkerBody) => void,
  ) {
    this.#pool = pool
    this.#sideChannel = sideChannel
    this.#worker = worker
    this.#options = options
    this.#died = died
  }

  get worker(): SharedWorker {
    return this.#worker
  }

  get options(): PlatformThreadOptions {
    return this.#options
  }

  get name(): string {
    return this.#name
  }

  /** Set when the thread has been started. */
  get runtimeThread(): RuntimeThread | undefined {
    return this.#thread
  }

  /** Set when the thread is gone. */
  get death(): Death | undefined {
    return this.#death
  }

  /**
   * The exit code that the thread itself has written as it ended. The runtime reports it too, once everything is
   * cleaned up, which takes a tenth of the time to start a thread. Only the runtime knows the error, if there is one.
   */
  get farewell(): Death | undefined {
    const said = load(this.#progress, FAREWELL)
    if (said === 0) return undefined
    this.#judgeModules()
    return { code: said - 1, error: undefined }
  }

  /**
   * For a thread that has stopped because the code of corepool has failed in it: the message of that error; empty if it
   * is not known.
   */
  get reason(): string {
    return readReason(this.#progress)
  }

  #judgeModules(): void {
    if (load(this.#progress, STAGE) === PRELOADING) deadly.add(this.#options)
  }

  /**
   * The thread has died of an error that no task has: of a timer, or of an unhandled promise, that a task has left
   * behind. Reports it as an uncaught error of the thread.
   */
  tellIfUnheard(): void {
    const error = this.#death?.error
    if (error !== undefined && !this.isBlamed) this.#self?.[REPORT_UNCAUGHT](error)
  }

  start(self: Thread, ended: () => void): void {
    const { name, id } = self
    this.#name = name
    this.#self = self
    const options = this.#options
    const channel = this.#sideChannel.begin()
    const orders: Orders = {
      version: VERSION,
      pool: this.#pool,
      worker: this.#worker.number,
      channel: channel.end,
      name,
      id,
      outputs: outputsFor(options.output),
      preload: (options.preload ?? []).map(String),
      teardown: (options.teardown ?? []).map(String),
      recycle: options.recycle,
      preloadsLate: deadly.has(options),
      progress: this.#progress,
    }
    let thread: RuntimeThread
    try {
      const ports = [channel.end.port]
      thread = takeAhead(name, orders, ports, options) ?? startWorker(name, orders, ports, options)
    } catch (error) {
      channel.hangUp() // the channel has no other end
      throw error
    }
    thread.unref() // pending tasks keep the process alive, not threads
    let error: unknown
    thread.on("error", (reason: unknown) => (error ??= reason)) // not once(): without a listener it ends the process
    thread.once("exit", (code) => {
      this.#judgeModules()
      channel.hangUp()
      this.#death = { code, error: error ?? this.#reason }
      ended()
      this.#died(this)
    })
    this.#thread = thread
  }

  get isInterrupted(): boolean {
    return this.#worker.isInterrupted
  }

  interrupt(): void {
    this.#worker.interrupt()
  }

  /**
   * Whether it is certain, after the runtime has reported the end of the thread, that the thread runs nothing any more.
   */
  get hasStopped(): boolean {
    return isExitTheEnd || !this.#worker.isAlive || this.#worker.token === 0
  }

  /**
   * Whether the thread has stopped though the runtime has not yet reported it: the runtime does so by an event, which a
   * blocked thread does not get, and a thread that runs out of memory writes no farewell. Only for a thread that has
   * begun.
   *
   * Where the runtime does not show it, a LifeProbe asks for the thread.
   */
  get isGone(): boolean {
    const finished = hasFinished(this.#thread)
    if (finished !== undefined) return finished
    this.#probe ??= new LifeProbe(contextIn(this.#pool.space).registry, this.#worker.token, PULSE)
    return this.#probe.ask()
  }

  /** Tells the thread to end, unless the runtime has reported that it has. */
  terminate(): void {
    if (this.#death !== undefined) return
    if (isInspected()) {
      warn(
        `Thread "${this.#name}" is terminated: its task was interrupted and has not stopped in time. If a debugger has stopped it, set \`terminateAfter: Infinity\` while you debug`,
        "COREPOOL_TERMINATED",
      )
    }
    void this.#thread?.terminate()
  }

  /** Ends a thread that does not get out of corepool's own code. */
  endHeldUp(): void {
    const why = "the code of corepool does not return there, as it happens if a task replaces built-in methods"
    this.#reason = new ThreadDeathError(`Thread "${this.#name}" was terminated: ${why}`)
    this.end()
  }

  /**
   * Whether the thread has reported its error, if it has one: from then on nothing is lost when the thread is ended.
   * Threads of Bun do not say so.
   */
  get hasSaidAll(): boolean {
    return load(this.#progress, SAID_ALL) !== 0
  }

  /**
   * Ends a thread that has left and has reported all. Usually it stops by itself at once.
   *
   * But in Node a thread with an uncaught error first calls its `exit` listeners, the last of which leaves the thread
   * registry. Then it reports the error, and may go on with queued microtasks, which are code of tasks: Node loses the
   * order to stop on the way. If that code waits for something, the thread, which has left, waits for ever. Any order
   * may get lost so, and it is given again until the thread has stopped.
   */
  end(delay: number = PULSE): void {
    if (this.#death !== undefined) return
    void this.#thread?.terminate()
    Timer.after(delay, () => this.end(2 * delay)) // more and more rarely: each terminate() adds a listener
  }
}
