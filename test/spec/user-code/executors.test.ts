/** Futures with a `done()` that throws, on every kind of executor. Rules: docs/spec/user-code.md. */
import {
  type ExecutorService,
  Executors,
  ForkJoinPool,
  FutureTask,
  platformThreads,
  ScheduledThreadPoolExecutor,
  type Thread,
  type ThreadFactory,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"

class Telling extends FutureTask<number> {
  protected override done(): void {
    throw new Error(`of done(), ${this.state}`)
  }
}

const executors: readonly (readonly [
  name: string,
  make: (platform: ThreadFactory, virtual: ThreadFactory) => ExecutorService,
])[] = [
  ["a fixed pool of virtual threads", (_, threads) => Executors.newFixedThreadPool(2, threads)],
  ["a fixed pool of platform threads", (threads) => Executors.newFixedThreadPool(2, threads)],
  ["a cached pool of platform threads", (threads) => Executors.newCachedThreadPool(threads)],
  ["a virtual thread per task", (_, threads) => Executors.newThreadPerTaskExecutor(threads)],
  ["a platform thread per task", (threads) => Executors.newThreadPerTaskExecutor(threads)],
  [
    "a scheduled pool of virtual threads",
    (_, threadFactory) => new ScheduledThreadPoolExecutor({ corePoolSize: 2, threadFactory }),
  ],
  [
    "a scheduled pool of platform threads",
    (threadFactory) => new ScheduledThreadPoolExecutor({ corePoolSize: 2, threadFactory }),
  ],
  ["a ForkJoinPool", (threadFactory) => new ForkJoinPool({ parallelism: 2, threadFactory })],
]

for (const [name, make] of executors) {
  test(`[UC1] on ${name} an error of done() goes to the handler, and all futures settle`, async () => {
    const heard: string[] = []
    const uncaughtException = (_thread: Thread, error: unknown): void => void heard.push((error as Error).message)
    const executor = make(platformThreads({ uncaughtException }), virtualThreads({ uncaughtException }))
    const before = executor.submit(() => 0)
    const succeeding = new Telling(() => 1)
    const failing = new Telling(() => {
      throw new Error("its own")
    })
    for (const task of [succeeding, failing]) executor.execute(task)
    const after = [2, 3, 4].map((n) => executor.submit((value: number) => value, n))
    assert.deepEqual(await Promise.all([before, succeeding, ...after]), [0, 1, 2, 3, 4])
    await assert.rejects(failing.get(), /its own/)
    await eventually(() => heard.length === 2)
    await executor.close()
    assert.deepEqual(heard.sort(), ["of done(), failed", "of done(), success"])
  })
}
