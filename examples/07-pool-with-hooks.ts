/**
 * A pool that watches itself, by the hooks of ThreadPoolExecutor.
 *
 * `beforeExecute` and `afterExecute` are called around every task, `terminated` once, at the end. They are methods of an object
 * of this thread, so they run in this thread, while the worker thread waits for them: keep them short. A pool without hooks
 * pays nothing for them.
 */
import { FutureTask, platformThreads, type Runnable, type Thread, ThreadPoolExecutor } from "corepool"
import { countPrimes } from "./support/primes.ts"

class WatchedPool extends ThreadPoolExecutor {
  readonly busy = new Map<string, number>()
  #failed = 0

  constructor(threads: number) {
    super({
      corePoolSize: threads,
      maximumPoolSize: threads,
      threadFactory: platformThreads({
        name: "cpu",
        uncaughtException: (thread, error) => console.log(`${thread.name.slice(0, 3)} threw ${String(error)}`),
      }),
    })
  }

  protected override beforeExecute(thread: Thread, _task: Runnable): void {
    this.busy.set(thread.name, (this.busy.get(thread.name) ?? 0) + 1)
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    // A command's error is given; a submitted task keeps its own, in its future.
    if (error !== undefined || (task instanceof FutureTask && task.state === "failed")) this.#failed++
  }

  protected override terminated(): void {
    console.log(`${this.completedTaskCount} tasks, ${this.#failed} failed`)
  }
}

const pool = new WatchedPool(2)
const futures = Array.from({ length: 8 }, (_, i) => pool.submit(countPrimes, i * 10_000, (i + 1) * 10_000))
pool.submit(() => {
  throw new Error("kept in its future")
})
pool.execute(() => {
  throw new Error("told to the handler; the thread is replaced")
})

let primes = 0
for (const future of futures) primes += await future
await pool.close()
console.log(`${primes} primes; began ${[...pool.busy.values()].reduce((sum, n) => sum + n)} times`)

// What a pool has done can be asked without hooks.
console.log(`never more than ${pool.largestPoolSize} threads, ${pool.queue.size} left over`)
const { run } = pool.stats()
console.log(`times were measured: ${run.count > 0 && run.p50 <= run.p99 && run.p99 <= run.max}`)

// Output:
// cpu threw Error: told to the handler; the thread is replaced
// 10 tasks, 2 failed
// 7837 primes; began 10 times
// never more than 2 threads, 0 left over
// times were measured: true
