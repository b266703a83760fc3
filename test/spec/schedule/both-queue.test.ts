/** The queue and the threads of scheduled pools on both kinds of threads. Ids such as [SC33] refer to docs/spec/schedule.md. */
import { FutureTask, type ScheduledFuture } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, thrownBy } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { kinds, OpenSchedule, wrong } from "./support.ts"
import * as tasks from "./tasks.ts"

const HOUR = 3_600_000

function inHours(pool: OpenSchedule, ...hours: number[]): ScheduledFuture<number>[] {
  return hours.map((n) => pool.schedule(tasks.same, n * HOUR, n))
}

for (const kind of kinds) {
  test(`[SC33] the queue shows all that waits, in order, and gives only what is due, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const running = pool.schedule(tasks.stayOn, 0, gate.index)
    await gate.reached()
    const [c, a, d, b] = inHours(pool, 3, 1, Infinity, 2)
    const due = [pool.schedule(tasks.same, 0, 1), pool.schedule(tasks.same, 0, 2)]
    assert.deepEqual(pool.queue.toArray(), [...due, a, b, c, d])
    assert.deepEqual([...pool.queue], [...due, a, b, c, d])
    assert.deepEqual([pool.queue.contains(running), pool.queue.contains(b), pool.queue.size], [false, true, 6])
    assert.deepEqual([pool.queue.peek(), pool.queue.poll()], [due[0], due[0]])
    const drained: unknown[] = []
    assert.equal(pool.queue.drainTo(wrong(drained)), 1)
    assert.deepEqual([drained, pool.queue.poll(), pool.queue.peek()], [[due[1]], undefined, a])
    const iterator = pool.queue[Symbol.iterator]()
    iterator.next()
    iterator.next()
    iterator.remove()
    assert.deepEqual(pool.queue.toArray(), [a, c, d])
    pool.queue.clear()
    assert.deepEqual([pool.queue.size, a?.isDone], [0, false])
  })

  test(`[SC27][SC28][SC35] a cancelled task stays until it is purged, or leaves at once, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const [a, b, c] = inHours(pool, 1, 2, 3)
    a?.cancel()
    assert.deepEqual([pool.queue.size, pool.queue.contains(a)], [3, true])
    pool.removeOnCancel = true
    b?.cancel()
    assert.deepEqual(pool.queue.toArray(), [a, c])
    pool.removeOnCancel = false
    pool.purge()
    assert.deepEqual([pool.queue.toArray(), pool.taskCount], [[c], 1])
    using gate = new SharedGate()
    const held = pool.submit(tasks.stayOn, gate.index)
    await gate.reached() // the only thread is not free, however long this one is held up
    const soon = pool.schedule(tasks.same, 5, 1)
    soon.cancel()
    gate.open()
    assert.equal(await held, "stayed")
    await eventually(() => pool.completedTaskCount === 2)
    assert.deepEqual([pool.queue.toArray(), soon.isCancelled], [[c], true])
  })

  test(`[SC34][SC36] what is removed does not run, and can be put back, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const counter = new SharedCount()
    const held = pool.submit(tasks.stayOn, gate.index)
    await gate.reached() // the only thread is not free, however long this one is held up
    const once = pool.schedule(tasks.count, 10, counter.index)
    const series = pool.scheduleAtFixedRate(tasks.count, 10, 10, counter.index)
    for (const future of [once, series]) assert.deepEqual([pool.remove(future), pool.remove(future)], [true, false])
    gate.open()
    assert.equal(await held, "stayed")
    assert.equal(await pool.schedule(tasks.same, 25, "later"), "later")
    assert.deepEqual([counter.value, once.isDone, pool.remove(once)], [0, false, false])
    pool.queue.add(wrong(once))
    assert.equal(await once, 1)
    pool.queue.add(wrong(series))
    await eventually(() => counter.value >= 3)
    series.cancel()
  })

  test(`[SC36] only scheduled tasks can be put into the queue, and none twice, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const [future] = inHours(pool, 1)
    for (const none of [() => undefined, { run() {} }, new FutureTask(tasks.threadName), { delay: 5 }, null, future]) {
      assert.ok(thrownBy(() => pool.queue.add(wrong(none))) instanceof TypeError)
    }
    assert.equal(pool.queue.size, 1)
  })

  test(`[SC38] ten thousand time-outs that never come to pass on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    pool.removeOnCancel = true
    const futures = Array.from({ length: 10_000 }, (_, i) => pool.schedule(tasks.same, HOUR + ((i * 7919) % 10_000), i))
    assert.equal(pool.queue.size, futures.length)
    for (const future of futures) future.cancel()
    assert.deepEqual([pool.queue.size, pool.taskCount, pool.completedTaskCount], [0, 0, 0])
    assert.equal(await pool.schedule(tasks.same, 1, "works"), "works")
  })

  test(`[SC39] each new task starts a thread up to the core size on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    const sizes = [1, 2, 3].map((n) => {
      inHours(pool, n)
      return pool.poolSize
    })
    assert.deepEqual([sizes, pool.activeCount, pool.queue.size], [[1, 2, 2], 0, 3])
  })

  test(`[SC40] without core threads there is one while a task waits or runs on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 0)
    const ways: (() => void)[] = [
      () => pool.remove(inHours(pool, 1)[0] as ScheduledFuture<number>),
      () => {
        inHours(pool, 1)[0]?.cancel()
        pool.purge()
      },
      () => {
        inHours(pool, 1)
        pool.queue.clear()
      },
    ]
    assert.equal(await pool.schedule(tasks.same, 15, 1), 1)
    await eventually(() => pool.poolSize === 0)
    assert.equal(pool.largestPoolSize, 1)
    for (const way of ways) {
      const far = inHours(pool, 2)[0] as ScheduledFuture<number>
      assert.equal(pool.poolSize, 1)
      await pool.schedule(tasks.same, 0, 1)
      assert.equal(pool.poolSize, 1)
      pool.remove(far)
      way()
      await eventually(() => pool.poolSize === 0)
    }
  })

  test(`[SC42] the number of threads follows the core size while tasks wait on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 0)
    inHours(pool, 1, 2, 3)
    for (const size of [2, 1]) {
      pool.corePoolSize = size
      await eventually(() => pool.poolSize === size)
    }
    pool.corePoolSize = 2
    await eventually(() => pool.poolSize === 2)
    pool.allowCoreThreadTimeOut = true
    await eventually(() => pool.poolSize === 1)
    pool.queue.clear()
    await eventually(() => pool.poolSize === 0)
  })

  test(`[SC45] every run counts as a completed task on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind, 2)
    using gate = new SharedGate()
    const counter = new SharedCount()
    const series = pool.scheduleAtFixedRate(tasks.count, 0, 1, counter.index)
    const held = pool.schedule(tasks.stayOn, 0, gate.index)
    await gate.reached()
    await eventually(() => counter.value >= 5)
    series.cancel()
    // A worker that has taken the cancelled task from the queue is not yet, or no longer, active for a moment: the sums are looked at until they hold.
    await eventually(() => pool.queue.size === 0 && pool.taskCount === pool.completedTaskCount + 1)
    gate.open()
    assert.equal(await held, "stayed")
    await pool.close()
    // A task that was cancelled in the queue passes through as one that ran.
    assert.ok([1, 2].includes(pool.completedTaskCount - counter.value))
    assert.equal(pool.taskCount, pool.completedTaskCount)
  })
}
