/**
 * A pool that watches itself, by the hooks of ThreadPoolExecutor.
 *
 * `beforeExecute` and `afterExecute` run on the task's thread, around every task; `terminated` runs once, at the end.
 */
import { FutureTask, LinkedBlockingQueue, type Runnable, Thread, ThreadPoolExecutor, virtualThreads } from "corepool"

class MeasuredPool extends ThreadPoolExecutor {
  readonly #starts = new WeakMap<Thread, number>()
  #busy = 0
  #failed = 0

  constructor(threads: number) {
    super({
      corePoolSize: threads,
      maximumPoolSize: threads,
      workQueue: new LinkedBlockingQueue(),
      threadFactory: virtualThreads({ uncaughtException: () => undefined }),
    })
  }

  protected override beforeExecute(thread: Thread, _task: Runnable): void {
    this.#starts.set(thread, performance.now())
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.#busy += performance.now() - (this.#starts.get(Thread.currentThread()) ?? NaN)
    // A command's error is given; a submitted task keeps its own, in its future.
    if (error !== undefined || (task instanceof FutureTask && task.state === "failed")) this.#failed++
  }

  protected override terminated(): void {
    console.log(`${this.completedTaskCount} tasks, ${this.#failed} failed`)
    console.log(`busy for ${this.#busy >= 40 ? "at least" : "less than"} 40 ms`)
  }
}

await using pool = new MeasuredPool(2)
for (let n = 0; n < 4; n++) pool.submit(() => Thread.sleep(10))
pool.submit(() => {
  throw new Error("kept in its future")
})
pool.execute(() => {
  throw new Error("told to the thread's handler; the thread is replaced")
})

// Output:
// 6 tasks, 2 failed
// busy for at least 40 ms
