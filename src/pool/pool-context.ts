import type { Runnable } from "../future/runnable.ts"
import type { PoolState } from "../core/pool-state.ts"
import { heed } from "../memory/flow/guard.ts"
import { WaitList } from "../memory/flow/waiting.ts"
import { observing, type PoolInfo } from "../observing.ts"
import type { Thread } from "../thread/thread.ts"
import { newThreadOf, type ThreadFactory } from "../thread/thread-factory.ts"
import { noteEndOfPool } from "./live-pools.ts"
import type { PoolEngine, PoolShell } from "./engine/pool-engine.ts"
import type { RejectedExecutionHandler } from "./rejection.ts"

/** The hooks of a subclass. */
export type PoolHooks = Pick<PoolShell, "hooks" | "beforeExecute" | "afterExecute" | "terminated">

type Engine = Pick<PoolEngine, "execute" | "isBusy">

type ThreadPool = Parameters<RejectedExecutionHandler>[1]

/**
 * The link between a pool and its engine: the settings that can be changed, and the reference from the engine back to
 * the pool.
 *
 * The threads of a pool hold its engine for as long as they run. If the engine always held the pool, a pool that was
 * not shut down could never be garbage, and its threads would stay for ever. So the engine holds the pool only
 *
 * - while there is work: from the submission of a task until the last one is over;
 * - for ever, if a subclass has hooks, if the pool is shut down, or if the pool was sent to another thread, whose tasks
 *   this thread does not know of.
 *
 * A pool that is collected is therefore idle, and its engine can be ended: see platform/owner/forgotten-pools.ts.
 */
export class PoolContext<Pool = ThreadPool> implements PoolShell {
  readonly info: PoolInfo
  threadFactory: ThreadFactory
  handler: (task: Runnable, pool: Pool) => unknown
  /** Counts the tasks that the handler was given. */
  rejections: PoolState["rejected"] | undefined
  readonly termination: WaitList = new WaitList()
  /** The flows that wait for the pool to be quiescent. */
  readonly quiescence: WaitList = new WaitList()
  #pool: Pool | undefined
  #hooks: PoolHooks | undefined
  #isKept = false
  /** How many calls of the pool are under way that need the reference. */
  #calls = 0

  constructor(threadFactory: ThreadFactory, handler: (task: Runnable, pool: Pool) => unknown, info: PoolInfo) {
    this.info = info
    this.threadFactory = threadFactory
    this.handler = handler
  }

  // ------------------------------------------------------------------ for the pool

  /** From now on the engine holds the pool for ever. */
  keep(pool: Pool, hooks?: PoolHooks): void {
    this.#isKept = true
    this.#pool = pool
    this.#hooks = hooks
  }

  /** Gives the engine a task of the pool. The engine holds the pool during the call, and while there is work. */
  execute(pool: Pool, engine: Engine, task: Runnable, isReported: boolean = observing.by === undefined): void {
    if (!isReported) {
      this.#report(pool, engine, task)
      return
    }
    if (this.#isKept) {
      engine.execute(task)
      return
    }
    this.#pool = pool
    this.#calls++
    try {
      engine.execute(task)
    } finally {
      if (--this.#calls === 0 && !engine.isBusy) this.rest()
    }
  }

  /**
   * Reports the submission to the observer, which then executes the task. Not in place: the closure would cost every
   * call of `execute` a context.
   */
  #report(pool: Pool, engine: Engine, task: Runnable): void {
    observing.by?.submit(this.info, task, () => this.execute(pool, engine, task, true))
  }

  /** Lets the handler decide on a task that the pool does not take. */
  refuse(pool: Pool, task: Runnable): void {
    this.rejections?.increment()
    observing.by?.rejected(this.info, task)
    heed(this.handler(task, pool)) // a promise, if it is asynchronous
  }

  // ------------------------------------------------------------------ for the engine

  /** No work is left: lets go of the pool, unless it is kept or a call is under way. */
  rest(): void {
    if (this.#calls === 0 && !this.#isKept) this.#pool = undefined
  }

  get hooks(): number {
    return this.#hooks?.hooks ?? 0
  }

  newThread(target: () => unknown): Thread | undefined {
    return newThreadOf(this.threadFactory, target)
  }

  beforeExecute(thread: Thread, task: Runnable): unknown {
    return this.#hooks?.beforeExecute(thread, task)
  }

  afterExecute(task: Runnable, error?: unknown): unknown {
    return this.#hooks?.afterExecute(task, error)
  }

  terminated(): unknown {
    return this.#hooks?.terminated()
  }

  /** The pool is set here: during a call of the pool, or for ever if the rejected task came from another thread. */
  reject(task: Runnable): void {
    this.refuse(this.#pool as Pool, task)
  }

  announceTermination(): void {
    observing.by?.poolTerminated(this.info)
    noteEndOfPool(this.#pool as object | undefined)
    this.termination.signalAll()
    this.quiescence.signalAll()
  }

  quiescent(): void {
    this.quiescence.signalAll()
  }
}
