import { noteNewPool } from "../pool/live-pools.ts"
import { ENGINE, THREADS } from "../pool/internals.ts"
import type { PoolThread } from "../pool/engine/pool-engine.ts"
import { GO_TO } from "./task/internals.ts"
import { BULK_MAP, CALLABLE, DEFAULT_WINDOW, RETRIES, WITHDRAW } from "../executor/internals.ts"
import { availableParallelism } from "#host/runtime/machine"
import type { BulkMap } from "../executor/executor.ts"
import { alone, requireBoolean, requireInteger, requireObject, requireOptions, typeError } from "../checks.ts"
import { CancellationError, IllegalStateError, RejectedExecutionError } from "../errors.ts"
import type { Future } from "../future/future.ts"
import { type Callable, requireRunnable, type Runnable } from "../future/runnable.ts"
import type { AnyFunction, ArgumentsOf, ResultOf } from "../future/signatures.ts"
import { identityOf } from "../identity.ts"
import { currentFlow } from "../memory/flow/flow.ts"
import type { Handle, Shared } from "../memory/shared/shared-memory.ts"
import { SHAREABLE } from "../memory/shared/shareables.ts"
import { awaiting, type Steps, TIMEOUT, timeoutOf, type WaitOptions } from "../memory/flow/waiting.ts"
import { infoOf } from "../observing.ts"
import { perThread } from "../per-thread.ts"
import { watchPool } from "../platform/owner/forgotten-pools.ts"
import { registerForkJoinPools } from "../platform/member/known-classes.ts"
import { PoolGuest } from "../platform/member/pool-guest.ts"
import { MOST_WORKERS } from "../platform/memory/layout.ts"
import { SHUTDOWN, STOP } from "../core/control-word.ts"
import { PoolContext } from "../pool/pool-context.ts"
import { awaitQuiescence } from "../pool/engine/quiescence.ts"
import { drop } from "../pool/engine/unrun-tasks.ts"
import { OWNERS_FACTORY, SentPool } from "../pool/sent-pool.ts"
import { newPlatformThreads } from "../thread/platform-threads.ts"
import { requireThreadFactory, type ThreadFactory } from "../thread/thread-factory.ts"
import type { ForkJoinTask } from "./task/fork-join-task.ts"
import { ForkJoinGuest, type ForkJoinMember, ForkJoinOwner } from "./fork-join-member.ts"
import { ForkJoinStatus } from "./fork-join-status.ts"
import { isForkJoinTask } from "./task/life.ts"
import { thisThread } from "./task/this-thread.ts"

/** Settings of a {@link ForkJoinPool}. */
export interface ForkJoinPoolOptions {
  /** How many threads work at the same time; default as many as there are processors. */
  readonly parallelism?: number
  /** Whether a thread takes what it has forked itself in the order in which it was forked, and not the newest first. */
  readonly asyncMode?: boolean
  /** Makes the threads: `platformThreads(…)`. By default their names are `ForkJoinPool-N-worker-M`. */
  readonly threadFactory?: ThreadFactory
}

/** Something to wait for: see {@link ForkJoinPool.managedBlock}. */
export interface ManagedBlocker {
  /** Waits, perhaps not to the end. True if there is nothing to wait for any more. */
  block(): boolean
  /** True if there is nothing to wait for. */
  isReleasable(): boolean
}

/** How many threads there may be beyond the parallelism, while others are blocked. */
const MOST_SPARES = 256
const KEEP_ALIVE = 60_000

let pools = 0

function requirePlatformThreads(factory: ThreadFactory): ThreadFactory {
  if (!requireThreadFactory("threadFactory", factory).isVirtual) return factory
  throw typeError("threadFactory", "one that makes platform threads: virtual ones cannot block for a task", factory)
}

/**
 * A pool for work that divides itself: tasks fork parts of themselves, and idle threads steal these parts. The thread
 * that made the pool takes no part in this.
 *
 * See {@link fork} and `ForkJoinTask` for what tasks can do. The pool runs ordinary tasks as well, by `submit` and
 * `execute`; with `asyncMode` it does so in the order in which they were forked, which suits tasks that are never
 * joined.
 *
 * Its threads are made when there are tasks for them, and leave after a minute without. A pool that is not used does
 * not keep the program alive.
 *
 * **Memory effects.** Those of `ForkJoinTask` and of every `ExecutorService`.
 *
 * @example
 * ```ts
 * // fib.ts
 * import { fork, task } from "corepool"
 *
 * export const fib = task(import.meta.url, function fib(n: number): number {
 *   if (n < 15) return n < 2 ? n : fib(n - 1) + fib(n - 2)
 *   const other = fork(fib, n - 1)
 *   return fib(n - 2) + other.join()
 * })
 * ```
 * ```ts
 * import { ForkJoinPool } from "corepool"
 * import { fib } from "./fib.js"
 *
 * await using pool = new ForkJoinPool({ parallelism: 2 })
 * console.log(await pool.invoke(fib, 20)) // => 6765
 * ```
 */
export class ForkJoinPool extends ForkJoinStatus {
  /** What a clone of this pool consists of; see `ThreadPoolExecutor`. */
  declare readonly handle: Handle
  readonly #engine: ForkJoinMember
  readonly #context: PoolContext<ForkJoinPool>
  #isCommon = false

  /**
   * @throws RangeError if `parallelism` is no integer ≥ 1, `TypeError` for a factory of virtual threads: they cannot
   * block for a task.
   */
  constructor(options: ForkJoinPoolOptions = {}) {
    super()
    Object.defineProperty(this, "handle", sharing)
    registerForkJoinPools(openPool)
    if (options instanceof SentPool) {
      this.#context = new PoolContext(OWNERS_FACTORY, ForkJoinPool.#refuse, infoOf(identityOf(this), false))
      this.#keep()
      this.#engine = new ForkJoinGuest(options.shared, this.#context)
      return
    }
    const given = requireOptions("options", options, { parallelism: true, asyncMode: true, threadFactory: true })
    const most = MOST_WORKERS - MOST_SPARES
    const { parallelism = ForkJoinPool.commonPoolParallelism, asyncMode = false } = given
    requireInteger("parallelism", parallelism, 1)
    requireInteger("parallelism", most, parallelism, `parallelism (${parallelism})`)
    requireBoolean("asyncMode", asyncMode)
    const number = ++pools
    const { threadFactory = newPlatformThreads({ name: (n) => `ForkJoinPool-${number}-worker-${n}` }) } = given
    const factory = requirePlatformThreads(threadFactory)
    this.#context = new PoolContext(factory, ForkJoinPool.#refuse, infoOf(identityOf(this), false))
    const engine = new ForkJoinOwner(this.#context, parallelism, parallelism + MOST_SPARES, asyncMode)
    this.#engine = engine
    watchPool(this, engine)
    const { state } = engine
    state.corePoolSize = parallelism
    state.maximumPoolSize = parallelism + MOST_SPARES
    state.keepAliveTime = KEEP_ALIVE
    state.allowCoreThreadTimeOut = true
    noteNewPool(this, this.#context.info)
  }

  /**
   * The pool that runs tasks forked outside of any pool. It cannot be shut down, and does not keep the program alive
   * when there is nothing to do.
   *
   * Each thread has a common pool of its own, made when it first asks: only the thread that owns threads can make them
   * work. In a task of a ForkJoinPool `fork` means that pool, so this concerns only tasks of other pools.
   */
  static commonPool(): ForkJoinPool {
    if (common.pool === undefined) {
      const pool = new ForkJoinPool() // one thread more than Java's, where a waiting main thread helps
      pool.#isCommon = true
      common.pool = pool
    }
    return common.pool
  }

  /** The parallelism that the common pool has, or would have. Reading this does not make the pool. */
  static get commonPoolParallelism(): number {
    return Math.min(availableParallelism(), MOST_WORKERS - MOST_SPARES)
  }

  /**
   * Waits for something that corepool does not know of, in a task that cannot await it. If all other threads of the
   * pool are blocked, one more is made meanwhile. Calls `block`, which waits, until it returns true or `isReleasable`
   * does.
   *
   *     ForkJoinPool.managedBlock({
   *       isReleasable: () => lines.length > 0,
   *       block: () => lines.push(readLineSync(pipe)) > 0,
   *     })
   *
   * Waits of corepool itself, such as `lockSync` or `getSync`, need no such thing. Outside of a ForkJoinPool it just
   * waits.
   */
  static managedBlock(blocker: ManagedBlocker): void {
    requireObject("blocker", blocker)
    const { forks } = thisThread
    const block = (): boolean => requireBoolean("blocker.block()", blocker.block())
    while (!requireBoolean("blocker.isReleasable()", blocker.isReleasable())) {
      if (forks === undefined ? block() : forks.compensation.during(block)) return
    }
  }

  /** The same pool that another thread has posted. */
  static from(shared: Shared): ForkJoinPool {
    return PoolGuest.once(shared, (sent) => new ForkJoinPool(sent as never))
  }

  /** @internal */
  protected override get [ENGINE](): ForkJoinMember {
    return this.#engine
  }

  /** @internal */
  [THREADS](): PoolThread[] {
    return this.#engine.threads()
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  static handleOf(pool: ForkJoinPool): Handle {
    const { handle } = pool.#engine
    pool.#keep() // other threads may use the pool from now on
    return handle
  }

  // ------------------------------------------------------------------ tasks

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    requireRunnable("command", command)
    const engine = this.#engine
    const task = typeof command === "function" && args.length > 0 ? engine.callable(command, args) : command
    if (this[RETRIES]?.refuses === true) ForkJoinPool.#refuse(task, this)
    this.#context.execute(this, engine, task)
  }

  override submit<T>(task: ForkJoinTask<T>): ForkJoinTask<T>
  override submit<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Future<T>
  override submit<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(
    task: F,
    ...args: A
  ): Future<ResultOf<F, A>>
  override submit<A extends unknown[], T>(
    task: ForkJoinTask<T> | ((...args: A) => T | PromiseLike<T>),
    ...args: A
  ): Future<T> {
    if (!isForkJoinTask(task)) return super.submit(task, ...args)
    if (!task.isDone) task[GO_TO]((future) => this.execute(future))
    else if (this.isShutdown) ForkJoinPool.#refuse(() => undefined, this)
    return task
  }

  /** Runs the task and gives its result: `await pool.invoke(fib, 40)`, or `await pool.invoke(new Fib(40))`. */
  invoke<T>(task: ForkJoinTask<T>): Promise<T>
  /** The same for a function and its arguments. */
  invoke<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Promise<T>
  /** The same for a function with several signatures. */
  invoke<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(task: F, ...args: A): Promise<ResultOf<F, A>>
  async invoke<A extends unknown[], T>(
    task: ForkJoinTask<T> | ((...args: A) => T | PromiseLike<T>),
    ...args: A
  ): Promise<T> {
    return await (isForkJoinTask(task) ? this.submit(task) : this.submit(task, ...args))
  }

  /** The same for code that cannot await: blocks this thread. */
  invokeSync<T>(task: ForkJoinTask<T>): T
  /** The same for a function and its arguments. */
  invokeSync<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): T
  /** The same for a function with several signatures. */
  invokeSync<F extends AnyFunction, A extends ArgumentsOf<F> & unknown[]>(task: F, ...args: A): ResultOf<F, A>
  invokeSync<A extends unknown[], T>(task: ForkJoinTask<T> | ((...args: A) => T | PromiseLike<T>), ...args: A): T {
    return (isForkJoinTask(task) ? this.submit(task) : this.submit(task, ...args)).getSync()
  }

  /** Keeps the pool alive as long as its engine. */
  #keep(): void {
    this.#context.keep(this)
  }

  static #refuse(this: void, task: Runnable, pool: ForkJoinPool): never {
    throw new RejectedExecutionError(`${identityOf(pool)} is shut down, or has no room for the task`, task)
  }

  // ------------------------------------------------------------------ pause and quiescence

  /**
   * Begins no more submitted tasks until `resume()`. Tasks that run go on, and so do those that they fork. See
   * `ThreadPoolExecutor.pause`, also for what ends the pause.
   */
  override pause(): void {
    this.#engine.pause()
  }

  /** Begins submitted tasks again. */
  override resume(): void {
    this.#engine.resume()
  }

  /** Waits until no task waits and no thread works; false if the time is over first. */
  override async awaitQuiescence(wait?: WaitOptions): Promise<boolean> {
    return await awaitQuiescence(this.#engine, this.#context.quiescence, wait)
  }

  // ------------------------------------------------------------------ the end

  /** Takes no more tasks; submitted tasks, and what they fork, are still run. No effect on the common pool. */
  shutdown(): void {
    if (this.#isCommon) return
    this.#keep()
    if (this[RETRIES]?.putOff(() => this.#shutDown()) !== true) this.#shutDown()
  }

  #shutDown(): void {
    this.#engine.beginEnd()
    this.#engine.state.control.advanceTo(SHUTDOWN)
    this.#engine.shuttingDown()
    this.#engine.interruptIdleWorkers()
    this.#engine.finishEnd()
  }

  /** Cancels all tasks, waiting or running. As in Java nothing is returned. No effect on the common pool. */
  shutdownNow(): Runnable[] {
    if (this.#isCommon) return []
    this.#keep()
    this.#engine.beginEnd()
    this.#engine.state.control.advanceTo(STOP)
    this.#engine.shuttingDown()
    this[RETRIES]?.stop()
    // Before the interrupt: otherwise a task that reacts to it at once would fail with it.
    this.#engine.forkJoinWorkers.cancelRunning()
    const cause = new CancellationError(`${identityOf(this)} was shut down`)
    this.#engine.drain((task) => {
      drop(task, cause)
      return task
    })
    this.#engine.interruptWorkers()
    this.#engine.finishEnd()
    return []
  }

  /** Waits for the end; of the common pool, which has none, until it is quiescent, and then false. */
  async awaitTermination(wait?: WaitOptions): Promise<boolean> {
    if (this.#isCommon) {
      await this.awaitQuiescence(wait)
      return false
    }
    if (timeoutOf(wait) <= 0) return this.isTerminated
    return await awaiting(this.#terminating(), wait, "termination", this)
  }

  *#terminating(): Steps<boolean> {
    while (!this.isTerminated) if ((yield this.#context.termination) === TIMEOUT) return false
    return true
  }

  /** No effect on the common pool. */
  override async close(wait: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (this.#isCommon) return
    if (this.#engine.hasThread(currentFlow().owner)) {
      throw new IllegalStateError(
        "close() was called by a task of this very pool and would wait for itself: use shutdown()",
      )
    }
    this.#engine.closing()
    this.resume()
    await super.close(wait)
  }

  // ------------------------------------------------------------------ for views

  /** @internal */
  override [CALLABLE]<A extends unknown[], T>(fn: (...args: A) => T | PromiseLike<T>, args: A): Callable<T> {
    return this.#engine.callable(fn, args)
  }

  /** @internal */
  override [WITHDRAW](task: Runnable): void {
    this.#engine.remove(task)
  }

  /** @internal */
  override get [DEFAULT_WINDOW](): number {
    return 2 * this.parallelism
  }

  /** @internal */
  get [BULK_MAP](): BulkMap | undefined {
    return this.#engine.bulkMap
  }
}

const common = perThread("common pool", () => ({ pool: undefined as ForkJoinPool | undefined }))

thisThread.submitElsewhere = (task) => ForkJoinPool.commonPool().execute(task)

const openPool = (shared: Shared): ForkJoinPool => ForkJoinPool.from(shared)

/** A clone takes along own properties, not those of the class. */
const sharing: PropertyDescriptor & ThisType<ForkJoinPool> = /* @__PURE__ */ alone({
  enumerable: true,
  get() {
    return ForkJoinPool.handleOf(this)
  },
})
