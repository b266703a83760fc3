import { isAbsolute, pathToFileURL } from "#host/code/paths"
import { runtime } from "#host/runtime/clock"
import type { RuntimeThread } from "#host/threads/workers"
import { ThreadDeathError } from "../../errors.ts"
import type { Future } from "../../future/future.ts"
import type { ThreadBody } from "../../thread/thread.ts"
import { observed, type PlatformThreadOptions } from "../../thread/platform-threads.ts"
import { platformThreads, ThreadPoolExecutor } from "../../platform/pools.ts"

/** Receives the messages and the end of a thread. */
export interface WorkerThreadListener {
  /** The thread has sent a message of its own, by `parentPort`. */
  message(value: unknown): void
  /** The thread has ended, of that error if there is one, and the owner has not asked for it. */
  died(error: unknown): void
}

/** The body of a platform thread, as far as it is needed here. */
interface Body extends ThreadBody {
  readonly runtimeThread: RuntimeThread | undefined
  readonly farewell: { readonly code: number } | undefined
  readonly death: { readonly code: number } | undefined
}

type AnyTask<A extends unknown[]> = (...args: A) => unknown

/**
 * One thread of a Piscina or a workerpool: a pool of one thread, which is not replaced when it dies. The Piscina or
 * workerpool keeps the queue, and decides which thread gets which task.
 */
export class WorkerThread {
  readonly #pool: ThreadPoolExecutor
  #body: Body | undefined
  #hasEnded = false

  constructor(options: PlatformThreadOptions, listener: WorkerThreadListener) {
    const factory = observed(
      platformThreads({
        ...options,
        uncaughtException: (_thread, error) => {
          if (!this.#hasEnded) listener.died(error)
        },
      }),
      (body) => (this.#body = body as Body),
    )
    this.#pool = new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      threadFactory: {
        isVirtual: false,
        newThread: (target) => (this.#body === undefined ? factory.newThread(target) : null),
      },
    })
    this.#pool.prestartCoreThread()
    this.runtimeThread.on("message", (value: unknown) => listener.message(value))
    this.runtimeThread.unref() // a listener for messages would keep the process alive
    this.runtimeThread.once("exit", (code) => {
      // Later: the pool first fails the task that the thread had.
      runtime.afterTurn(() => {
        if (!this.#hasEnded) listener.died(new Error(exited(code)))
      })
    })
  }

  /** The worker of the runtime. */
  get runtimeThread(): RuntimeThread {
    return this.#body?.runtimeThread as RuntimeThread
  }

  /** Gives the thread a task. It runs when those before it are over. */
  submit<A extends unknown[]>(task: AnyTask<A>, args: A, transfer: readonly object[]): Future<unknown> {
    const pool = transfer.length > 0 ? this.#pool.with({ transfer }) : this.#pool
    return pool.submit(task, ...args)
  }

  /** If this is the error of a task whose thread has died: why the thread has died; otherwise undefined. */
  deathIn(error: unknown): { readonly reason: unknown } | undefined {
    if (!(error instanceof ThreadDeathError)) return undefined
    if (error.cause !== undefined) return { reason: error.cause }
    const code = this.#body?.farewell?.code ?? this.#body?.death?.code
    return { reason: code === undefined ? error : new Error(exited(code)) }
  }

  /** Ends the thread, whatever it does. Settles when it has ended. */
  async stop(): Promise<void> {
    this.#hasEnded = true
    this.#pool.shutdownNow()
    await this.#pool.awaitTermination()
  }

  /** Ends the thread when its tasks are over. Settles when it has ended. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#pool.close()
  }
}

function exited(code: number): string {
  return `worker exited with code: ${code}`
}

/** The URL of a module that is given by its path or its URL. */
export function urlOf(filename: string): string {
  return isAbsolute(filename) ? pathToFileURL(filename).href : filename
}
