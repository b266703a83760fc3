/** Defects 10 to 12: tasks that are cancelled, and pools that end while tasks run. */
import { CancellationError } from "corepool"
import assert from "node:assert/strict"
import { eventually, rejectionOf, turns } from "../support/harness.ts"
import { fixed, type Setup, SharedWords, work } from "./setup.ts"

/** Nobody is killed: what stops, stops because it heard. */
const PATIENT = { terminateAfter: Infinity }

export const cancelComputing: Setup = {
  defect: 10,
  title: "a task that computes hears of its cancellation",
  async run(newPool) {
    const pool = newPool(fixed(1), PATIENT)
    const shared = new SharedWords()
    const controller = new AbortController()
    const future = pool.with({ signal: controller.signal }).submit(work.compute, shared.words)
    await eventually(() => shared.counter > 0)
    controller.abort()
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await eventually(() => pool.activeCount === 0)
    const last = shared.counter
    await turns()
    assert.equal(shared.counter, last)
    await pool.close()
  },
}

export const cancelWaiting: Setup = {
  defect: 10,
  title: "a task that waits hears of its cancellation, and its body ends",
  async run(newPool) {
    const pool = newPool(fixed(1), PATIENT)
    const shared = new SharedWords()
    const future = pool.submit(work.walk, shared.words)
    await eventually(() => shared.counter > 0)
    assert.equal(future.cancel(true), true)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    await eventually(() => pool.activeCount === 0)
    const last = shared.counter
    await turns()
    assert.equal(shared.counter, last)
    await pool.close()
  },
}

export const cancelDeaf: Setup = {
  defect: 10,
  title: "a task that listens to nobody is stopped with its thread",
  async run(newPool) {
    const pool = newPool(fixed(1), { terminateAfter: 10 })
    const shared = new SharedWords()
    const future = pool.submit(work.computeDeaf, shared.words)
    const next = pool.submit(work.add, 1, 2)
    await eventually(() => shared.counter > 0)
    future.cancel(true)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    assert.equal(await next, 3)
    const last = shared.counter
    await turns()
    assert.equal(shared.counter, last)
    await pool.close()
  },
}

export const endWhileRunning: Setup = {
  defect: 11,
  title: "close() waits for what runs; after shutdownNow() every future settles",
  async run(newPool) {
    const pool = newPool(fixed(1))
    const shared = new SharedWords()
    const running = pool.submit(work.hold, shared.words)
    await eventually(() => shared.counter === 1)
    let closed = false
    const closing = pool.close().then(() => (closed = true))
    await turns()
    assert.deepEqual([closed, running.isDone], [false, false])
    shared.open()
    await closing
    assert.equal(running.resultNow(), "held")

    const other = newPool(fixed(1))
    const steps = new SharedWords()
    const futures = [1, 2, 3].map(() => other.submit(work.walk, steps.words))
    await eventually(() => steps.counter > 0)
    assert.equal(other.shutdownNow().length, 2)
    assert.equal(await other.awaitTermination(), true)
    assert.deepEqual(
      futures.map((future) => future.isDone),
      [true, true, true],
    )
  },
}

export const nextAfterCancel: Setup = {
  defect: 12,
  title: "the thread of a cancelled task runs the next one, and is not replaced",
  async run(newPool) {
    const pool = newPool(fixed(1), PATIENT)
    const before = await pool.submit(work.thread)
    const shared = new SharedWords()
    const cancelled = pool.submit(work.compute, shared.words)
    const next = pool.submit(work.thread)
    await eventually(() => shared.counter > 0)
    cancelled.cancel(true)
    assert.equal(await next, before)
    assert.equal(pool.largestPoolSize, 1)
    await pool.close()
  },
}
