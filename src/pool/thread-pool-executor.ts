/**
 * A pool of threads that run tasks from a queue.
 *
 *     await using pool = new ThreadPoolExecutor({
 *       corePoolSize: 2,
 *       maximumPoolSize: 8,
 *       workQueue: new ArrayBlockingQueue(100),
 *       threadFactory: virtualThreads(),
 *       handler: CallerRunsPolicy,
 *     })
 *
 * Sizes. A task is admitted in this order: a new thread while there are fewer than `corePoolSize`, even if some are
 * idle; else the queue; if the queue is full, a new thread up to `maximumPoolSize`; else the rejection handler
 * decides. So with an unbounded queue there are never more than `corePoolSize` threads, and with a
 * `SynchronousQueue`, which holds nothing, a task either finds an idle thread or gets a new one.
 *
 * Keep-alive. Threads beyond the core size leave after `keepAliveTime` ms without work; with `allowCoreThreadTimeOut`
 * all do. An idle pool does not keep the program alive.
 *
 * Errors. What a submitted task throws is in its future. What an executed command throws ends its thread, goes to the
 * factory's
 * `uncaughtException`, and the thread is replaced.
 *
 * Hooks. Subclasses may override `beforeExecute`, `afterExecute` and `terminated`, and `newTaskFor`. A hook that
 * throws ends the thread as a task would; if it is `beforeExecute`, the task's future fails with its error.
 *
 * All sizes, times, the handler and the factory can be changed while the pool runs.
 */
import { rangeError, requireBoolean, requireDuration, requireInteger } from "../checks.ts"
import { IllegalStateError } from "../errors.ts"
import { AbstractExecutorService } from "../executor/abstract-executor-service.ts"
import type { Future } from "../future/future.ts"
import { FutureTask } from "../future/future-task.ts"
import { type Callable, requireRunnable, type Runnable } from "../future/runnable.ts"
import { identityOf } from "../identity.ts"
import { currentFlow } from "../memory/flow.ts"
import { type Handle, SHAREABLE, type Shared } from "../memory/shared-memory.ts"
import { awaiting, type Steps, TIMEOUT, timeoutOf, WaitList, type WaitOptions } from "../memory/waiting.ts"
import { PoolGuest } from "../platform/pool-guest.ts"
import { PoolOwner } from "../platform/pool-owner.ts"
import type { BlockingQueue } from "../queue/blocking-queue.ts"
import { PriorityBlockingQueue } from "../queue/priority-blocking-queue.ts"
import type { Thread } from "../thread/thread.ts"
import { newThreadOf, requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import { atLeast, SHUTDOWN, STOP, TERMINATED, TIDYING } from "./control-word.ts"
import { handBack } from "./hand-back.ts"
import type { PoolEngine, PoolShell } from "./pool-engine.ts"
import { notTheOwner, OWNERS_FACTORY, SentPool, settingsOf } from "./pool-settings.ts"
import type { PoolState } from "./pool-state.ts"
import { policyNumber, policyOf, type RejectedExecutionHandler, requireHandler } from "./rejection.ts"
import type { Capabilities, ThreadPoolOptions } from "./thread-pool-options.ts"
import { VirtualEngine } from "./virtual-engine.ts"

/** The largest default window of `map`, for pools whose maximum size means "no limit". */
const LARGEST_WINDOW = 1024

export class ThreadPoolExecutor extends AbstractExecutorService {
  /** What a clone of this pool consists of. Post the pool itself to a thread, and give what arrives to `from` there. */
  declare readonly handle: Handle
  readonly #name: string | undefined
  readonly #engine: PoolEngine
  readonly #state: PoolState
  readonly #termination = new WaitList()
  #threadFactory: ThreadFactory
  #handler: RejectedExecutionHandler

  constructor(options: ThreadPoolOptions) {
    super()
    const shell: PoolShell = {
      hooks:
        (this.beforeExecute === ThreadPoolExecutor.prototype.beforeExecute ? 0 : 1) +
        (this.afterExecute === ThreadPoolExecutor.prototype.afterExecute ? 0 : 2),
      newThread: (target) => newThreadOf(this.#threadFactory, target),
      beforeExecute: (thread, task) => this.beforeExecute(thread, task),
      afterExecute: (task, error) => this.afterExecute(task, error),
      terminated: () => this.terminated(),
      reject: (task) => this.#handler(task, this),
      announceTermination: () => this.#termination.signalAll(),
    }
    Object.defineProperty(this, "handle", sharing)
    if (options instanceof SentPool) {
      const guest = new PoolGuest(options.shared, shell)
      this.#engine = guest
      this.#state = guest.state
      this.#threadFactory = OWNERS_FACTORY
      this.#handler = (task, executor) => (policyOf(guest.policy) ?? ((it) => guest.askHandler(it)))(task, executor)
      this.#name = undefined
      return
    }
    const settings = settingsOf(options)
    this.#threadFactory = settings.threadFactory
    this.#handler = settings.handler
    this.#name = settings.name
    this.#engine = settings.threadFactory.isVirtual
      ? new VirtualEngine(settings.queue, shell)
      : new PoolOwner(settings.queue, shell, settings.maximum)
    this.#engine.setPolicy(policyNumber(settings.handler))
    this.#state = this.#engine.state
    this.#state.corePoolSize = settings.core
    this.#state.maximumPoolSize = settings.maximum
    this.#state.keepAliveTime = settings.keepAlive
    if (options.allowCoreThreadTimeOut !== undefined) this.allowCoreThreadTimeOut = options.allowCoreThreadTimeOut
  }

  /**
   * The same pool that another thread has posted. It can be used there as here, except that only the thread that made it can
   * change its handler and its thread factory, and that subclasses are known to that thread alone.
   */
  static from(shared: Shared): ThreadPoolExecutor {
    return PoolGuest.once(shared, () => new ThreadPoolExecutor(new SentPool(shared) as never))
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  static handleOf(pool: ThreadPoolExecutor): Handle {
    return pool.#engine.handle
  }

  // ------------------------------------------------------------------ tasks

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    this.#engine.execute(
      typeof command === "function" && args.length > 0 ? this.#engine.callable(command, args) : command,
    )
  }

  /** Takes back what was given to `execute`, or the future of a submitted task, if it still waits. True if it did. */
  remove(command: Runnable | Future<unknown>): boolean {
    return this.#engine.remove(command as Runnable)
  }

  /** Takes all cancelled futures out of the queue; otherwise they hold their places until a thread reaches them. */
  purge(): void {
    this.queue.removeIf((task) => task instanceof FutureTask && task.isCancelled)
    this.#engine.tryTerminate()
  }

  /**
   * The tasks that wait: the very queue, alive. It may hold futures: look with `peek`, `poll()`, `remove`, `drainTo`
   * and iteration.
   */
  get queue(): BlockingQueue<Runnable> {
    return this.#engine.queue
  }

  // ------------------------------------------------------------------ hooks

  /** Before a task runs, on its thread. If it throws, the task does not run and the thread ends. */
  protected beforeExecute(_thread: Thread, _task: Runnable): void {}

  /** After a task ran, on its thread. `error` is what a command threw; a future keeps its error to itself: ask it. */
  protected afterExecute(_task: Runnable, _error?: unknown): void {}

  /** When the pool has ended, before anybody hears of it. */
  protected terminated(): void {}

  // ------------------------------------------------------------------ sizes and times

  get corePoolSize(): number {
    return this.#state.corePoolSize
  }

  /** Raising it starts threads for what is queued; lowering it lets idle threads go. */
  set corePoolSize(size: number) {
    const maximum = this.#state.maximumPoolSize
    requireInteger("corePoolSize", size, 0)
    if (size > maximum) throw rangeError("corePoolSize", `an integer ≤ maximumPoolSize (${maximum})`, size)
    const growth = size - this.#state.corePoolSize
    this.#state.corePoolSize = size
    if (this.#state.control.workerCount > size) {
      this.#engine.interruptIdleWorkers()
      return
    }
    // How many threads the new size is worth is unknown: as many as there are tasks to take, until somebody took them.
    for (let wanted = Math.min(growth, this.queue.size); wanted > 0; wanted--) {
      if (!this.#engine.addWorker("core") || this.queue.isEmpty) return
    }
  }

  get maximumPoolSize(): number {
    return this.#state.maximumPoolSize
  }

  /** Lowering it lets surplus threads go as soon as they have no task in hand. */
  set maximumPoolSize(size: number) {
    const core = this.#state.corePoolSize
    requireInteger("maximumPoolSize", size, 1)
    requireInteger("maximumPoolSize", size, core, `corePoolSize (${core})`)
    this.#state.maximumPoolSize = size
    if (this.#state.control.workerCount > size) this.#engine.interruptIdleWorkers()
  }

  get keepAliveTime(): number {
    return this.#state.keepAliveTime
  }

  /** A shorter time applies at once to threads that are idle now. */
  set keepAliveTime(ms: number) {
    requireDuration("keepAliveTime", ms)
    if (ms === 0 && this.allowCoreThreadTimeOut) {
      throw rangeError("keepAliveTime", "> 0 while allowCoreThreadTimeOut is on", ms)
    }
    const shorter = ms < this.#state.keepAliveTime
    this.#state.keepAliveTime = ms
    if (shorter) this.#engine.interruptIdleWorkers()
  }

  get allowCoreThreadTimeOut(): boolean {
    return this.#state.allowCoreThreadTimeOut
  }

  set allowCoreThreadTimeOut(allow: boolean) {
    requireBoolean("allowCoreThreadTimeOut", allow)
    if (allow && this.#state.keepAliveTime === 0) {
      throw rangeError("allowCoreThreadTimeOut", "false while keepAliveTime is 0", allow)
    }
    if (allow === this.#state.allowCoreThreadTimeOut) return
    this.#state.allowCoreThreadTimeOut = allow
    if (allow) this.#engine.interruptIdleWorkers()
  }

  get handler(): RejectedExecutionHandler {
    return this.#handler
  }

  set handler(handler: RejectedExecutionHandler) {
    if (!this.#engine.isOwner) throw notTheOwner("change its handler")
    this.#handler = requireHandler("handler", handler)
    this.#engine.setPolicy(policyNumber(handler))
  }

  get threadFactory(): ThreadFactory {
    return this.#threadFactory
  }

  /** Applies to threads made from now on. It must make the same kind of thread. */
  set threadFactory(factory: ThreadFactory) {
    if (!this.#engine.isOwner) throw notTheOwner("change its thread factory")
    this.#threadFactory = requireThreadFactory("threadFactory", factory)
  }

  /** Starts one core thread ahead of its first task; false if all are there. */
  prestartCoreThread(): boolean {
    return this.#state.control.workerCount < this.#state.corePoolSize && this.#engine.addWorker("core")
  }

  /** Starts all core threads; how many were missing. */
  prestartAllCoreThreads(): number {
    let started = 0
    while (this.#engine.addWorker("core")) started++
    return started
  }

  // ------------------------------------------------------------------ statistics

  get poolSize(): number {
    return atLeast(this.#state.control.snapshot, TIDYING) ? 0 : this.#engine.poolSize
  }

  /** How many threads have a task in hand. */
  get activeCount(): number {
    return this.#engine.activeCount
  }

  get largestPoolSize(): number {
    return this.#state.largestPoolSize
  }

  /** How many tasks are over, however they ended. */
  get completedTaskCount(): number {
    return this.#engine.completedTaskCount
  }

  /** How many tasks were ever accepted: completed, running and waiting. */
  get taskCount(): number {
    return this.completedTaskCount + this.activeCount + this.queue.size
  }

  get capabilities(): Capabilities {
    return this.#engine.capabilities
  }

  override toString(): string {
    const seen = this.#state.control.snapshot
    const state = !atLeast(seen, SHUTDOWN) ? "Running" : atLeast(seen, TERMINATED) ? "Terminated" : "Shutting down"
    return (
      `${this.#name ?? identityOf(this)}[${state}, pool size = ${this.#engine.poolSize}, ` +
      `active threads = ${this.activeCount}, queued tasks = ${this.queue.size}, ` +
      `completed tasks = ${this.completedTaskCount}]`
    )
  }

  // ------------------------------------------------------------------ the end

  shutdown(): void {
    this.#state.control.advanceTo(SHUTDOWN)
    this.#engine.shuttingDown()
    this.#engine.interruptIdleWorkers()
    this.onShutdown()
    this.#engine.tryTerminate()
  }

  shutdownNow(): Runnable[] {
    this.#state.control.advanceTo(STOP)
    this.#engine.shuttingDown()
    this.#engine.interruptWorkers()
    const unrun = this.#engine.drain()
    // Before the end is announced, and so before terminated(), which may throw: no future must stay pending.
    const handedBack = unrun.map((task) => handBack(task, this))
    this.#engine.tryTerminate()
    return handedBack
  }

  get isShutdown(): boolean {
    return !this.#state.control.isRunning
  }

  /** Shut down, but something is still running or waiting. */
  get isTerminating(): boolean {
    return this.isShutdown && !this.isTerminated
  }

  get isTerminated(): boolean {
    return atLeast(this.#state.control.snapshot, TERMINATED)
  }

  async awaitTermination(wait?: WaitOptions): Promise<boolean> {
    if (timeoutOf(wait) <= 0) return this.isTerminated // only looks, and so leaves a pending interrupt alone
    return await awaiting(this.#terminating(), wait)
  }

  *#terminating(): Steps<boolean> {
    while (!this.isTerminated) if ((yield this.#termination) === TIMEOUT) return false
    return true
  }

  override async close(wait: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#engine.hasThread(currentFlow().owner)) {
      throw new IllegalStateError(
        "close() was called by a task of this very pool and would wait for itself: use shutdown()",
      )
    }
    await super.close(wait)
  }

  // ------------------------------------------------------------------ for views, helpers and the scheduled executor

  /** @internal Something in the queue may have to go now that the pool is shut down. */
  protected onShutdown(): void {}

  /** @internal */
  protected get isStopped(): boolean {
    return atLeast(this.#state.control.snapshot, STOP)
  }

  /** @internal */
  protected reject(task: Runnable): void {
    this.#handler(task, this)
  }

  /** @internal */
  protected ensureWorker(): void {
    this.#engine.ensureWorker()
  }

  /** @internal */
  protected tryTerminate(): void {
    this.#engine.tryTerminate()
  }

  /** @internal */
  override callable<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return this.#engine.callable(fn, args)
  }

  /** @internal */
  override withdraw(task: Runnable): void {
    this.remove(task)
  }

  /** @internal */
  override get ordersByPriority(): boolean {
    return this.queue instanceof PriorityBlockingQueue
  }

  /** @internal */
  override get defaultWindow(): number {
    return Math.min(2 * this.maximumPoolSize, LARGEST_WINDOW)
  }
}

/** A clone takes along what an object owns, not what its class has. */
const sharing: PropertyDescriptor & ThisType<ThreadPoolExecutor> = {
  enumerable: true,
  get() {
    return ThreadPoolExecutor.handleOf(this)
  },
}
