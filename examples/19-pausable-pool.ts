/**
 * A pool that can be paused, by overriding how it makes tasks.
 *
 * In Java one would wait inside `beforeExecute`. Here hooks are synchronous, and waiting is what tasks do: so every
 * task passes a gate before its body begins. A paused thread waits there, which an interrupt ends as it does any
 * wait.
 */
import {
  type Callable,
  type FutureTask,
  LinkedTransferQueue,
  Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"

class PausablePool extends ThreadPoolExecutor {
  /** Closed when the pool goes on; nobody ever puts anything in. */
  #gate: LinkedTransferQueue<never> | undefined

  constructor(threads: number) {
    super({ corePoolSize: threads, maximumPoolSize: threads, threadFactory: virtualThreads() })
  }

  pause(): void {
    this.#gate ??= new LinkedTransferQueue()
  }

  resume(): void {
    this.#gate?.close()
    this.#gate = undefined
  }

  protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
    return super.newTaskFor<T>(async () => {
      // `poll({})` waits without limit; undefined says that the gate was opened. Perhaps it has been shut again.
      while (this.#gate !== undefined) await this.#gate.poll({})
      return callable()
    })
  }
}

await using pool = new PausablePool(2)
const done: number[] = []
const work = (n: number): number => done.push(n)

await pool.submit(work, 1)
pool.pause()
const waiting = [2, 3, 4].map((n) => pool.submit(work, n))
await Thread.sleep(10)
console.log(`paused: ${done.join(" ")}, ${pool.activeCount} at the gate, ${pool.queue.size} queued`)

pool.resume()
await Promise.all(waiting)
console.log(`resumed: ${done.join(" ")}`)

// Output:
// paused: 1, 2 at the gate, 1 queued
// resumed: 1 2 3 4
