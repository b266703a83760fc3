/** The thread of a scope ends while forks of the scope run and wait on other threads. */
import {
  AtomicInteger,
  CountDownLatch,
  Executors,
  type ExecutorService,
  ForkJoinPool,
  platformThreads,
  ScheduledThreadPoolExecutor,
  ThreadDeathError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { requireTermination } from "../../support/termination.ts"
import * as tasks from "./tasks.ts"

const THREADS = 3

/** Forks are ended by the interrupt alone. */
const threadFactory = platformThreads({ terminateAfter: Infinity })

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(THREADS, threadFactory),
  scheduled: () => new ScheduledThreadPoolExecutor({ corePoolSize: THREADS, threadFactory }),
  "fork/join": () => new ForkJoinPool({ parallelism: THREADS, threadFactory }),
  "a thread per task": () => Executors.newThreadPerTaskExecutor(threadFactory),
}

function newLab(): tasks.LabOfForks {
  const [begun, stopped, passed] = [new AtomicInteger(), new AtomicInteger(), new AtomicInteger()]
  return { begun, stopped, passed, latch: new CountDownLatch(1) }
}

for (const [name, open] of Object.entries(POOLS)) {
  test(`[SS23] the forks of a scope end with the thread that has opened it, tasks that it has submitted do not: ${name}`, async () => {
    await using own = Executors.newFixedThreadPool(1)
    await using pool = open()
    const lab = newLab()
    const error = await rejectionOf(own.submit(tasks.abandon, pool, lab, 2))
    assert.ok(error instanceof ThreadDeathError)
    await eventually(() => lab.stopped.get() === lab.begun.get())
    assert.deepEqual([await pool.submit(tasks.echo, 1), lab.passed.get()], [1, 1])
    lab.latch.countDown()
    await eventually(() => lab.passed.get() === 2)
  })
}

test("[SS23] they end in the pool that the thread was of, too, and all tasks are counted", async () => {
  const pool = Executors.newFixedThreadPool(THREADS + 1, threadFactory)
  const lab = newLab()
  const error = await rejectionOf(pool.submit(tasks.abandon, pool, lab, 2))
  assert.ok(error instanceof ThreadDeathError)
  await eventually(() => lab.stopped.get() === lab.begun.get())
  lab.latch.countDown()
  await pool.close()
  assert.deepEqual([pool.completedTaskCount, lab.passed.get()], [6, 2])
})

test("[SS23] they end when the thread that has opened the scope is terminated", async () => {
  await requireTermination()
  await using own = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
  await using pool = Executors.newFixedThreadPool(THREADS, threadFactory)
  const lab = newLab()
  const spinning = own.submit(tasks.abandonToSpin, pool, lab, 2)
  await eventually(() => lab.passed.get() === 1)
  spinning.cancel(true)
  await eventually(() => lab.stopped.get() === lab.begun.get())
  assert.equal(await pool.submit(tasks.echo, 1), 1)
})
