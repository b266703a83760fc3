/** What the tests of executors share, on top of test/support. */
import {
  AbstractExecutorService,
  type ExecutorService,
  FutureTask,
  RejectedExecutionError,
  type Runnable,
  type Thread,
  type ThreadFactory,
  TimeoutError,
  virtualThreads,
  type WaitOptions,
} from "corepool"
import { getEventListeners } from "node:events"
import { eventually } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** A thread of the test's own, and what became of the function it ran. */
export interface Caller<T> {
  readonly thread: Thread
  readonly outcome: Promise<PromiseSettledResult<T>>
}

/** Looks after executors of every kind, as Pools does after pools. */
export class Lab extends Pools {
  readonly #executors: ExecutorService<unknown>[] = []
  readonly #callers: Thread[] = []
  readonly #visitors = virtualThreads({ uncaughtException: this.uncaughtException })

  keep<E extends ExecutorService<unknown>>(executor: E): E {
    this.#executors.push(executor)
    return executor
  }

  /** Runs the function on a virtual thread of its own: one that can be interrupted without harm to the test. */
  call<T>(body: () => PromiseLike<T>): Caller<T> {
    let thread: Thread | null | undefined
    const outcome = new Promise<PromiseSettledResult<T>>((resolve) => {
      thread = this.#visitors.newThread(async () => {
        try {
          resolve({ status: "fulfilled", value: await body() })
        } catch (reason) {
          resolve({ status: "rejected", reason })
        }
      })
    })
    if (thread == null) throw new Error("No thread")
    this.#callers.push(thread)
    thread.start()
    return { thread, outcome }
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const executor of this.#executors) await executor.shutdownNow()
    await super[Symbol.asyncDispose]()
    await eventually(() => this.#executors.every((executor) => executor.isTerminated))
    await eventually(() => this.#callers.every((thread) => !thread.isAlive))
  }
}

/** How many listen to the abort of a signal. */
export function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, "abort").length
}

/** Everything an asynchronous iterable gives. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = []
  for await (const item of items) gathered.push(item)
  return gathered
}

/** Whatever TypeScript would not let through. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the place it is used in says which type is feigned
export function wrong<T>(value: unknown): T {
  return value as T
}

/**
 * An executor as a user might write it, on nothing but the public API: one task at a time, each on a thread of the
 * factory, the others in line.
 */
export class SerialExecutor extends AbstractExecutorService {
  readonly #factory: ThreadFactory
  readonly #line: Runnable[] = []
  readonly #termination = new FutureTask(() => undefined)
  #running: Thread | undefined
  #shutdown = false

  constructor(factory: ThreadFactory) {
    super()
    this.#factory = factory
  }

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    if (this.#shutdown) throw new RejectedExecutionError("shut down", command)
    const { run } = (typeof command === "function" ? { run: command } : (command ?? {})) as { run?: unknown }
    if (typeof run !== "function") throw new TypeError("nothing to run")
    this.#line.push(typeof command === "function" && args.length > 0 ? () => command(...args) : command)
    this.#next()
  }

  #next(): void {
    if (this.#running !== undefined) return
    const task = this.#line.shift()
    if (task === undefined) {
      if (this.#shutdown) void this.#termination.run()
      return
    }
    const thread = this.#factory.newThread(async () => {
      try {
        await (typeof task === "function" ? task() : task.run())
      } finally {
        this.#running = undefined
        this.#next()
      }
    })
    if (thread == null) throw new RejectedExecutionError("no thread", task)
    this.#running = thread
    thread.start()
  }

  shutdown(): void {
    this.#shutdown = true
    this.#next()
  }

  shutdownNow(): Runnable[] {
    const unrun = this.#line.splice(0)
    this.shutdown()
    this.#running?.interrupt()
    return unrun
  }

  get isShutdown(): boolean {
    return this.#shutdown
  }

  get isTerminated(): boolean {
    return this.#termination.isDone
  }

  async awaitTermination(wait?: WaitOptions): Promise<boolean> {
    try {
      await this.#termination.get(wait)
      return true
    } catch (error) {
      if (error instanceof TimeoutError) return false
      throw error
    }
  }
}

/** Runs everything in the caller, inside the call: the least executor there can be. */
export class InlineExecutor extends AbstractExecutorService {
  readonly executed: Runnable[] = []
  #shutdown = false

  execute<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), ...args: A): void {
    if (this.#shutdown) throw new RejectedExecutionError("shut down", command)
    this.executed.push(command)
    if (typeof command === "function") command(...args)
    else command.run()
  }

  shutdown(): void {
    this.#shutdown = true
  }

  shutdownNow(): Runnable[] {
    this.#shutdown = true
    return []
  }

  get isShutdown(): boolean {
    return this.#shutdown
  }

  get isTerminated(): boolean {
    return this.#shutdown
  }

  awaitTermination(): Promise<boolean> {
    return Promise.resolve(this.#shutdown)
  }
}
