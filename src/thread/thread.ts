import { FLOW, REPORT_UNCAUGHT } from "../memory/flow/internals.ts"
import { isPromiseLike, requireString, wrongType } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import type { Runnable } from "../future/runnable.ts"
import { requireRunnable, start } from "../future/runnable.ts"
import { FACTS, type Facts, INSPECT, type InspectArguments, inspected } from "../inspection.ts"
import { LOCAL } from "../memory/shared/shareables.ts"
import { requireCertainty } from "#host/runtime/ownership"
import { currentFlow, Flow, knownFlows, mainFlow } from "../memory/flow/flow.ts"
import { awaiting, type Steps, TIMEOUT, WaitList, type WaitOptions } from "../memory/flow/waiting.ts"
import { currentListener } from "./progress.ts"
import { interrupted, sleep, sleepSync } from "./sleeping.ts"
import { dump, type ThreadDump, type ThreadDumpOptions } from "./thread-dump.ts"
import { reportUncaught, type UncaughtExceptionHandler } from "./uncaught.ts"
import { runtime } from "#host/runtime/clock"

/*
 * How it works: Flow does the waiting and interrupting; Thread adds an identity and a life.
 *
 *     new -> started   start(): the target runs from a microtask, never inside the call
 *     started -> ended the target returned or threw, and its promise, if any, settled
 */
type Life = "new" | "started" | "ended"

/** Runs a thread that is not a flow of this event loop. */
export interface ThreadBody {
  /** Starts to run as this thread; calls `ended` when it is over. */
  start(thread: Thread, ended: () => void): void
  interrupt(): void
  readonly isInterrupted: boolean
}

/** For callers in JavaScript; TypeScript reports it at compile time. */
const NOT_BY_NEW =
  "A Thread cannot be made by `new Thread(…)`. Submit the function to an executor: Executors.newVirtualThreadPerTaskExecutor().submit(fn). Or virtualThreads().newThread(fn).start()"

/**
 * A thread: a flow of control with a name, an interrupt flag and an end.
 *
 * A *virtual thread* is an asynchronous flow on the event loop of the thread that started it. It runs any function,
 * and everything that function awaits. `Thread.currentThread()` finds it again after an `await`, in a timer or in a
 * callback, because it travels in the asynchronous context.
 *
 * Interruption is a request. `interrupt()` raises the thread's flag, aborts its `signal` and ends every corepool wait
 * it is in (`get`, `take`, `put`, `sleep`, …) with `InterruptedError`, which clears the flag. Code that waits for
 * something else passes `signal` on (`fetch(url, { signal: Thread.currentThread().signal })`) or asks
 * `Thread.interrupted()`.
 *
 * @example
 * ```ts
 * import { Executors, Thread, virtualThreads } from "corepool"
 *
 * await using pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "poller" }))
 * console.log(await pool.submit(() => Thread.currentThread().name)) // => poller-1
 *
 * const sleeper = pool.submit(() => Thread.sleep(60_000))
 * sleeper.cancel(true) // interrupts the thread, which ends the sleep
 * console.log(sleeper.state) // => cancelled
 * ```
 */
export class Thread {
  readonly #flow: Flow
  readonly #name: string
  /** Dropped at the end: a thread that a program keeps must not keep what it has run. */
  #target: Runnable
  readonly #uncaught: UncaughtExceptionHandler | undefined
  readonly #ended = new WaitList()
  /** Only of a platform thread, as other threads see it. */
  readonly #body: ThreadBody | undefined
  readonly #id: number
  #life: Life = "new"

  /** Threads are made by a `ThreadFactory`, for an executor: `virtualThreads()` or `platformThreads()`. */
  private constructor(
    target: Runnable,
    name: string,
    uncaught: UncaughtExceptionHandler | undefined,
    flow: Flow,
    { body, id }: { body?: ThreadBody; id?: number } = {},
  ) {
    if (!(flow instanceof Flow)) throw wrongType(NOT_BY_NEW)
    this.#body = body
    this.#id = id ?? flow.id
    this.#target = requireRunnable("target", target)
    this.#name = requireString("name", name)
    this.#uncaught = uncaught
    this.#flow = flow
    flow.owner = this
  }

  /** @internal */
  get [LOCAL](): string {
    return "is an object of the thread that made it, and means nothing to others: send its name or its id"
  }

  /** @internal For factories. */
  static create(target: Runnable, name: string, uncaught?: UncaughtExceptionHandler): Thread {
    return new Thread(target, name, uncaught, new Flow())
  }

  /** @internal For factories: a thread that does not run on this event loop. */
  static createPlatform(body: ThreadBody, name: string, uncaught?: UncaughtExceptionHandler): Thread {
    return new Thread(() => undefined, name, uncaught, new Flow(), { body })
  }

  // ------------------------------------------------------------------ the current thread

  /** The thread that runs this code; outside of any corepool thread, the one called `main`. */
  static currentThread(): Thread {
    return threadHere()
  }

  /** Whether the current thread was interrupted; clears its flag. */
  static interrupted(): boolean {
    return interrupted()
  }

  /** Waits that long. An interrupt ends the wait with `InterruptedError`. */
  static sleep(ms: number, options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    return sleep(ms, options)
  }

  /**
   * Blocks the whole thread, and with it every virtual thread on its event loop, that long. An interrupt of the thread
   * by another one ends it.
   */
  static sleepSync(ms: number): void {
    sleepSync(ms)
  }

  /**
   * All threads that this thread knows of, by pools and scopes: names, states, what each waits for and which thread has
   * that. Other threads are not asked, and may block or compute: what is said of platform threads is read from shared
   * memory. A snapshot without locks, so what changes meanwhile may not fit together.
   *
   * @throws UnsupportedOperationError in `corepool/virtual`.
   */
  static dump(options?: { readonly format?: "text" }): string
  /** The same as an object, which `JSON.stringify` can write. */
  static dump(options: { readonly format: "json" }): ThreadDump
  static dump(options: ThreadDumpOptions = {}): string | ThreadDump {
    return dump(options)
  }

  // ------------------------------------------------------------------ identity and life

  /** Unique among the threads that this JavaScript heap knows, in order of creation. */
  get id(): number {
    return this.#id
  }

  /** As its factory has named it: `pool-1-thread-1`, for instance. Names need not be unique. */
  get name(): string {
    return this.#name
  }

  /** Whether it shares an event loop with others rather than having a processor thread of its own. */
  get isVirtual(): boolean {
    return this.#flow !== mainFlow && this.#body === undefined
  }

  /** Started and not yet ended. */
  get isAlive(): boolean {
    return this.#life === "started"
  }

  /** Starts the target, once. It runs from a microtask: never before this call returned. */
  start(): void {
    if (this.#life !== "new") throw new IllegalStateError(`${this} was started already`)
    this.#life = "started"
    if (this.#body === undefined) runtime.microtask(() => this.#flow.run(() => this.#run()))
    else this.#startElsewhere(this.#body)
  }

  #startElsewhere(body: ThreadBody): void {
    try {
      body.start(this, () => this.#end())
    } catch (error) {
      this.#end() // the runtime has not made the thread
      throw error
    }
  }

  /** Waits until the thread has ended; false if the time is up. True at once for a thread that was never started. */
  join(wait?: WaitOptions): Promise<boolean> {
    return awaiting(this.#joining(), wait, "Thread", this)
  }

  *#joining(): Steps<boolean> {
    while (this.isAlive) if ((yield this.#ended) === TIMEOUT) return false
    return true
  }

  // ------------------------------------------------------------------ interruption

  /** Whether an interrupt is pending; unlike `Thread.interrupted()` this leaves the flag as it is. */
  get isInterrupted(): boolean {
    return this.#body === undefined ? this.#asked.isInterrupted : this.#body.isInterrupted
  }

  /** Aborts when the thread is interrupted. After that interrupt was consumed, a fresh signal takes its place. */
  get signal(): AbortSignal {
    return this.#asked.signal
  }

  /** Asks the thread to stop what it is doing. No effect on a thread that has ended. */
  interrupt(): void {
    if (this.#life === "ended") return
    if (this.#body === undefined) this.#flow.interrupt()
    else this.#body.interrupt()
  }

  // ------------------------------------------------------------------ progress

  /**
   * Says how far the task that this thread runs has got: a number, a text or other plain data, as JSON can write it.
   *
   *     Thread.currentThread().reportProgress({ done: 40, of: 100 })
   *
   * The future of a task of a `DistributedExecutor` shows the newest value. A task may report as often as it likes;
   * values in between may be skipped. In other tasks the call has no effect.
   *
   * @throws IllegalStateError if this is not the current thread.
   * @throws TypeError if JSON cannot write the value, and it is needed.
   */
  reportProgress(value: unknown): void {
    if (currentFlow().owner !== this) {
      throw new IllegalStateError(`${this} is not the current thread: only a task itself knows how far it has got`)
    }
    currentListener()?.progress(value)
  }

  /** @internal */
  [INSPECT](...by: InspectArguments): string {
    return inspected(this, by)
  }

  /** @internal */
  get [FACTS](): Facts {
    const { id, name, isVirtual, isAlive, isInterrupted } = this
    return { id, name, isVirtual, isAlive, isInterrupted }
  }

  /** Its number and its name: `Thread[#7,pool-1-thread-1]`. */
  toString(): string {
    return `Thread[#${this.id},${this.#name}]`
  }

  // ------------------------------------------------------------------ inside

  /** @internal */
  get [FLOW](): Flow {
    return this.#flow
  }

  /** A task that the thread runs in passing has a flow of its own. If that task asks, its own flow is meant. */
  get #asked(): Flow {
    const current = currentFlow()
    return current.owner === this ? current : this.#flow
  }

  /** @internal Reports an error that no code has caught. */
  [REPORT_UNCAUGHT](error: unknown): void {
    reportUncaught(this, error, this.#uncaught)
  }

  #run(): void {
    try {
      const pending = start(this.#target)
      if (isPromiseLike(pending)) void this.#endAfter(pending)
      else this.#end()
    } catch (error) {
      this.#die(error)
    }
  }

  async #endAfter(pending: PromiseLike<unknown>): Promise<void> {
    try {
      await pending
    } catch (error) {
      this.#die(error)
      return
    }
    this.#end()
  }

  /** The handler belongs to the thread's life: it runs before join() returns. */
  #die(error: unknown): void {
    try {
      this[REPORT_UNCAUGHT](error)
    } finally {
      this.#end()
    }
  }

  #end(): void {
    this.#life = "ended"
    this.#target = nothing
    this.#ended.signalAll()
  }

  /** @internal Names the thread that this program, or this worker, is. */
  static adoptMain(name = "main", id = mainFlow.id): void {
    const main = new Thread(() => undefined, name, undefined, mainFlow, { id })
    main.#life = "started"
  }
}

if (mainFlow.owner === undefined) Thread.adoptMain()
requireCertainty(Thread, knownFlows)

/** The thread that runs this code, for corepool itself: where that is not known, the thread of the program. */
export function threadHere(): Thread {
  return currentFlow().owner as Thread
}

function nothing(): void {}
