/** Pools that are ended by their tasks, or while tasks come and die. Ids such as [TP64] refer to docs/spec/pool.md. */
import {
  CancellationError,
  InterruptedError,
  LinkedBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
  Thread,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP60] a task may shut down its own pool and goes on undisturbed", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const future = pool.submit(async () => {
    pool.shutdown()
    await Thread.sleep(0)
    return "finished"
  })
  const waiting = pool.submit(() => "ran too")
  assert.equal(await future, "finished")
  assert.equal(await waiting, "ran too")
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP60] a task may stop its own pool: it is interrupted like the others, and what waits comes back", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const seen: unknown[] = []
  const future = pool.submit(() => {
    seen.push(pool.shutdownNow().length, Thread.currentThread().isInterrupted)
    return "finished"
  })
  const waiting = pool.submit(() => assert.fail("ran"))
  assert.equal(await future, "finished")
  assert.equal(waiting.state, "cancelled")
  assert.deepEqual(seen, [1, true])
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP60] a task may cancel itself, with and without an interrupt", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  for (const interrupt of [false, true]) {
    let interrupted: boolean | undefined
    const future = pool.submit((): string => {
      assert.equal(future.cancel(interrupt), true)
      interrupted = Thread.currentThread().isInterrupted
      return "late"
    })
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await eventually(() => interrupted === interrupt)
  }
  assert.equal(await pool.submit(() => "next"), "next")
  await eventually(() => pool.completedTaskCount === 3)
  assert.equal(pools.threads.length, 1)
})

test("[TP64] tasks that race with shutdownNow() are each accepted or refused, and the pool ends", async () => {
  await using pools = new Pools()
  for (let round = 0; round < 50; round++) {
    const workQueue = round % 2 === 0 ? new LinkedBlockingQueue<Runnable>() : new SynchronousQueue<Runnable>()
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, workQueue })
    let ran = 0
    let refused = 0
    const submitter = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        try {
          pool.execute(() => ran++)
        } catch (error) {
          assert.ok(error instanceof RejectedExecutionError)
          refused++
        }
        for (let pause = (i * round) % 4; pause > 0; pause--) await Promise.resolve()
      }
    }
    const submitters = [submitter(), submitter()]
    for (let pause = round; pause > 0; pause--) await Promise.resolve()
    const handedBack = pool.shutdownNow().length
    await Promise.all(submitters)
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(ran + refused + handedBack, 40)
    assert.equal(pool.completedTaskCount, ran)
  }
})

test("[TP65] while a pool shuts down, a thread that a task killed is replaced for what waits", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  for (let i = 0; i < 3; i++) {
    pool.execute(() => {
      throw new Error(`task ${i}`)
    })
  }
  const future = pool.submit(() => "the last")
  pool.shutdown()
  assert.equal(await future, "the last")
  assert.equal(await pool.awaitTermination(), true)
  await turns()
  assert.deepEqual(pools.takeUncaught().map(String), ["Error: task 0", "Error: task 1", "Error: task 2"])
  assert.equal(pool.completedTaskCount, 4)
})

test("[TP67] a task that a thread has in hand when the pool is stopped runs, interrupted", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const first = pool.submit(() => Thread.currentThread().isInterrupted)
  assert.deepEqual(pool.shutdownNow(), [], "it was in hand before it began")
  assert.equal(await first, true)

  const other = pools.fixed(1)
  other.prestartCoreThread()
  await turns()
  const handedOver = other.submit(() => Thread.sleep(0))
  assert.deepEqual(other.shutdownNow(), [])
  assert.ok((await rejectionOf(handedOver)) instanceof InterruptedError)
})
