/** Pools whose queue orders tasks by a key: docs/spec/executor.md, docs/spec/platform.md. */
import {
  AtomicInteger,
  bind,
  CountDownLatch,
  FutureTask,
  type PriorityBlockingQueue as Queue,
  PriorityBlockingQueue,
  platformThreads,
  type Runnable,
  type ThreadFactory,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import * as tasks from "./keys.tasks.ts"

const KINDS: readonly (readonly [string, () => ThreadFactory])[] = [
  ["virtual threads", () => virtualThreads()],
  ["platform threads", () => platformThreads()],
]

/** A task with a deadline, which gives its turn: the first to run has 1. */
class Job extends FutureTask<number> {
  readonly deadline: unknown

  constructor(counter: AtomicInteger, deadline: unknown) {
    super(bind(tasks.turn, counter))
    this.deadline = deadline
  }
}

const key = (task: Runnable): number => (task as Job).deadline as number

function poolOf(threadFactory: ThreadFactory, queue: Queue<Runnable>): ThreadPoolExecutor {
  return new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: queue, threadFactory })
}

/** The only thread of the pool is busy until `open` is called. */
async function occupy(pool: ThreadPoolExecutor): Promise<{ open(): void } & Disposable> {
  const [entered, gate] = [new CountDownLatch(1), new CountDownLatch(1)]
  pool.with({ priority: 0 }).execute(tasks.pass, entered, gate)
  await entered.await()
  const open = (): void => gate.countDown()
  return { open, [Symbol.dispose]: open }
}

for (const [kind, factory] of KINDS) {
  test(`[WO31] ${kind}: the least key first, equal keys as they came; a priority is the opposite of a key`, async () => {
    await using pool = poolOf(factory(), new PriorityBlockingQueue<Runnable>({ key }))
    using gate = await occupy(pool)
    const counter = new AtomicInteger()
    const jobs = [5, 1, 3, -2, 1, 2.5, Infinity, 0].map((deadline) => new Job(counter, deadline))
    for (const job of jobs) pool.execute(job)
    const urgent = pool.with({ priority: 2 }).submit(tasks.turn, counter) // as the deadline −2, but later
    const idle = pool.with({ priority: -4 }).submit(tasks.turn, counter)
    assert.equal(pool.queue.peek(), jobs[3])
    assert.equal(pool.queue.size, 10)
    gate.open()
    assert.deepEqual(await Promise.all(jobs), [9, 4, 7, 1, 5, 6, 10, 3])
    assert.deepEqual([await urgent, await idle], [2, 8])
  })

  test(`[WO32] ${kind}: a task without a key, or on which the key throws, is refused, and nothing changes`, async () => {
    const error = new Error("no deadline")
    const queue = new PriorityBlockingQueue<Runnable>({
      key(task) {
        if (task instanceof Job && task.deadline === "throw") throw error
        return key(task)
      },
    })
    await using pool = poolOf(factory(), queue)
    using gate = await occupy(pool)
    const counter = new AtomicInteger()
    for (let i = 0; i < 100; i++) {
      for (const deadline of [undefined, Number.NaN, "1"]) {
        assert.throws(() => pool.execute(new Job(counter, deadline)), TypeError)
      }
      assert.throws(() => pool.submit(tasks.turn, counter), TypeError)
      assert.throws(
        () => pool.execute(new Job(counter, "throw")),
        (thrown) => thrown === error,
      )
    }
    assert.equal(queue.size, 0)
    const job = new Job(counter, 1)
    pool.execute(job)
    gate.open()
    assert.equal(await job, 1)
    await eventually(() => pool.completedTaskCount === 2)
  })

  test(`[WO31] ${kind}: what shutdownNow() and the queue hand back are the tasks themselves`, async () => {
    const pool = poolOf(factory(), new PriorityBlockingQueue<Runnable>({ key }))
    using gate = await occupy(pool)
    const jobs = [2, 1].map((deadline) => new Job(new AtomicInteger(), deadline))
    for (const job of jobs) pool.execute(job)
    assert.equal(pool.queue.poll(), jobs[1])
    assert.deepEqual(pool.queue.toArray(), [jobs[0]])
    gate.open()
    pool.shutdownNow()
    await pool.awaitTermination()
    for (const job of jobs) job.cancel()
  })
}

test("[PL75] platform threads: a key that submits to its own pool does no harm", async () => {
  const counter = new AtomicInteger()
  const inner: Job[] = []
  const queue: Queue<Runnable> = new PriorityBlockingQueue<Runnable>({
    key(task) {
      if (key(task) === 7) pool.execute((inner[inner.length] = new Job(counter, 8)))
      return key(task)
    },
  })
  await using pool = poolOf(platformThreads(), queue)
  using gate = await occupy(pool)
  const outer = new Job(counter, 7)
  pool.execute(outer)
  gate.open()
  assert.deepEqual([await outer, await Promise.all(inner)], [1, [2]])
})

test("[PL75] in a thread without the key, a priority is the opposite of a key, and is required", async () => {
  await using pool = poolOf(platformThreads(), new PriorityBlockingQueue<Runnable>({ key }))
  using gate = await occupy(pool)
  const counter = new AtomicInteger()
  const job = new Job(counter, 0)
  pool.execute(job)
  const last = new Job(counter, 5)
  pool.execute(last)
  await using other = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1 })
  const [first, message] = await other.submit(tasks.submitThere, pool, counter)
  assert.match(message, /^TypeError: Expected `task` to have a priority/)
  assert.equal(first, 4)
  gate.open()
  await eventually(() => counter.get() === 4)
  assert.deepEqual([await job, await last], [2, 4], "that of priority 1 was before, that of priority −1 between them")
})
