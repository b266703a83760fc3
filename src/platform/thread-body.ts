/** A worker thread of the runtime, as the body of a Thread: how it is started, and how its end is told. */
import { load, sharedWords } from "#atomics"
import type { Worker as RuntimeThread } from "node:worker_threads"
import { VERSION } from "../per-thread.ts"
import type { PlatformThreadOptions } from "../thread/platform-threads.ts"
import type { Thread, ThreadBody } from "../thread/thread.ts"
import type { PoolHandle } from "./pool-memory.ts"
import type { SharedWorker } from "./shared-roster.ts"
import { type Orders, PRELOADING } from "./worker-orders.ts"
import { outputsFor } from "./worker-output.ts"
import { startWorker } from "./worker-start.ts"

/** Why a thread has ended, though nobody wanted that. */
export interface Death {
  readonly code: number
  readonly error: unknown
}

const IS_BUN = "bun" in process.versions

/** Settings of which a thread has died: see worker-preload.ts. */
const deadly = new WeakSet<PlatformThreadOptions>()

/** Other runtimes have these times not at all, or not of threads. */
const isNode = process.versions["bun"] === undefined && process.versions["deno"] === undefined

export class WorkerBody implements ThreadBody {
  readonly #pool: PoolHandle
  readonly #worker: SharedWorker
  readonly #options: PlatformThreadOptions
  readonly #died: (body: WorkerBody) => void
  #thread: RuntimeThread | undefined
  #name = ""
  #death: Death | undefined
  #missed = 0

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
    const options = this.#options
    const orders: Orders = {
      version: VERSION,
      pool: this.#pool,
      worker: this.#worker.number,
      name,
      id,
      outputs: outputsFor(options.output),
      preload: (options.preload ?? []).map(String),
      preloadsLate: deadly.has(options),
      progress: sharedWords(1),
    }
    const thread = startWorker(name, orders, options)
    thread.unref() // what is pending keeps the process alive, and not that there are threads
    let error: unknown
    thread.once("error", (reason: unknown) => (error = reason))
    thread.once("exit", (code) => {
      if (load(orders.progress, 0) === PRELOADING) deadly.add(options)
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

  /**
   * Whether the runtime has no such thread any more, though it has yet to say so: it says so by an event, which a thread that
   * blocks does not hear, and one that runs out of memory has no last words. Node tells it by the times of the thread's
   * event loop, of which it then knows nothing. Twice in a row, to be sure. Only for a thread that has begun.
   */
  get isGone(): boolean {
    if (IS_BUN) return false // it would print that it does not know these times
    if (!isNode || this.#thread === undefined) return false
    const { idle } = this.#thread.performance.eventLoopUtilization()
    // All 0 says nothing: so it is until this thread has heard that the other one is up, which it has not while it blocks.
    this.#missed = idle === -1 ? this.#missed + 1 : 0
    return this.#missed > 1
  }

  terminate(): void {
    void this.#thread?.terminate()
  }
}
