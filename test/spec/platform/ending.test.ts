/** Pools that are shut down, and queues that are emptied, by threads that did not make them, and that may die meanwhile. */
import {
  ArrayBlockingQueue,
  Executors,
  type Future,
  platformThreads,
  ScheduledThreadPoolExecutor,
  Thread,
  ThreadPoolExecutor,
} from "corepool"
import { Endings } from "#src/platform/memory/workers/endings.js"
import { type PoolHandle, PoolMemory } from "#src/platform/memory/pool-memory.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { mortalThreads } from "../../support/mortal.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { requireTermination } from "../../support/termination.ts"
import * as tasks from "./ending-tasks.ts"
import { pass } from "./tasks.ts"

/** A pool of one thread, which stands at a gate, and tasks that wait. In the end the gate is opened and the pool closed. */
class HeldUp implements AsyncDisposable {
  readonly gate = new SharedGate()
  /** It does not end the task at the gate, however long the test takes on a busy machine. */
  readonly pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: Infinity }))
  readonly running: Future<unknown> = this.pool.submit(pass, this.gate.index)
  readonly waiting: Future<number>[]

  private constructor(count: number) {
    this.waiting = Array.from({ length: count }, (_, i) => this.pool.submit(tasks.add, i, 1))
  }

  static async with(count: number): Promise<HeldUp> {
    const heldUp = new HeldUp(count)
    await heldUp.gate.reached()
    return heldUp
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.gate.open()
    await this.pool.close()
  }
}

async function assertEnded(pool: ThreadPoolExecutor, futures: readonly Future<unknown>[]): Promise<void> {
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual(
    futures.filter(({ isDone }) => !isDone),
    [],
  )
  assert.equal(pool.queue.size, 0)
}

test("[PL39] shutdownNow of a task of another pool cancels every future, and gives it the tasks", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(2000)
  const { pool, waiting, running, gate } = heldUp
  assert.equal(await other.submit(tasks.stop, pool), 2000)
  assert.equal(pool.isTerminated, false)
  gate.open()
  await assertEnded(pool, waiting)
  assert.ok(waiting.every(({ state }) => state === "cancelled"))
  assert.equal(running.state, "success")
})

test("[PL39] what comes back to another thread can be given to another executor there", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(3)
  const { pool, waiting, gate } = heldUp
  assert.equal(await other.submit(tasks.stopAndRun, pool), 1 + 2 + 3)
  gate.open()
  await assertEnded(pool, waiting)
})

test("[PL39] also arguments that its submitter has kept", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  pool.submit(pass, gate.index)
  await gate.reached()
  const buffers = Array.from({ length: 3 }, (_, i) => new Uint8Array(8).fill(i + 1))
  const futures = buffers.map((bytes) => pool.with({ transfer: [bytes.buffer] }).submit(tasks.sum, bytes))
  assert.equal(await other.submit(tasks.stopAndRun, pool), 8 * (1 + 2 + 3))
  gate.open()
  await assertEnded(pool, futures)
})

test("[PL39] a thread that blocks for such a future is woken", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(10)
  const { pool, waiting } = heldUp
  const stopped = other.submit(tasks.stop, pool)
  for (const future of waiting) assert.throws(() => future.getSync(), { name: "CancellationError" })
  assert.equal(await stopped, 10)
})

test("[PL39] tasks of three threads, stopped by a task of the pool's own", async () => {
  await using other = Executors.newFixedThreadPool(2)
  await using pool = Executors.newFixedThreadPool(2)
  using submitted = new SharedGate()
  using gate = new SharedGate()
  const held = [pool.submit(pass, gate.index), pool.submit(pass, submitted.index)]
  await Promise.all([gate.reached(), submitted.reached()])
  const counts = [new SharedCount(), new SharedCount()]
  const elsewhere = counts.map(({ index }) => other.submit(tasks.submitMany, pool, 500, index))
  await eventually(() => counts.every(({ value }) => value === 1))
  const stopped = pool.submit(tasks.stop, pool)
  const ours = Array.from({ length: 500 }, (_, i) => pool.submit(tasks.add, i, 1))
  submitted.open() // the first thousand run, then the pool is stopped, and some of ours may have run by then
  const back = await stopped
  const states = (await Promise.all(elsewhere)).flat()
  gate.open()
  await assertEnded(pool, [...held, ...ours])
  assert.equal(states.filter((state) => state === "success").length, 1000)
  assert.equal(ours.filter(({ state }) => state === "cancelled").length, back)
})

test("[PL41] a task that stops its own pool is not terminated before it has handed everything back", async () => {
  await requireTermination()
  const count = new SharedCount()
  const spins = new SharedCount()
  await using pool = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 1 }))
  using gate = new SharedGate()
  const deaf = pool.submit(tasks.spin, spins.index)
  await eventually(() => spins.value > 0)
  const stopper = pool.submit(tasks.stopSlowly, pool, 10, gate.index, count.index)
  const waiting = Array.from({ length: 50 }, (_, i) => pool.submit(tasks.add, i, 1))
  await gate.reached()
  // The time of who was interrupted is over: the other thread has been terminated.
  assert.equal(((await rejectionOf(deaf)) as Error).name, "ThreadDeathError")
  gate.open()
  await assertEnded(pool, [...waiting, stopper])
  assert.equal(count.value, 50)
  assert.ok(waiting.every(({ state }) => state === "cancelled"))
})

for (const accesses of [0, 3, 10, 31, 100, 316, 1000, 3162]) {
  test(`[PL40] a thread of another pool dies in shutdownNow, after ${accesses} accesses to memory: the owner does the rest`, async () => {
    await using other = Executors.newFixedThreadPool(1, mortalThreads())
    await using heldUp = await HeldUp.with(60)
    const { pool, waiting, running, gate } = heldUp
    assert.equal(
      ((await rejectionOf(other.submit(tasks.stopAndDie, pool, accesses))) as Error).name,
      "ThreadDeathError",
    )
    if (pool.isShutdown) {
      await eventually(() => waiting.every(({ isDone }) => isDone))
      assert.ok(waiting.every(({ state }) => state === "cancelled"))
    } else pool.shutdown() // it has died before
    gate.open()
    await assertEnded(pool, [...waiting, running])
  })

  test(`[PL40] a thread of another pool dies in shutdown of a scheduled one, after ${accesses} accesses: the owner does the rest`, async () => {
    await using other = Executors.newFixedThreadPool(1, mortalThreads())
    await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1 })
    pool.executeExistingDelayedTasksAfterShutdown = false
    const futures = Array.from({ length: 30 }, (_, i) => pool.schedule(tasks.add, 1e9, i, 1))
    const dying = other.submit(tasks.shutDownAndDie, pool, accesses)
    assert.equal(((await rejectionOf(dying)) as Error).name, "ThreadDeathError")
    if (!pool.isShutdown) pool.shutdown()
    await assertEnded(pool, futures)
    const others = futures.filter(({ state }) => state !== "cancelled")
    assert.ok(others.length <= 1) // what the thread had just taken out of the queue
    for (const future of others) assert.equal((future.exceptionNow() as Error).name, "ThreadDeathError")
  })
}

for (const operation of ["clear", "removeIf", "retainAll"] as const) {
  test(`[PL42] what another thread throws out of the queue is cancelled: ${operation}`, async () => {
    await using other = Executors.newFixedThreadPool(1)
    await using heldUp = await HeldUp.with(20)
    const { pool, waiting, running, gate } = heldUp
    await other.submit(tasks.operate, pool, operation)
    await eventually(() => waiting.every(({ state }) => state === "cancelled"))
    gate.open()
    assert.equal(await running, gate.index)
    assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  })
}

test("[PL42] what another thread takes out of the queue is what that thread makes of it", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(20)
  const { pool, waiting } = heldUp
  assert.equal(await other.submit(tasks.drain, pool), 20)
  await eventually(() => waiting.every(({ isDone }) => isDone))
  for (const [i, { state }] of waiting.entries()) assert.equal(state, i % 2 === 0 ? "success" : "cancelled")
})

test("[PL42] if that thread dies, it fails", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(20)
  const { pool, waiting } = heldUp
  assert.equal(await other.submit(tasks.drainAndKeep, pool), 20)
  assert.ok(waiting.every(({ isDone }) => !isDone))
  await rejectionOf(other.submit(tasks.exit))
  for (const future of waiting) assert.equal(((await rejectionOf(future)) as Error).name, "ThreadDeathError")
})

test("[PL42] if the pool ends before, it is cancelled", async () => {
  await using other = Executors.newFixedThreadPool(1)
  await using heldUp = await HeldUp.with(20)
  const { pool, waiting, gate } = heldUp
  assert.equal(await other.submit(tasks.drainAndKeep, pool), 20)
  pool.shutdown()
  gate.open()
  await assertEnded(pool, waiting)
  assert.ok(waiting.every(({ state }) => state === "cancelled"))
})

test("[PL28][PL39] a pool that has ended refuses other threads' tasks, whatever its handler is", async () => {
  await using other = Executors.newFixedThreadPool(1)
  const pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(1),
    handler: () => undefined,
  })
  assert.equal(await other.submit(tasks.submitRefused, pool), 3)
  await pool.close()
  assert.equal(await other.submit(tasks.submitRefused, pool), "RejectedExecutionError")
})

test("[PL32][PP27] a pool ends though its last worker has asked for that while the owner looked for what the dead have left", async () => {
  await using heldUp = await HeldUp.with(0)
  const { pool, gate } = heldUp
  const memory = PoolMemory.open(pool.handle as PoolHandle)
  const { registry } = memory.threadContext
  const before = registry.deaths
  pool.shutdown()
  const look = new Endings(memory, 1) // in the name of the owner, whose box is the first
  look.begin()
  gate.open()
  while (registry.deaths === before) Thread.sleepSync(1) // not a turn of the event loop: the owner is in the midst of its look
  look.end()
  await eventually(() => pool.isTerminated)
})
