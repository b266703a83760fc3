/** Threads that are replaced after so many tasks, or when their heap is too large. Rules: docs/spec/worker.md. */
import { AtomicInteger, Executors, platformThreads, SynchronousQueue, tasksOf } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import fc from "fast-check"
import { eventually } from "../../support/harness.ts"
import { PlatformPool } from "./support.ts"

const tasks = tasksOf<typeof import("./ending-tasks.ts")>(new URL("ending-tasks.js", import.meta.url))

test("[RC1] a thread is replaced after so many tasks", async () => {
  await using own = new PlatformPool({ recycle: { tasks: 3 } })
  const runs = await Promise.all(Array.from({ length: 8 }, () => own.pool.submit(tasks.countRun)))
  assert.deepEqual(runs, [1, 2, 3, 1, 2, 3, 1, 2])
  await eventually(() => own.pool.completedTaskCount === 8)
})

test("[RC1] with 1 no global state outlives its task, in a pool of several threads and in one without a queue", async () => {
  for (const sizes of [
    { corePoolSize: 2, maximumPoolSize: 2 },
    { corePoolSize: 1, maximumPoolSize: 3, keepAliveTime: 60_000 },
    { corePoolSize: 0, maximumPoolSize: 10, workQueue: new SynchronousQueue<never>() },
  ]) {
    await using own = new PlatformPool({ recycle: { tasks: 1 } }, sizes)
    const runs = await Promise.all(Array.from({ length: 6 }, () => own.pool.submit(tasks.countRun)))
    assert.deepEqual(runs, [1, 1, 1, 1, 1, 1])
  }
})

test("[RC2] a thread is replaced when more of its heap is in use than that", async () => {
  await using own = new PlatformPool({ recycle: { heapMB: 96 } })
  const small = await own.pool.submit(tasks.name)
  assert.equal(await own.pool.submit(tasks.name), small)
  assert.equal(await own.pool.submit(tasks.keep, 128), small)
  assert.notEqual(await own.pool.submit(tasks.name), small)
})

test("[RC3] the pool keeps its size: a thread of the core is replaced before the next task comes", async () => {
  await using own = new PlatformPool({ recycle: { tasks: 1 } }, { corePoolSize: 2, maximumPoolSize: 2 })
  own.pool.prestartAllCoreThreads()
  await own.pool.submit(tasks.countRun)
  await eventually(() => own.threads.length === 3 && own.pool.poolSize === 2)
})

test("[RC3] a thread beyond the core is replaced if tasks wait, and else leaves", async () => {
  const sizes = { corePoolSize: 0, maximumPoolSize: 1 }
  await using own = new PlatformPool({ recycle: { tasks: 1 } }, sizes)
  const runs = await Promise.all(Array.from({ length: 3 }, () => own.pool.submit(tasks.countRun)))
  assert.deepEqual(runs, [1, 1, 1])
  await eventually(() => own.pool.poolSize === 0)
  assert.equal(own.threads.length, 3)
})

test("[RC4] a recycled thread runs its teardown", async () => {
  const teardown = [new URL("teardown-count.js", import.meta.url)]
  await using own = new PlatformPool({ recycle: { tasks: 1 }, teardown, terminateAfter: Infinity })
  const [begun, ended] = [new AtomicInteger(), new AtomicInteger()]
  for (let i = 0; i < 3; i++) await own.pool.submit(tasks.remember, begun, ended)
  await own.pool.close()
  assert.equal(ended.get(), 3)
})

test("[RC5] no task is lost, whatever ends threads meanwhile: each runs, or fails with the death of its thread", async () => {
  const KINDS = ["run", "run", "run", "exit", "command", "cancel"] as const
  const plan = fc.record({
    tasks: fc.integer({ min: 1, max: 3 }),
    threads: fc.integer({ min: 1, max: 2 }),
    work: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 8 }),
  })
  await fc.assert(
    fc.asyncProperty(plan, async ({ tasks: most, threads, work }) => {
      await using own = new PlatformPool(
        { recycle: { tasks: most }, teardown: [new URL("teardown-count.js", import.meta.url)], uncaughtException() {} },
        { corePoolSize: threads, maximumPoolSize: threads },
      )
      const outcomes = await Promise.all(
        work.map(async (kind) => {
          if (kind === "command") {
            own.pool.execute(tasks.fail)
            return kind
          }
          const future = own.pool.submit(kind === "exit" ? tasks.exit : tasks.countRun)
          if (kind === "cancel") future.cancel(true)
          const [outcome] = await Promise.allSettled([future.get()])
          if (outcome.status === "fulfilled") assert.ok(outcome.value <= most, `run ${outcome.value}`)
          return kind === "run" ? outcome.status : kind
        }),
      )
      assert.deepEqual(
        outcomes,
        work.map((kind) => (kind === "run" ? "fulfilled" : kind)),
      )
      await own.pool.close()
      assert.equal(own.pool.completedTaskCount, work.filter((kind) => kind !== "cancel").length + cancelled(own, work))
    }),
    { numRuns: 8 },
  )
})

/** A cancelled task is counted when a thread comes upon it, which it may have done or not when it was cancelled. */
function cancelled(own: PlatformPool, work: readonly string[]): number {
  const others = work.filter((kind) => kind !== "cancel").length
  const counted = own.pool.completedTaskCount - others
  assert.ok(counted >= 0 && counted <= work.length - others, `${counted} cancelled tasks are counted`)
  return counted
}

test("[RC6] the runs of a periodic task have fresh threads", async () => {
  await using pool = Executors.newScheduledThreadPool(1, platformThreads({ recycle: { tasks: 1 } }))
  const runs = new AtomicInteger()
  const series = pool.scheduleAtFixedRate(tasks.increment, 0, 1, runs)
  await eventually(() => runs.get() >= 3)
  series.cancel(false)
})
