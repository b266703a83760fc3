import type { Runnable } from "../future/runnable.ts"
import { WaitList } from "../memory/flow/waiting.ts"
import type { Thread } from "../thread/thread.ts"
import { newThreadOf, type ThreadFactory } from "../thread/thread-factory.ts"
import type { PoolShell } from "./pool-engine.ts"
import type { RejectedExecutionHandler } from "./rejection.ts"

/** What a subclass may do at certain moments. */
export type PoolHooks = Pick<PoolShell, "hooks" | "beforeExecute" | "afterExecute" | "terminated">

type ThreadPool = Parameters<RejectedExecutionHandler>[1]

/**
 * What a pool and its engine have in common: the settings that can be changed, and the way from the engine back to the
 * pool.
 *
 * The threads of a pool hold its engine, for as long as they run. If the engine held the pool, then no pool that was
 * not shut down could ever be garbage, and its threads would stay for ever. So the engine has the pool only
 *
 * - while something is to be done: from the submission of a task until the last one is over;
 * - for ever, if others may come back to it of whom this thread knows nothing, as the pool was sent to another thread; if a subclass has
 *   hooks; and when it is shut down.
 *
 * A pool that is collected is idle, then, and what is left of it can be ended: see platform/owner/forgotten-pools.ts.
 */
export class PoolContext<Pool = ThreadPool> implements PoolShell {
  threadFactory: ThreadFactory
  handler: (task: Runnable, pool: Pool) => void
  readonly termination: WaitList = new WaitList()
  #pool: Pool | undefined
  #hooks: PoolHooks | undefined
  #isKept = false
  /** How many calls of the pool are under way that need it. */
  #calls = 0

  constructor(threadFactory: ThreadFactory, handler: (task: Runnable, pool: Pool) => void) {
    this.threadFactory = threadFactory
    this.handler = handler
  }

  // ------------------------------------------------------------------ for the pool

  /** The engine has the pool for ever. */
  keep(pool: Pool, hooks?: PoolHooks): void {
    this.#isKept = true
    this.#pool = pool
    this.#hooks = hooks
  }

  get isKept(): boolean {
    return this.#isKept
  }

  /** The pool is about to give the engine a task. */
  enter(pool: Pool): void {
    this.#pool = pool
    this.#calls++
  }

  leave(isBusy: boolean): void {
    if (--this.#calls === 0 && !isBusy) this.rest()
  }

  // ------------------------------------------------------------------ for the engine

  /** Nothing is to be done any more. */
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

  /** Whether in a call of the pool, or for another thread, to which the pool was sent: it is here. */
  reject(task: Runnable): void {
    this.handler(task, this.#pool as Pool)
  }

  announceTermination(): void {
    this.termination.signalAll()
  }
}
