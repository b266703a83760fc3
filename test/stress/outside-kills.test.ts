/** Pools of all kinds whose threads are terminated from outside, at moments that neither the tasks nor corepool choose. */
import {
  ArrayBlockingQueue,
  type ExecutorService,
  ForkJoinPool,
  type Future,
  platformThreads,
  PriorityBlockingQueue,
  RejectedExecutionError,
  ScheduledThreadPoolExecutor,
  SynchronousQueue,
  type ThreadFactory,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Worker } from "node:worker_threads"
import { eventually } from "../support/harness.ts"
import { Dice, SEED, STRESS } from "../support/stress.ts"
import { requireTermination } from "../support/termination.ts"

const TASKS = 200
const KILLS = 4 * STRESS

const WORKER = new URL(import.meta.resolve("corepool/worker"))

const POOLS: Readonly<Record<string, (threadFactory: ThreadFactory) => ExecutorService>> = {
  fixed: (threadFactory) => new ThreadPoolExecutor({ corePoolSize: 2, maximumPoolSize: 2, threadFactory }),
  bounded: (threadFactory) =>
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 3,
      keepAliveTime: 1,
      workQueue: new ArrayBlockingQueue(TASKS / 4),
      threadFactory,
    }),
  "hand-over": (threadFactory) =>
    new ThreadPoolExecutor({
      corePoolSize: 0,
      maximumPoolSize: 3,
      keepAliveTime: 1,
      workQueue: new SynchronousQueue(),
      threadFactory,
    }),
  priority: (threadFactory) =>
    new ThreadPoolExecutor({
      corePoolSize: 2,
      maximumPoolSize: 2,
      workQueue: new PriorityBlockingQueue(),
      threadFactory,
    }),
  scheduled: (threadFactory) => new ScheduledThreadPoolExecutor({ corePoolSize: 2, threadFactory }),
  "fork/join": (threadFactory) => new ForkJoinPool({ parallelism: 2, threadFactory }),
}

/** A pool, and the runtime's threads behind it. */
class Victim {
  readonly dice = new Dice(SEED)
  readonly pool: ExecutorService
  readonly futures: Future<unknown>[] = []
  readonly #threads = new Set<Worker>()
  readonly #isRanked: boolean
  rejected = 0
  cancelled = 0

  constructor(open: (threadFactory: ThreadFactory) => ExecutorService) {
    const workerFactory = (options: ConstructorParameters<typeof Worker>[1]): Worker => {
      const thread = new Worker(WORKER, options)
      this.#threads.add(thread)
      thread.once("exit", () => this.#threads.delete(thread))
      return thread
    }
    this.pool = open(platformThreads({ workerFactory, uncaughtException: () => undefined }))
    this.#isRanked = this.pool instanceof ThreadPoolExecutor && this.pool.queue instanceof PriorityBlockingQueue
  }

  /** A burst of tasks, in the midst of which a thread is terminated. */
  async round(isPaused: boolean): Promise<void> {
    const fatal = this.dice.roll(TASKS)
    for (let i = 0; i < TASKS; i++) {
      this.#submit(i)
      if (i === fatal) this.#kill()
    }
    if (isPaused && this.pool instanceof ThreadPoolExecutor) {
      this.pool.pause()
      this.#kill()
      this.pool.resume()
    }
    const settled = (): number => this.futures.filter((future) => future.isDone).length
    const before = settled()
    await eventually(() => settled() > before || settled() === this.futures.length)
    this.#kill()
  }

  #submit(i: number): void {
    try {
      const view = this.#isRanked ? this.pool.with({ priority: this.dice.roll(3) }) : this.pool
      const future =
        i % 5 === 0
          ? view.submit((n: number) => new Promise<number>((resolve) => setTimeout(() => resolve(n), 1)), i)
          : view.submit((n: number) => n, i)
      this.futures.push(future)
      if (this.dice.roll(20) === 0 && future.cancel(this.dice.roll(2) === 0)) this.cancelled++
    } catch (error) {
      if (!(error instanceof RejectedExecutionError)) throw error
      this.rejected++
    }
  }

  #kill(): void {
    const threads = [...this.#threads]
    if (threads.length > 0) void threads[this.dice.roll(threads.length)]?.terminate()
  }
}

for (const [kind, open] of Object.entries(POOLS)) {
  for (const how of ["shutdown", "shutdownNow"] as const) {
    test(`[ST5][PL19][PL43] threads that are terminated from outside, and then ${how}(): ${kind}`, async () => {
      await requireTermination()
      const victim = new Victim(open)
      const { pool, futures } = victim
      for (let i = 0; i < KILLS; i++) await victim.round(i % 2 === 1)
      const returned = pool[how]()?.length ?? 0
      await Promise.allSettled(futures.map((future) => future.get()))
      assert.equal(await pool.awaitTermination(), true)
      if (!(pool instanceof ThreadPoolExecutor)) return
      const missing = futures.length - pool.completedTaskCount - returned
      const dropped = kind === "scheduled" && how === "shutdown" ? victim.cancelled : 0
      assert.ok(missing >= 0 && missing <= dropped, `seed ${SEED}: ${missing} tasks are not accounted for`)
      const { active, queued, threads, rejected } = pool.stats()
      assert.deepEqual(
        { active, queued, threads, rejected },
        { active: 0, queued: 0, threads: 0, rejected: victim.rejected },
      )
    })
  }
}
