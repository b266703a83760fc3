/** Code of the user's in the elements of a pool's queue. Rules: docs/spec/pool.md. */
import {
  type Delayed,
  DelayQueue,
  FutureTask,
  PriorityBlockingQueue,
  type Runnable,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"

/** A pool of one busy thread, whose queue has a comparator that can be told to throw. */
function ordered(pools: Pools): { pool: ThreadPoolExecutor; release: () => void; comparator: { fails: boolean } } {
  const comparator = { fails: false }
  const workQueue = new PriorityBlockingQueue<Runnable>(() => {
    if (comparator.fails) throw new Error("cannot be compared")
    return 0
  })
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  const gate = pools.gate()
  pool.execute(gate.body)
  return { pool, comparator, release: () => gate.open() }
}

test("[TP115] a comparator that throws when tasks are taken keeps none of them, and no thread ends", async () => {
  await using pools = new Pools()
  const { pool, comparator, release } = ordered(pools)
  const futures = [1, 2, 3, 4, 5].map((n) => pool.submit(() => n))
  comparator.fails = true
  release()
  assert.deepEqual(await Promise.all(futures), [1, 2, 3, 4, 5])
  await eventually(() => pool.completedTaskCount === 6)
  // Five, four and three elements have to be put in order again; of two only one is left.
  assert.deepEqual(new Set(pools.takeUncaught().map(String)), new Set(["Error: cannot be compared"]))
  assert.deepEqual([pools.threads.length, pool.queue.size], [1, 0])
})

test("[TP115] shutdownNow() hands back everything though the comparator throws", async (t) => {
  const print = t.mock.method(console, "error", () => undefined) // by the thread that calls it
  await using pools = new Pools()
  const { pool, comparator } = ordered(pools)
  const futures = [1, 2, 3, 4, 5].map((n) => pool.submit(() => n))
  comparator.fails = true
  assert.equal(pool.shutdownNow().length, 5)
  assert.deepEqual(
    futures.map(({ state }) => state),
    Array.from(futures, () => "cancelled"),
  )
  assert.equal(pool.queue.size, 0)
  assert.ok(print.mock.callCount() > 0)
})

test("[TP115] a comparator that throws when a task comes in refuses that task alone", async () => {
  await using pools = new Pools()
  const { pool, comparator, release } = ordered(pools)
  const first = pool.submit(() => 1)
  comparator.fails = true
  assert.equal(String(thrownBy(() => pool.submit(() => 2))), "Error: cannot be compared")
  comparator.fails = false
  const third = pool.submit(() => 3)
  release()
  assert.deepEqual([await first, await third], [1, 3])
})

test("[TP115] a task whose delay cannot be told is due", async () => {
  await using pools = new Pools()
  class Timed extends FutureTask<number> implements Delayed {
    fails = false

    get delay(): number {
      if (this.fails) throw new Error("cannot be told")
      return 0
    }
  }
  const workQueue = new DelayQueue<Delayed & Runnable>()
  const pool = pools.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  const gate = pools.gate()
  pool.execute(gate.body)
  const tasks = [1, 2].map((n) => new Timed(() => n))
  for (const task of tasks) pool.execute(task)
  for (const task of tasks) task.fails = true
  gate.open()
  assert.deepEqual(await Promise.all(tasks), [1, 2])
  await eventually(() => pool.completedTaskCount === 3)
  assert.deepEqual(new Set(pools.takeUncaught().map(String)), new Set(["Error: cannot be told"]))
  assert.equal(pools.threads.length, 1)
})

test("[TP115] shutdownNow() hands back tasks whose equals() throws", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const gate = pools.gate()
  pool.execute(gate.body)
  const task = {
    run: () => undefined,
    equals(): never {
      throw new Error("cannot be compared")
    },
  }
  pool.execute(task)
  pool.execute(task)
  assert.deepEqual(pool.shutdownNow(), [task, task])
})
