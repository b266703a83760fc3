/**
 * A pool in use, around one piece of the user's code that misbehaves: futures that are awaited before it is called and after, and
 * what must be true of all that in the end.
 */
import {
  type Callable,
  type Future,
  FutureTask,
  platformThreads,
  type PlatformThreadOptions,
  RejectedExecutionError,
  type Runnable,
  type Thread,
  type ThreadFactory,
  ThreadPoolExecutor,
  type ThreadPoolOptions,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import { Worker, type WorkerOptions } from "node:worker_threads"
import { eventually } from "../../support/harness.ts"

export type Kind = "virtual" | "platform"

/** The code of the user's that pools call; what is left out does as it should. */
export interface UserCode {
  before?: ((task: Runnable) => unknown) | undefined
  after?: ((task: Runnable, error: unknown) => unknown) | undefined
  terminated?: (() => unknown) | undefined
  newTask?: ((callable: Callable<unknown>) => FutureTask<unknown>) | undefined
  factory?: (() => unknown) | undefined
  workerFactory?: (() => unknown) | undefined
  threadName?: (() => unknown) | undefined
  reject?: (() => unknown) | undefined
  uncaught?: (() => unknown) | undefined
}

/** A pool whose hooks are given to it; those that the class does not have, it does not ask for. */
class OpenPool extends ThreadPoolExecutor {
  readonly #code: UserCode

  constructor(options: ThreadPoolOptions, code: UserCode) {
    super(options)
    this.#code = code
  }

  protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    return (this.#code.newTask?.(callable) as FutureTask<T> | undefined) ?? new FutureTask(callable)
  }

  protected override terminated(): void {
    return this.#code.terminated?.() as void
  }
}

class HookedPool extends OpenPool {
  readonly #code: UserCode

  constructor(options: ThreadPoolOptions, code: UserCode) {
    super(options, code)
    this.#code = code
  }

  protected override beforeExecute(_thread: Thread, task: Runnable): void {
    return this.#code.before?.(task) as void
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    return this.#code.after?.(task, error) as void
  }
}

const SIZE = 2

const WORKER = new URL(import.meta.resolve("corepool/worker"))

export class World {
  readonly kind: Kind
  readonly pool: ThreadPoolExecutor
  readonly code: UserCode = {}
  /** What the factory's handler was told. */
  readonly uncaught: unknown[] = []
  /** What the calls of this thread have thrown. */
  readonly thrown: unknown[] = []
  /** How many tasks the pool has taken. */
  accepted = 0
  readonly #futures: Future<unknown>[] = []
  readonly #withdrawn = new Set<unknown>()
  readonly #ends: (() => void)[] = []
  #settled = 0
  #returned = 0
  #isStopped = false

  /** With hooks, and with a `workerFactory`, only where they are needed: a pool without them goes other ways. */
  constructor(kind: Kind, { hooks = false, workerFactory = false } = {}) {
    this.kind = kind
    const { code } = this
    const options = {
      name: (n: number): string => (code.threadName === undefined ? `w-${n}` : (code.threadName() as string)),
      uncaughtException: (_thread: Thread, error: unknown): void => {
        this.uncaught.push(error)
        return code.uncaught?.() as void
      },
    }
    const inner = kind === "virtual" ? virtualThreads(options) : this.#platformThreads(options, workerFactory)
    const threadFactory: ThreadFactory = {
      isVirtual: inner.isVirtual,
      newThread: (target) => (code.factory === undefined ? inner.newThread(target) : (code.factory() as Thread)),
    }
    this.pool = new (hooks ? HookedPool : OpenPool)(
      {
        corePoolSize: SIZE,
        maximumPoolSize: SIZE,
        threadFactory,
        handler(task) {
          if (code.reject === undefined) throw new RejectedExecutionError("refused", task)
          return code.reject() as void
        },
      },
      code,
    )
  }

  #platformThreads(options: PlatformThreadOptions, ownWorkers: boolean): ThreadFactory {
    if (!ownWorkers) return platformThreads(options)
    const { code } = this
    const workerFactory = (start: WorkerOptions): Worker =>
      code.workerFactory === undefined ? new Worker(WORKER, start) : (code.workerFactory() as Worker)
    return platformThreads({ ...options, workerFactory })
  }

  // ------------------------------------------------------------------ what goes on beside

  /** Submits a task that has nothing to do with anything, and awaits it. */
  submitMore(): void {
    if (this.pool.isShutdown) return
    this.watch(this.pool.submit((n: number) => n, this.accepted))
  }

  /** From now on the world waits for this future, of a task that the pool has taken. */
  watch(future: Future<unknown>): void {
    this.accepted++
    this.await(future)
  }

  /** The same of a task that is taken out of the queue, and so is never counted as completed. */
  watchWithdrawn(task: FutureTask<unknown>): void {
    this.#withdrawn.add(task)
    this.await(task)
  }

  await(future: Future<unknown>): void {
    this.#futures.push(future)
    const note = (): void => void this.#settled++
    void future.then(note, note)
  }

  /** Has all threads busy until the function is called that it gives; what is submitted then waits in the queue. */
  async occupy(): Promise<() => void> {
    if (this.kind === "platform") {
      const words = new Int32Array(new SharedArrayBuffer(8))
      const open = (): void => {
        Atomics.store(words, 1, 1)
        Atomics.notify(words, 1)
      }
      this.#ends.push(open)
      for (let i = 0; i < SIZE; i++) this.watch(this.pool.submit(pass, words))
      await eventually(() => Atomics.load(words, 0) === SIZE)
      return open
    }
    let open = (): void => undefined
    let arrived = 0
    const opened = new Promise<void>((resolve) => (open = resolve))
    this.#ends.push(open)
    const body = async (): Promise<void> => {
      arrived++
      await opened
    }
    for (let i = 0; i < SIZE; i++) this.watch(this.pool.submit(body))
    await eventually(() => arrived === SIZE)
    return open
  }

  /** Ends a thread of the pool, which then has to be replaced. */
  async endThread(): Promise<void> {
    this.accepted++
    this.pool.execute(() => {
      throw new Error("of a command")
    })
    await eventually(() => this.uncaught.some(isOfCommand))
    this.uncaught.splice(this.uncaught.findIndex(isOfCommand), 1)
  }

  /** A task to be cancelled by the code that misbehaves. */
  cancelOne(): void {
    if (this.pool.isShutdown) return
    const future = this.pool.submit((n: number) => n, -1)
    this.watch(future)
    future.cancel(true)
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    for (const task of this.pool.shutdownNow()) if (!this.#withdrawn.has(task)) this.#returned++
  }

  /** Calls the pool, as a user would. */
  call<T>(body: () => T): T | undefined {
    try {
      return body()
    } catch (error) {
      this.thrown.push(error)
      return undefined
    }
  }

  async callAsync(body: () => Promise<unknown>): Promise<void> {
    try {
      await body()
    } catch (error) {
      this.thrown.push(error)
    }
  }

  // ------------------------------------------------------------------ the end

  /** Every future settles, the pool ends, and its counters are exact. */
  async end(): Promise<void> {
    for (const end of this.#ends) end()
    for (let i = 0; i < SIZE + 1; i++) this.submitMore()
    await eventually(() => this.#settled === this.#futures.length)
    this.call(() => this.pool.shutdown())
    assert.equal(await this.pool.awaitTermination({ timeout: 20_000 }), true)
    await eventually(() => this.pool.completedTaskCount + this.#returned === this.accepted)
    assert.deepEqual([this.pool.activeCount, this.pool.poolSize, this.pool.queue.size], [0, 0, 0])
  }
}

/** Sent as it is: to load a module takes a thread longer than all the rest. */
function pass(words: Int32Array): void {
  Atomics.add(words, 0, 1)
  while (Atomics.load(words, 1) === 0) Atomics.wait(words, 1, 0)
}

function isOfCommand(error: unknown): boolean {
  try {
    return error instanceof Error && error.message === "of a command"
  } catch {
    return false
  }
}
