/** Tasks that wait for something else than what they have forked. Rules: docs/spec/forkjoin.md. */
import { CountDownLatch, Exchanger, ForkJoinPool, LinkedBlockingQueue, Phaser, Semaphore } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy } from "../../support/harness.ts"
import { SharedCount } from "../../support/shared-words.ts"
import * as tasks from "./blocking-tasks.ts"
import { fib } from "./tasks.ts"

for (const parallelism of [1, 2]) {
  test(`[FJ50] all ${parallelism} threads wait for what a task in the queue is going to do`, async () => {
    await using pool = new ForkJoinPool({ parallelism })
    const latch = new CountDownLatch(1)
    const begun = new SharedCount()
    const waiting = Array.from({ length: parallelism }, () => pool.submit(tasks.awaitLatch, latch, begun.index))
    await eventually(() => begun.value === parallelism && pool.runningThreadCount === 0)
    assert.deepEqual([pool.poolSize, pool.activeThreadCount], [parallelism, parallelism])
    await pool.submit(tasks.countDown, latch)
    for (const future of waiting) assert.equal(await future, "latch")
  })

  test(`[FJ50] a task waits for what its own part is going to do, on ${parallelism} threads`, async () => {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(tasks.acquire, new Semaphore(0)), "semaphore")
    assert.equal(await pool.invoke(tasks.takeFrom, new LinkedBlockingQueue<string>()), "queue")
    assert.equal(await pool.invoke(tasks.exchange, new Exchanger<string>()), "exchanger")
    assert.equal(await pool.invoke(tasks.advance, new Phaser(2)), "phaser")
    assert.equal(await pool.invoke(tasks.awaitCondition, new SharedCount().index), "condition")
  })

  test(`[FJ50] tasks of two pools of ${parallelism} threads wait for each other in turn`, async () => {
    await using threadContext = new ForkJoinPool({ parallelism })
    await using there = new ForkJoinPool({ parallelism })
    assert.equal(await threadContext.invoke(tasks.pingPong, threadContext, there, 3), 3)
  })

  test(`[FJ52] managedBlock lets somebody else work, with ${parallelism} threads`, async () => {
    await using pool = new ForkJoinPool({ parallelism })
    const [asked, blocked] = await pool.invoke(tasks.blockManaged, new SharedCount().index)
    assert.equal(asked, blocked)
  })
}

test("[FJ50] a task blocks for an asynchronous one of its own pool, which another thread runs", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.equal(await pool.invoke(tasks.blockForAsync, pool), 7)
})

test("[FJ51] the threads that have stood in leave when they are not needed any more", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const latch = new CountDownLatch(1)
  const begun = new SharedCount()
  const waiting = [1, 2, 3].map(() => pool.submit(tasks.awaitLatch, latch, begun.index))
  await eventually(() => begun.value === 3)
  assert.deepEqual([pool.poolSize, pool.activeThreadCount], [3, 3])
  latch.countDown()
  await Promise.all(waiting)
  assert.ok(await pool.awaitQuiescence())
  assert.equal(pool.runningThreadCount, 0)
  await eventually(() => pool.poolSize <= 1)
  assert.equal(await pool.invoke(fib, 12), 144)
  assert.equal(pool.poolSize, 1)
})

test("[FJ52] managedBlock asks first, blocks until that says so, and is strict about the answers", () => {
  const log: string[] = []
  const blocker = (releasable: unknown, ...answers: unknown[]) => ({
    isReleasable: () => log.push("isReleasable") > 0 && (releasable as boolean),
    block: () => log.push("block") > 0 && (answers.shift() as boolean),
  })
  ForkJoinPool.managedBlock(blocker(true))
  assert.deepEqual(log.splice(0), ["isReleasable"])
  ForkJoinPool.managedBlock(blocker(false, false, true))
  assert.deepEqual(log.splice(0), ["isReleasable", "block", "isReleasable", "block"])
  assert.ok(thrownBy(() => ForkJoinPool.managedBlock(blocker(false, Promise.resolve(true)))) instanceof TypeError)
  assert.ok(thrownBy(() => ForkJoinPool.managedBlock(blocker(undefined))) instanceof TypeError)
  assert.ok(thrownBy(() => ForkJoinPool.managedBlock(null as never)) instanceof TypeError)
})

test("[FJ53] who has stolen something gets what it needs also from a thread that only joins", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const left = await pool.invoke(tasks.joinUntilBegun, new SharedCount().index)
  assert.ok(left > 0, String(left))
})
