/** What becomes of a task when it is given to a pool. Ids such as [TP12] refer to docs/spec/pool.md. */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  LinkedBlockingQueue,
  PriorityBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
  Thread,
  ThreadPoolExecutor,
  type WaitOptions,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

test("[TP10] an executed command runs once, and not inside the call", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  let runs = 0
  pool.execute(() => runs++)
  pool.execute({ run: () => runs++ })
  assert.equal(runs, 0)
  await eventually(() => pool.completedTaskCount === 2)
  assert.equal(runs, 2)
})

test("[TP10] a task handed to an idle thread does not run inside the call either", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  await pool.submit(() => undefined)
  await turns()
  let ran = false
  pool.execute(() => (ran = true))
  assert.equal(ran, false)
  assert.equal(pool.activeCount, 1, "it is already in the thread's hand")
  await eventually(() => ran)
})

test("[TP11] what cannot be run is refused, and nothing is counted", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const demand = "Expected `command` to be a function or an object with a run() method, got"
  for (const [wrong, shown] of [
    [null, "null"],
    [undefined, "undefined"],
    [{}, "an instance of Object"],
    ["run", '"run"'],
    [Promise.resolve(), "an instance of Promise"],
  ] as const) {
    assert.equal(String(thrownBy(() => pool.execute(wrong as never))), `TypeError: ${demand} ${shown}`)
    assert.equal(
      String(thrownBy(() => pool.submit(wrong as never))),
      `TypeError: Expected \`task\` to be a function, got ${shown}`,
    )
  }
  assert.deepEqual([pool.poolSize, pool.taskCount], [0, 0])
})

test("[TP12] below the core size every task gets a new thread, even if others are idle", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(3)
  const threads = []
  for (let i = 1; i <= 4; i++) {
    threads.push(await pool.submit(() => Thread.currentThread()))
    await turns()
    assert.equal(pool.activeCount, 0)
    assert.equal(pool.poolSize, Math.min(i, 3))
  }
  assert.equal(new Set(threads).size, 3, "the fourth task found a thread")
})

test("[TP13] with the core size reached tasks are queued, and run when a thread is free", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3 })
  const gate = pools.gate()
  pool.execute(gate.body)
  const waiting = [1, 2].map((value) => pool.submit(() => value))
  await gate.entered()
  assert.deepEqual([pool.poolSize, pool.queue.size], [1, 2])
  gate.open()
  assert.deepEqual(await Promise.all(waiting), [1, 2])
})

test("[TP14] when the queue is full a task gets a thread up to the maximum, and overtakes what waits", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 2, workQueue: new ArrayBlockingQueue(2) })
  const first = pools.gate()
  const order: string[] = []
  pool.execute(first.body)
  for (const name of ["waits", "waits too", "overtakes"]) pool.execute(() => order.push(name))
  assert.deepEqual([pool.poolSize, pool.queue.size], [2, 2])
  await eventually(() => order.length === 3)
  assert.deepEqual(order, ["overtakes", "waits", "waits too"])
})

test("[TP15] saturated, the handler is called once, here and now, with the task and the pool", async () => {
  await using pools = new Pools()
  const heard: unknown[] = []
  const pool = pools.create({
    corePoolSize: 1,
    maximumPoolSize: 2,
    workQueue: new ArrayBlockingQueue(1),
    handler: (task, executor) => heard.push([task, executor, Thread.currentThread().name]),
  })
  const gate = pools.gate()
  for (let i = 0; i < 3; i++) pool.execute(gate.body)
  await gate.entered(2)
  const before = [pool.poolSize, pool.activeCount, pool.queue.size, pool.taskCount, pool.completedTaskCount]
  const refused = (): void => assert.fail("a refused task ran")
  pool.execute(refused)
  assert.deepEqual(heard, [[refused, pool, "main"]])
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.queue.size, pool.taskCount, pool.completedTaskCount], before)
  assert.deepEqual(before, [2, 2, 1, 3, 0])
})

test("[TP16] with an unbounded queue the maximum size does not matter", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 2, maximumPoolSize: 10 })
  const gate = pools.gate()
  for (let i = 0; i < 20; i++) pool.execute(gate.body)
  await gate.entered(2)
  assert.deepEqual([pool.poolSize, pool.queue.size], [2, 18])
})

test("[TP17] a core size of 0 and an unbounded queue make exactly one thread", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 10 })
  const gate = pools.gate()
  for (let i = 0; i < 5; i++) pool.execute(gate.body)
  await gate.entered()
  await turns()
  assert.deepEqual([pool.poolSize, pool.activeCount, pool.queue.size], [1, 1, 4])
  gate.open()
  await eventually(() => pool.completedTaskCount === 5)
  assert.equal(pool.largestPoolSize, 1)
})

test("[TP18] a SynchronousQueue gives a task to an idle thread, else to a new one, else to the handler", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 0, maximumPoolSize: 2, workQueue: new SynchronousQueue() })
  const gate = pools.gate()
  const first = await pool.submit(() => Thread.currentThread())
  await turns()
  pool.execute(gate.body)
  await gate.entered()
  assert.equal(gate.threads[0], first, "the idle thread was used")
  pool.execute(gate.body)
  assert.equal(pool.poolSize, 2)
  assert.ok(thrownBy(() => pool.execute(gate.body)) instanceof RejectedExecutionError)
})

/** A queue that does something the moment a task was put in: as if another thread had. */
class Trap extends LinkedBlockingQueue<Runnable> {
  spring: (() => void) | undefined

  override offer(e: Runnable): boolean
  override offer(e: Runnable, wait: WaitOptions): Promise<boolean>
  override offer(e: Runnable, wait?: WaitOptions): boolean | Promise<boolean> {
    if (wait !== undefined) return super.offer(e, wait)
    const accepted = super.offer(e)
    this.spring?.()
    return accepted
  }
}

/** A pool of one thread that has such a queue and writes down what it refuses. */
function trapped(pools: Pools): { pool: ThreadPoolExecutor; queue: Trap; refused: unknown[] } {
  const queue = new Trap()
  const refused: unknown[] = []
  const handler = (task: Runnable): number => refused.push(task)
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: queue, handler })
  return { pool, queue, refused }
}

test("[TP19] shut down while a task is queued behind a busy thread: the task is refused and does not run", async () => {
  await using pools = new Pools()
  const { pool, queue, refused } = trapped(pools)
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  queue.spring = () => pool.shutdown()
  const task = (): void => assert.fail("a refused task ran")
  pool.execute(task)
  assert.deepEqual(refused, [task])
  assert.equal(queue.size, 0)
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP19] shut down while a task is handed to an idle thread: it runs and is not refused", async () => {
  await using pools = new Pools()
  const { pool, queue, refused } = trapped(pools)
  pool.prestartCoreThread()
  await turns()
  queue.spring = () => pool.shutdown()
  let runs = 0
  pool.execute(() => runs++)
  assert.equal(await pool.awaitTermination(), true)
  assert.deepEqual([runs, refused.length], [1, 0])
})

test("[TP19] stopped while a task is queued: it is handed back, neither refused nor run", async () => {
  await using pools = new Pools()
  const { pool, queue, refused } = trapped(pools)
  const gate = pools.gate()
  pool.execute(gate.body)
  await gate.entered()
  const handedBack: Runnable[] = []
  queue.spring = () => handedBack.push(...pool.shutdownNow())
  const task = (): void => assert.fail("a task that was handed back ran")
  pool.execute(task)
  assert.deepEqual(handedBack, [task])
  assert.deepEqual(refused, [])
  gate.open()
  assert.equal(await pool.awaitTermination(), true)
})

test("[TP20] one Runnable may be executed a thousand times, refused and tried again", async () => {
  await using pools = new Pools()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 3, workQueue: new ArrayBlockingQueue(1) })
  let runs = 0
  let refusals = 0
  const task = (): number => runs++
  for (let accepted = 0; accepted < 1000;) {
    try {
      pool.execute(task)
      accepted++
    } catch (error) {
      assert.ok(error instanceof RejectedExecutionError)
      refusals++
      await turns(1)
    }
  }
  await eventually(() => pool.completedTaskCount === 1000)
  assert.equal(runs, 1000)
  assert.ok(refusals > 0)
})

test("[TP21] arguments reach the function", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const seen: unknown[] = []
  pool.execute((...args: unknown[]) => seen.push(...args), 1, "two", undefined)
  assert.equal(await pool.submit((a: number, b: number) => a * b, 6, 7), 42)
  assert.deepEqual(seen, [1, "two", undefined])
})

test("[TP22] an error of the queue leaves execute and changes nothing", async () => {
  await using pools = new Pools()
  const workQueue = new PriorityBlockingQueue<Runnable>()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue, handler: AbortPolicy })
  const gate = pools.gate()
  pool.execute(gate.body)
  const before = String(pool)
  // A function has no natural order.
  assert.ok(thrownBy(() => pool.execute(() => assert.fail("ran"))) instanceof TypeError)
  assert.ok(thrownBy(() => pool.submit(() => assert.fail("ran"))) instanceof TypeError)
  assert.equal(String(pool), before)
  gate.open()
  await eventually(() => pool.completedTaskCount === 1)
})
