/**
 * The pools of one test, their threads and their gates; at the end of the test nothing of them is left.
 *
 *     await using pools = new Pools()
 *     const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1 })
 *
 * At the end all gates open, all pools are stopped and waited for. An error that ended a thread and was not taken
 * with `takeUncaught()` fails the test.
 */
import {
  type Thread,
  type ThreadFactory,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
  type UncaughtExceptionHandler,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { eventually, Gate } from "./harness.ts"

/** An error that ended a thread. */
export interface Uncaught {
  readonly thread: Thread
  readonly error: unknown
}

/** How a factory is made that tells of errors. */
export type MakeFactory = (options: { readonly uncaughtException: UncaughtExceptionHandler }) => ThreadFactory

export class Pools implements AsyncDisposable {
  /** Every thread that the factory made, in order. */
  readonly threads: Thread[] = []
  readonly #pools: ThreadPoolExecutor[] = []
  readonly #gates: Gate[] = []
  #uncaught: Uncaught[] = []

  /** Makes recorded threads. */
  readonly factory: ThreadFactory

  /** Records what ends a thread. */
  protected readonly uncaughtException: UncaughtExceptionHandler = (thread, error) =>
    this.#uncaught.push({ thread, error })

  constructor(makeFactory: MakeFactory = virtualThreads) {
    const inner = makeFactory({ uncaughtException: this.uncaughtException })
    this.factory = {
      isVirtual: inner.isVirtual,
      newThread: (target) => {
        const thread = inner.newThread(target)
        if (thread != null) this.threads.push(thread)
        return thread
      },
    }
  }

  /** A pool with recorded threads, unless the options name a factory. */
  create(options: ThreadPoolOptions): ThreadPoolExecutor {
    return this.adopt(new ThreadPoolExecutor({ threadFactory: this.factory, ...options }))
  }

  /** So many threads and an unbounded queue. */
  fixed(size: number): ThreadPoolExecutor {
    return this.create({ corePoolSize: size, maximumPoolSize: size })
  }

  /** Looks after a pool that was made elsewhere. */
  adopt<P extends ThreadPoolExecutor>(pool: P): P {
    this.#pools.push(pool)
    return pool
  }

  gate(): Gate {
    const gate = new Gate()
    this.#gates.push(gate)
    return gate
  }

  /**
   * Waits until a thread that became idle just now, with this keep-alive time, would have left: how to show that a
   * thread stays without waiting for a time.
   */
  async keepAliveOver(ms: number): Promise<void> {
    const clock = this.adopt(
      new ThreadPoolExecutor({
        corePoolSize: 1,
        maximumPoolSize: 1,
        keepAliveTime: 2 * ms,
        allowCoreThreadTimeOut: true,
        threadFactory: virtualThreads(),
      }),
    )
    clock.prestartCoreThread()
    await eventually(() => clock.poolSize === 0)
  }

  /** The errors that ended threads since the last call, in order. */
  takeUncaught(): unknown[] {
    return this.takeUncaughtWithThreads().map(({ error }) => error)
  }

  takeUncaughtWithThreads(): Uncaught[] {
    const taken = this.#uncaught
    this.#uncaught = []
    return taken
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const gate of this.#gates) gate.open()
    for (const pool of this.#pools) pool.shutdownNow()
    await eventually(() => this.#pools.every((pool) => pool.isTerminated))
    await eventually(() => this.threads.every((thread) => !thread.isAlive))
    assert.deepEqual(this.takeUncaught(), [], "errors ended threads and the test did not expect them")
  }
}
