/** Defects 1 to 6: what is accepted, in which order it runs, and when it is over. */
import {
  ArrayBlockingQueue,
  PriorityBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
} from "corepool"
import assert from "node:assert/strict"
import { eventually, thrownBy } from "../support/harness.ts"
import { count, fixed, type Setup, SharedWords, work } from "./setup.ts"

export const closing: Setup = {
  defect: 1,
  title: "close() runs everything that was accepted",
  async run(newPool) {
    for (const [threads, tasks] of [
      [1, 5],
      [2, 10],
      [2, 20],
      [4, 40],
    ] as const) {
      const pool = newPool(fixed(threads))
      const futures = count(tasks, (i) => pool.submit(work.later, i % 4, i))
      await pool.close()
      assert.deepEqual(
        futures.map((future) => future.resultNow()),
        count(tasks, (i) => i),
      )
    }
  },
}

export const capacity: Setup = {
  defect: 2,
  title: "the capacity of the queue holds for tasks with a signal",
  async run(newPool) {
    const pool = newPool({ ...fixed(1), workQueue: new ArrayBlockingQueue<Runnable>(2) })
    const shared = new SharedWords()
    const view = pool.with({ signal: new AbortController().signal })
    let refused = 0
    for (let i = 0; i < 20; i++) {
      try {
        view.submit(work.hold, shared.words)
      } catch (error) {
        assert.ok(error instanceof RejectedExecutionError)
        refused++
      }
    }
    assert.equal(refused, 17)
    assert.equal(pool.queue.size, 2)
    shared.open()
    await pool.close()
    assert.equal(shared.counter, 3, "those that were accepted ran, and no others")
  },
}

export const refusal: Setup = {
  defect: 3,
  title: "a task that was refused does not run",
  async run(newPool) {
    const pool = newPool({ ...fixed(1), workQueue: new SynchronousQueue<Runnable>() })
    const shared = new SharedWords()
    const log = new SharedWords()
    const first = pool.submit(work.hold, shared.words)
    await eventually(() => shared.counter === 1)
    assert.ok(thrownBy(() => pool.submit(work.mark, log.words, 7, 0)) instanceof RejectedExecutionError)
    shared.open()
    await first
    await pool.close()
    assert.deepEqual(log.log, [])
  },
}

export const order: Setup = {
  defect: 4,
  title: "one thread runs tasks in the order of their submission",
  async run(newPool) {
    const pool = newPool(fixed(1))
    const log = new SharedWords()
    for (let i = 0; i < 8; i++) pool.submit(work.mark, log.words, i, 8 - i)
    await pool.close()
    assert.deepEqual(
      log.log,
      count(8, (i) => i),
    )
  },
}

export const orderWithSignals: Setup = {
  defect: 5,
  title: "a signal does not change a task's place",
  async run(newPool) {
    const pool = newPool(fixed(1))
    const log = new SharedWords()
    const view = pool.with({ signal: new AbortController().signal })
    for (let i = 0; i < 8; i++) (i % 3 === 0 ? pool : view).submit(work.mark, log.words, i, 8 - i)
    await pool.close()
    assert.deepEqual(
      log.log,
      count(8, (i) => i),
    )
  },
}

export const priorityWithSignals: Setup = {
  defect: 5,
  title: "a signal does not lead past a priority queue",
  async run(newPool) {
    const pool = newPool({ ...fixed(1), workQueue: new PriorityBlockingQueue<Runnable>() })
    const shared = new SharedWords()
    const log = new SharedWords()
    const { signal } = new AbortController()
    pool.with({ priority: 0 }).submit(work.hold, shared.words)
    await eventually(() => shared.counter === 1)
    for (const priority of [2, 9, 4, 7]) {
      pool.with(priority > 5 ? { priority } : { priority, signal }).submit(work.mark, log.words, priority, 1)
    }
    shared.open()
    await pool.close()
    assert.deepEqual(log.log, [9, 7, 4, 2])
  },
}

export const afterTheEnd: Setup = {
  defect: 6,
  title: "after the end nothing is accepted and no thread is made",
  async run(newPool) {
    const pool = newPool(fixed(1))
    assert.equal(await pool.submit(work.add, 1, 2), 3)
    await pool.close()
    assert.ok(thrownBy(() => pool.submit(work.add, 1, 2)) instanceof RejectedExecutionError)
    assert.equal(pool.prestartAllCoreThreads(), 0)
    assert.equal(pool.poolSize, 0)
    assert.ok(pool.isTerminated)
  },
}
