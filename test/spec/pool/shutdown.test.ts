/** How a pool is shut down, and what it gives back. Ids such as [TP50] refer to docs/spec/pool.md. */
import {
  CancellationError,
  type Delayed,
  DelayQueue,
  IllegalStateError,
  InterruptedError,
  LinkedBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP49] after shutdown() nothing is accepted, what was accepted runs, and nothing is interrupted", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 2 })
  const gate = pools.gate()
  const running = pool.submit(gate.interruptible)
  const waiting = [1, 2, 3].map((value) => pool.submit(() => value))
  await gate.entered()
  pool.shutdown()
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RejectedExecutionError)
  assert.ok(thrownBy(() => pool.submit(() => assert.fail("ran"))) instanceof RejectedExecutionError)
  await turns()
  assert.equal(gate.inside, 1)
  assert.deepEqual([pool.queue.size, pools.threads.length], [3, 1])
  gate.open("undisturbed")
  assert.equal(await running, "undisturbed")
  assert.deepEqual(await Promise.all(waiting), [1, 2, 3])
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.completedTaskCount, 4)
})

test("[TP49] idle threads leave at once", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(3)
  pool.prestartAllCoreThreads()
  await turns()
  pool.shutdown()
  assert.equal(await pool.awaitTermination(), true)
  await eventually(() => pools.threads.every((thread) => !thread.isAlive))
})

test("[TP49] a second shutdown() changes nothing", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.shutdown()
  const before = String(pool)
  pool.shutdown()
  assert.equal(String(pool), before)
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
  pool.shutdown()
  assert.equal(pool.isTerminated, true)
})

test("[TP50] shutdownNow() interrupts what runs and returns what waited, in order", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(2)
  const gate = pools.gate()
  const running = [1, 2].map(() => pool.submit(gate.interruptible))
  const waiting = [1, 2, 3].map((i) => (): number => assert.fail(`task ${i} ran`))
  for (const task of waiting) pool.execute(task)
  await gate.entered(2)
  assert.deepEqual(pool.shutdownNow(), waiting)
  assert.deepEqual([pool.queue.size, pool.isShutdown], [0, true])
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof RejectedExecutionError)
  for (const future of running) assert.ok((await rejectionOf(future)) instanceof InterruptedError)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(pool.completedTaskCount, 2)
})

test("[TP50] a second shutdownNow() returns nothing, and so does one of an idle pool", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  pool.execute(gate.body)
  assert.equal(pool.shutdownNow().length, 1)
  assert.deepEqual(pool.shutdownNow(), [])
  assert.deepEqual(pools.fixed(1).shutdownNow(), [])
})

test("[TP50] shutdownNow() after shutdown() stops what was still to run", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const task = (): void => assert.fail("ran")
  pool.execute(task)
  pool.shutdown()
  assert.deepEqual(pool.shutdownNow(), [task])
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP51] a submitted task that waited is cancelled, saying why, and its work can be done elsewhere", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const ran: string[] = []
  const future = pool.submit((name: string) => ran.push(name), "the same work")
  const handedBack = pool.shutdownNow()
  assert.equal(future.state, "cancelled")
  const error = await rejectionOf(future)
  assert.ok(error instanceof CancellationError)
  assert.ok(error.cause instanceof RejectedExecutionError)
  assert.match(error.cause.message, /was shut down before the task ran/)
  assert.equal(error.cause.task, future)

  const other = pools.fixed(1)
  for (const task of handedBack) other.execute(task)
  await eventually(() => other.completedTaskCount === 1)
  assert.deepEqual(ran, ["the same work"])
  assert.equal(future.state, "cancelled", "the old future has nothing to do with it")
})

test("[TP51] a future that was cancelled before comes back as it is, and does nothing when run", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const future = pool.submit(() => assert.fail("ran"))
  future.cancel()
  const handedBack = pool.shutdownNow()
  assert.deepEqual(handedBack, [future])
  const other = pools.fixed(1)
  for (const task of handedBack) other.execute(task)
  await eventually(() => other.completedTaskCount === 1)
})

/** A command that will not be due while the test runs. */
class MuchLater implements Delayed {
  readonly delay = 1_000_000

  run(): void {
    assert.fail("ran before its time")
  }
}

test("[TP52] what the queue does not give yet comes back too", async () => {
  await using pools = new Pools()
  const workQueue = new DelayQueue<MuchLater>()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  pool.prestartCoreThread()
  const tasks = [new MuchLater(), new MuchLater()]
  for (const task of tasks) pool.execute(task)
  await turns()
  assert.deepEqual(new Set(pool.shutdownNow()), new Set(tasks))
  assert.equal(pool.queue.size, 0)
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP58] a task that ignores its interrupt holds up the end", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  const future = pool.submit(gate.body)
  await gate.entered()
  pool.shutdownNow()
  await turns()
  assert.equal(pool.isTerminated, false)
  assert.equal(gate.threads[0]?.isInterrupted, true)
  gate.open("in the end")
  assert.equal(await future, "in the end")
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP59] removing or purging the last waiting task ends a pool that is shut down", async () => {
  await using pools = new Pools()
  const factory = { isVirtual: true, newThread: () => null } // nobody will ever take the task
  for (const how of ["remove", "purge"] as const) {
    const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: factory })
    const future = pool.submit(() => assert.fail("ran"))
    pool.shutdown()
    assert.equal(pool.isTerminated, false)
    future.cancel()
    if (how === "remove") assert.equal(pool.remove(future), true)
    else pool.purge()
    assert.equal(pool.isTerminated, true)
  }
})

test("[TP59] also if its threads were waiting for that task to become due: the news reaches all of them", async () => {
  await using pools = new Pools()
  const workQueue = new DelayQueue<MuchLater>()
  const pool = pools.create({ corePoolSize: 4, maximumPoolSize: 4, workQueue })
  pool.prestartAllCoreThreads()
  const task = new MuchLater()
  pool.execute(task)
  pool.shutdown()
  await turns()
  assert.deepEqual([pool.poolSize, pool.isTerminated], [4, false])
  assert.equal(pool.remove(task), true)
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP66] the queue of a pool cannot be closed", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  pool.prestartCoreThread()
  const error = thrownBy(() => pool.queue.close())
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /shut down the pool/)
  assert.equal(await pool.submit(() => "still at work"), "still at work")
})

test("[TP66] a queue that is closed cannot be given to a pool", () => {
  const workQueue = new LinkedBlockingQueue<Runnable>()
  workQueue.close()
  const threadFactory = new Pools().factory
  const options = { corePoolSize: 1, maximumPoolSize: 1, workQueue, threadFactory }
  assert.ok(thrownBy(() => new ThreadPoolExecutor(options)) instanceof IllegalStateError)
})
