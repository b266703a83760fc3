/** A worker thread of the runtime, as the body of a Thread: how it is started, and how its end is told. */
import { Worker as RuntimeThread, type WorkerOptions } from "node:worker_threads"
import type { PlatformThreadOptions } from "../thread/platform-threads.ts"
import type { Thread, ThreadBody } from "../thread/thread.ts"
import type { PoolHandle } from "./pool-memory.ts"
import type { SharedWorker } from "./shared-roster.ts"

/** What the thread is told when it begins. */
export interface Orders {
  readonly pool: PoolHandle
  /** Which of the pool's workers it is. */
  readonly worker: number
  readonly name: string
  readonly id: number
  readonly preload: readonly string[]
}

/** Why a thread has ended, though nobody wanted that. */
export interface Death {
  readonly code: number
  readonly error: unknown
}

const ENTRY = new URL("worker-entry.js", import.meta.url)

export class WorkerBody implements ThreadBody {
  readonly #pool: PoolHandle
  readonly #worker: SharedWorker
  readonly #options: PlatformThreadOptions
  readonly #died: (body: WorkerBody) => void
  #thread: RuntimeThread | undefined
  #name = ""
  #death: Death | undefined

  constructor(
    pool: PoolHandle,
    worker: SharedWorker,
    options: PlatformThreadOptions,
    died: (body: WorkerBody) => void,
  ) {
    this.#pool = pool
    this.#worker = worker
    this.#options = options
    this.#died = died
  }

  get worker(): SharedWorker {
    return this.#worker
  }

  get options(): PlatformThreadOptions {
    return this.#options
  }

  get name(): string {
    return this.#name
  }

  /** Set when the thread is gone. */
  get death(): Death | undefined {
    return this.#death
  }

  start({ name, id }: Thread, ended: () => void): void {
    this.#name = name
    const { preload = [], resourceLimits, env, execArgv } = this.#options
    const orders: Orders = { pool: this.#pool, worker: this.#worker.number, name, id, preload: preload.map(String) }
    const options: WorkerOptions = {
      name,
      workerData: orders,
      ...(resourceLimits && { resourceLimits }),
      ...(env && { env: env as NodeJS.ProcessEnv }),
      ...(execArgv && { execArgv: [...execArgv] }),
    }
    const thread = new RuntimeThread(ENTRY, options)
    thread.unref() // what is pending keeps the process alive, and not that there are threads
    let error: unknown
    thread.once("error", (reason: unknown) => (error = reason))
    thread.once("exit", (code) => {
      this.#death = { code, error }
      ended()
      this.#died(this)
    })
    this.#thread = thread
  }

  get isInterrupted(): boolean {
    return this.#worker.isInterrupted
  }

  interrupt(): void {
    this.#worker.interrupt()
  }

  terminate(): void {
    void this.#thread?.terminate()
  }
}
