import type { BulkMap } from "../executor/executor.ts"
import { CORE } from "../queue/base/internals.ts"
import { ENGINE, GIVE_TO_ENGINE, INFO, LABEL, ON_SHUTDOWN, REFUSE, THREADS } from "./internals.ts"
import { BULK_MAP, CALLABLE, DEFAULT_WINDOW, ORDERS_BY_PRIORITY, RETRIES, WITHDRAW } from "../executor/internals.ts"
import { alone } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { keptApart } from "../future/call.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, requireRunnable, type Runnable } from "../future/runnable.ts"
import { identityOf } from "../identity.ts"
import { currentFlow, snapshot } from "../memory/flow/flow.ts"
import type { Handle, Shared } from "../memory/shared/shared-memory.ts"
import { SHAREABLE } from "../memory/shared/shareables.ts"
import { awaiting, type Steps, TIMEOUT, timeoutOf, type WaitOptions } from "../memory/flow/waiting.ts"
import { infoOf, type PoolInfo } from "../observing.ts"
import type { BlockingQueue } from "../queue/base/blocking-queue.ts"
import { LinkedBlockingQueue } from "../queue/linked-blocking-queue.ts"
import type { Thread } from "../thread/thread.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import { textOf } from "../user-values.ts"
import { ConfigurablePool } from "./configurable-pool.ts"
import { atLeast, SHUTDOWN, STOP, TERMINATED } from "../core/control-word.ts"
import { handBack } from "./engine/unrun-tasks.ts"
import { platform } from "./platform-support.ts"
import { noteNewPool } from "./live-pools.ts"
import { PoolContext, type PoolHooks } from "./pool-context.ts"
import type { PoolEngine, PoolThread } from "./engine/pool-engine.ts"
import { configure, mayWait, platformSettings, type PoolSettings } from "./pool-settings.ts"
import type { PoolState } from "../core/pool-state.ts"
import { awaitQuiescence } from "./engine/quiescence.ts"
import { type RejectedExecutionHandler, requireHandler } from "./rejection.ts"
import { notTheOwner, sentPool } from "./sent-pool.ts"
import type { ThreadPoolOptions } from "./thread-pool-options.ts"
import { VirtualEngine } from "./virtual/virtual-engine.ts"

/** The largest default window of `map`, for pools whose maximum size means "no limit". */
const LARGEST_WINDOW = 1024

/**
 * A pool of threads that run tasks from a queue.
 *
 * **Sizes.** A task is admitted in this order: a new thread while there are fewer than `corePoolSize`, even if some are
 * idle; else the queue; if the queue is full, a new thread up to `maximumPoolSize`; else the rejection handler
 * decides. So with an unbounded queue there are never more than `corePoolSize` threads, and with a
 * `SynchronousQueue`, which holds nothing, a task either finds an idle thread or gets a new one. With
 * `growth: "eager"` a task that finds no idle thread gets a new one up to `maximumPoolSize`, and waits only then.
 *
 * **Keep-alive.** Threads beyond the core size leave after `keepAliveTime` ms without work; with
 * `allowCoreThreadTimeOut` all do. An idle pool does not keep the program alive.
 *
 * **Errors.** An error of a submitted task is in its future. An error of an executed command ends its thread and goes
 * to `uncaughtException` of the factory; the thread is replaced.
 *
 * **Hooks.** Subclasses may override `beforeExecute`, `afterExecute` and `terminated`, and `newTaskFor`. A hook that
 * throws ends the thread as a task would; if it is `beforeExecute`, the task's future fails with its error.
 *
 * All sizes, times, the handler and the factory can be changed while the pool runs.
 *
 * **Memory effects.** As for every `ExecutorService`: writes before `submit` are visible to the task, and writes of the
 * task are visible to each thread that has seen its future done.
 *
 * @example
 * ```ts
 * import { ArrayBlockingQueue, CallerRunsPolicy, ThreadPoolExecutor, virtualThreads } from "corepool"
 *
 * await using pool = new ThreadPoolExecutor({
 *   corePoolSize: 2,
 *   maximumPoolSize: 8,
 *   workQueue: new ArrayBlockingQueue(100),
 *   threadFactory: virtualThreads(),
 *   handler: CallerRunsPolicy,
 * })
 * console.log(await pool.submit((name: string) => `hello ${name}`, "pool")) // => hello pool
 * ```
 */
export class ThreadPoolExecutor extends ConfigurablePool {
  /** What a clone of this pool consists of. Post the pool itself to a thread, and give what arrives to `from` there. */
  declare readonly handle: Handle
  readonly #name: string | undefined
  readonly #context: PoolContext
  #made: PoolEngine | undefined
  /** Makes the engine of a pool that has put that off until it is used. */
  #makeNow: (() => void) | undefined

  /**
   * @throws TypeError for an option that does not exist or is of the wrong kind, `RangeError` for sizes or times out of
   * range.
   */
  constructor(options: ThreadPoolOptions)
  /** @internal `read` makes settings of the options. */
  constructor(options: ThreadPoolOptions, read?: (options: ThreadPoolOptions) => PoolSettings)
  constructor(options: ThreadPoolOptions, read: (options: ThreadPoolOptions) => PoolSettings = platformSettings) {
    super()
    Object.defineProperty(this, "handle", sharing)
    const sent = sentPool(options)
    const settings = sent?.settings ?? read(options)
    const { threadFactory, handler, name } = settings
    const context = new PoolContext(threadFactory, handler, infoOf(name ?? identityOf(this), threadFactory.isVirtual))
    this.#context = context
    this.#name = name
    const isPlain = this.#overridden === 0 && this.terminated === ThreadPoolExecutor.prototype.terminated
    if (sent !== undefined || threadFactory.isVirtual || !isPlain) context.keep(this, this.#hooks)
    if (sent !== undefined) {
      this.#made = sent.join(context)
      context.rejections = this.#made.state.rejected
    } else if (isPlain && new.target === ThreadPoolExecutor && mayWait(settings as PoolSettings)) {
      const here = snapshot() // the engine's own work belongs to no request
      this.#makeNow = () => here(() => this.#make(settings as PoolSettings))
    } else this.#make(settings as PoolSettings)
    if (sent === undefined) noteNewPool(this, context.info, (settings as PoolSettings).warnUnobserved)
  }

  #make(settings: PoolSettings): void {
    const { queue = new LinkedBlockingQueue(), threadFactory, maximum, handler, rateLimiter } = settings
    const engine: PoolEngine = threadFactory.isVirtual
      ? new VirtualEngine(queue, this.#context, rateLimiter)
      : platform().newEngine(queue, this.#context, maximum, this, rateLimiter)
    this.#made = engine
    this.#makeNow = undefined
    const { state } = engine
    this.#context.rejections = state.rejected
    engine.setHandler?.(handler)
    configure(state, settings)
    if (settings.allowCoreThreadTimeOut !== undefined) this.allowCoreThreadTimeOut = settings.allowCoreThreadTimeOut
  }

  get #engine(): PoolEngine {
    if (this.#made === undefined) this.#makeNow?.()
    return this.#made as PoolEngine
  }

  get #state(): PoolState {
    return this.#engine.state
  }

  /** Which hooks a subclass has overridden: see PoolShell. */
  get #overridden(): number {
    const { prototype } = ThreadPoolExecutor
    return (
      (this.beforeExecute === prototype.beforeExecute ? 0 : 1) + (this.afterExecute === prototype.afterExecute ? 0 : 2)
    )
  }

  /** The hooks that the engine calls. They hold this pool. */
  get #hooks(): PoolHooks {
    return {
      hooks: this.#overridden,
      beforeExecute: (thread, task) => this.beforeExecute(thread, task),
      afterExecute: (task, error) => this.afterExecute(task, error),
      terminated: () => this.terminated(),
    }
  }

  /**
   * The same pool that another thread has posted. It can be used there as here, except that only the thread that made
   * it can change its handler and its thread factory, and that subclasses are known to that thread alone.
   */
  static from(shared: Shared): ThreadPoolExecutor {
    return platform().openOnce(shared, (sent) => new ThreadPoolExecutor(sent as never))
  }

  /** @internal */
  protected override get [ENGINE](): PoolEngine {
    return this.#engine
  }

  /** @internal The threads of the pool now: none, if it was never used. */
  [THREADS](): PoolThread[] {
    return this.#made?.threads() ?? []
  }

  /** @internal */
  override get [LABEL](): string | undefined {
    return this.#name
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  static handleOf(pool: ThreadPoolExecutor): Handle {
    const { handle } = pool.#engine
    pool.#context.keep(pool, pool.#hooks) // other threads may use it from now on
    return handle
  }

  // ------------------------------------------------------------------ tasks

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    if (!(command instanceof FutureTask)) requireRunnable("command", command)
    const task = typeof command === "function" && args.length > 0 ? this[CALLABLE](command, args) : command
    if (this[RETRIES]?.refuses === true) this[REFUSE](task)
    else if (this.#makeNow === undefined) this.#context.execute(this, this.#made as PoolEngine, task)
    else this.#executeAhead(task)
  }

  /** Not in place: the closure would cost every call of `execute` a context. */
  #executeAhead(task: Runnable): void {
    platform().ahead(this.threadFactory, () => this[GIVE_TO_ENGINE](task))
  }

  /** @internal */
  protected get [INFO](): PoolInfo {
    return this.#context.info
  }

  /** @internal Lets the handler decide. */
  protected [REFUSE](task: Runnable): void {
    this.#context.refuse(this, task)
  }

  /** @internal */
  protected [GIVE_TO_ENGINE](task: Runnable): void {
    this.#context.execute(this, this.#engine, task)
  }

  /** Takes a command, or the future of a submitted task, back out of the queue. True if it was still waiting. */
  remove(command: Runnable | Future<unknown>): boolean {
    return this.#engine.remove(command as Runnable)
  }

  /** Takes all cancelled futures out of the queue; otherwise they hold their places until a thread reaches them. */
  purge(): void {
    this.queue.removeIf((task) => task instanceof FutureTask && task.isCancelled)
    this.#engine.tryTerminate()
  }

  /** The live queue of waiting tasks. It may hold futures: use `peek`, `poll()`, `remove`, `drainTo` and iteration. */
  get queue(): BlockingQueue<Runnable> {
    return this.#engine.queue
  }

  /**
   * Waits until no task waits and no thread has one in hand; false if the time is up. Tasks that are not due yet wait,
   * too. A task that waits for its next attempt (`with({ retry })`) is in neither place.
   * @throws IllegalStateError in a task of this very pool.
   */
  override awaitQuiescence(wait?: WaitOptions): Promise<boolean> {
    return awaitQuiescence(this.#engine, this.#context.quiescence, wait)
  }

  // ------------------------------------------------------------------ hooks

  /**
   * Before a task runs: on its thread if that is a virtual one, else on the thread that made the pool, while the task
   * waits. If it throws, the task does not run and the thread ends.
   */
  protected beforeExecute(_thread: Thread, _task: Runnable): void {}

  /**
   * After a task ran, where {@link beforeExecute} runs. `error` is what a command threw; a future keeps its error to
   * itself: ask it.
   */
  protected afterExecute(_task: Runnable, _error?: unknown): void {}

  /** When the pool has ended, before it counts as terminated. */
  protected terminated(): void {}

  // ------------------------------------------------------------------ handler and factory

  /** Decides about tasks that the pool cannot take. */
  get handler(): RejectedExecutionHandler {
    return this.#context.handler
  }

  set handler(handler: RejectedExecutionHandler) {
    if (!this.#engine.isOwner) throw notTheOwner("change its handler")
    this.#context.handler = requireHandler("handler", handler)
    this.#engine.setHandler?.(handler)
  }

  get threadFactory(): ThreadFactory {
    return this.#context.threadFactory
  }

  /** Applies to threads made from now on. It must make the same kind of thread. */
  set threadFactory(factory: ThreadFactory) {
    if (!this.#engine.isOwner) throw notTheOwner("change its thread factory")
    this.#context.threadFactory = requireThreadFactory("threadFactory", factory)
  }

  // ------------------------------------------------------------------ the end

  shutdown(): void {
    this.#context.keep(this, this.#hooks)
    if (this[RETRIES]?.putOff(() => this.#shutDown()) !== true) this.#shutDown()
  }

  #shutDown(): void {
    this.#engine.beginEnd()
    try {
      this.#state.control.advanceTo(SHUTDOWN)
      this.#engine.shuttingDown?.()
      this.#engine.interruptIdleWorkers()
      this[ON_SHUTDOWN]()
    } finally {
      this.#engine.finishEnd()
    }
  }

  shutdownNow(): Runnable[] {
    this.#context.keep(this, this.#hooks)
    this.#engine.beginEnd()
    try {
      this.#state.control.advanceTo(STOP)
      this.#engine.shuttingDown?.()
      this[RETRIES]?.stop()
      this.#engine.interruptWorkers()
      const pool = textOf(this)
      // Before the end is announced, and so before terminated(), which may throw: no future must stay pending.
      return this.#engine.drain((task) => handBack(task, pool))
    } finally {
      this.#engine.finishEnd()
    }
  }

  get isShutdown(): boolean {
    return this[RETRIES]?.isClosing === true || !this.#state.control.isRunning
  }

  /** Shut down, but something is still running or waiting. */
  get isTerminating(): boolean {
    return this.isShutdown && !this.isTerminated
  }

  get isTerminated(): boolean {
    return atLeast(this.#state.control.snapshot, TERMINATED)
  }

  async awaitTermination(wait?: WaitOptions): Promise<boolean> {
    if (timeoutOf(wait) <= 0) return this.isTerminated // it does not wait, and so leaves a pending interrupt alone
    return await awaiting(this.#terminating(), wait, "termination", this)
  }

  *#terminating(): Steps<boolean> {
    while (!this.isTerminated) if ((yield this.#context.termination) === TIMEOUT) return false
    return true
  }

  override async close(wait: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#engine.hasThread(currentFlow().owner)) {
      throw new IllegalStateError(
        "close() was called by a task of this very pool and would wait for itself: use shutdown()",
      )
    }
    this.#engine.closing()
    this.resume() // otherwise what is queued would wait for ever
    await super.close(wait)
  }

  // ------------------------------------------------------------------ for views, helpers and the scheduled executor

  /** @internal Lets a subclass remove tasks from the queue now that the pool is shut down. */
  protected [ON_SHUTDOWN](): void {}

  /** @internal */
  override [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return this.#makeNow === undefined ? this.#engine.callable(fn, args) : keptApart(fn, args)
  }

  /** @internal */
  override [WITHDRAW](task: Runnable): void {
    this.remove(task)
  }

  /** @internal */
  override get [ORDERS_BY_PRIORITY](): boolean {
    return this.queue[CORE].ordersByPriority
  }

  /** @internal */
  override get [DEFAULT_WINDOW](): number {
    return Math.min(2 * this.maximumPoolSize, LARGEST_WINDOW)
  }

  /** @internal */
  get [BULK_MAP](): BulkMap | undefined {
    return this.#engine.bulkMap
  }
}

/** A clone copies an object's own properties, not those of its class. */
const sharing: PropertyDescriptor & ThisType<ThreadPoolExecutor> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return ThreadPoolExecutor.handleOf(this)
  },
})
