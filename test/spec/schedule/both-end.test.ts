/** The end of scheduled pools on both kinds of threads. Ids such as [SC46] refer to docs/spec/schedule.md. */
import {
  bind,
  CallerRunsPolicy,
  CancellationError,
  DiscardPolicy,
  Executors,
  FutureTask,
  RejectedExecutionError,
  type Runnable,
  ScheduledThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import { factoryOf, kinds, OpenSchedule } from "./support.ts"
import * as tasks from "./tasks.ts"

const HOUR = 3_600_000

for (const kind of kinds) {
  for (const executeDelayed of [true, false]) {
    for (const continuePeriodic of [true, false]) {
      test(`[SC46][SC47][SC48] executeDelayed ${executeDelayed}, continuePeriodic ${continuePeriodic} on ${kind} threads`, async () => {
        await using pool = new OpenSchedule(kind)
        pool.executeExistingDelayedTasksAfterShutdown = executeDelayed
        pool.continueExistingPeriodicTasksAfterShutdown = continuePeriodic
        using gate = new SharedGate()
        const counter = new SharedCount()
        const running = pool.submit(tasks.stayOn, gate.index)
        await gate.reached()
        const due = pool.schedule(tasks.same, 0, "due")
        // What is due by the time of the shutdown is kept, so a delay of 150 ms tells nothing if this thread is held up.
        const delayed = pool.schedule(tasks.same, executeDelayed ? 150 : HOUR, "delayed")
        const series = pool.scheduleAtFixedRate(tasks.count, 150, 1, counter.index)
        const cancelled = pool.schedule(tasks.same, HOUR, "cancelled")
        await eventually(() => due.delay <= 0)
        cancelled.cancel()
        pool.shutdown()
        const kept = [due, ...(executeDelayed ? [delayed] : []), ...(continuePeriodic ? [series] : [])]
        assert.deepEqual(new Set(pool.queue), new Set(kept))
        assert.deepEqual([delayed.isCancelled, series.isCancelled], [!executeDelayed, !continuePeriodic])
        assert.ok(thrownBy(() => pool.schedule(tasks.same, 0, 1)) instanceof RejectedExecutionError)
        gate.open()
        assert.deepEqual([await running, await due], ["stayed", "due"])
        if (executeDelayed) assert.equal(await delayed, "delayed")
        if (continuePeriodic) {
          await eventually(() => counter.value >= 3)
          assert.equal(pool.isTerminated, false)
          pool.continueExistingPeriodicTasksAfterShutdown = false
          assert.ok((await rejectionOf(series)) instanceof CancellationError)
        }
        assert.equal(await pool.awaitTermination(), true)
        assert.equal(counter.value > 0, continuePeriodic)
      })
    }
  }

  test(`[SC46] a series that runs at shutdown ends with the run on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const series = pool.scheduleWithFixedDelay(tasks.stayOn, 0, 1, gate.index)
    await gate.reached()
    pool.shutdown()
    assert.equal(series.isDone, false)
    gate.open()
    assert.ok((await rejectionOf(series)) instanceof CancellationError)
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(gate.arrived, 1)
  })

  test(`[SC49][SC51] what a policy or a cancellation ends after shutdown may end the pool on ${kind} threads`, async () => {
    for (const end of ["policy", "cancel", "purge", "remove"]) {
      await using pool = new OpenSchedule(kind)
      pool.removeOnCancel = end === "cancel"
      const future = pool.schedule(tasks.same, HOUR, 1)
      pool.shutdown()
      assert.equal(pool.isTerminated, false)
      if (end === "policy") pool.executeExistingDelayedTasksAfterShutdown = false
      else if (end === "remove") pool.remove(future)
      else future.cancel()
      if (end === "purge") pool.purge()
      assert.equal(await pool.awaitTermination(), true)
      assert.deepEqual([future.isCancelled, pool.queue.size], [end !== "remove", 0])
    }
  })

  test(`[SC50] what comes after shutdown goes to the handler on ${kind} threads`, async () => {
    const refused: unknown[] = []
    await using pool = new OpenSchedule(kind, 1, { handler: (task) => void refused.push(task) })
    pool.shutdown()
    const futures = [pool.schedule(tasks.same, 5, 1), pool.scheduleAtFixedRate(tasks.same, 5, 5, 1)]
    assert.deepEqual(refused, futures)
    assert.ok(futures.every(({ isDone }) => !isDone))
    for (const handler of [DiscardPolicy, CallerRunsPolicy]) {
      await using other = new OpenSchedule(kind, 1, { handler })
      other.shutdown()
      const error = await rejectionOf(other.schedule(tasks.same, 5, 1))
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
    }
  })

  test(`[SC52] shutdownNow hands back what waits, in order, as work that can be done elsewhere, on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    using gate = new SharedGate()
    const running = pool.submit(tasks.stay, gate.index)
    await gate.reached()
    const late = pool.schedule(tasks.same, 2 * HOUR, "late")
    const series = pool.scheduleAtFixedRate(tasks.same, HOUR, 1, "series")
    const enclosed = new FutureTask(bind(tasks.same, "enclosed"))
    pool.execute(enclosed)
    pool.execute(tasks.same, "executed")
    const cancelled = pool.schedule(tasks.same, 3 * HOUR, "cancelled")
    cancelled.cancel()
    const work = pool.shutdownNow()
    assert.deepEqual([work.length, pool.queue.size, work.at(-1)], [5, 0, cancelled])
    for (const future of [late, series, enclosed]) {
      const error = await rejectionOf(future)
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
    }
    assert.match(String(await rejectionOf(running)), /InterruptedError/)
    assert.equal(await pool.awaitTermination(), true)
    await using other = Executors.newFixedThreadPool(1, factoryOf(kind))
    for (const task of work) other.execute(task)
    const values = await Promise.all(work.slice(0, 4).map((task: Runnable) => task as FutureTask<unknown>))
    assert.deepEqual(values, ["enclosed", "executed", "series", "late"])
  })

  test(`[SC54] close waits for delayed tasks on ${kind} threads`, async () => {
    const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: factoryOf(kind) })
    const future = pool.schedule(tasks.same, 20, "run")
    await pool.close()
    assert.deepEqual([future.resultNow(), pool.isTerminated], ["run", true])
  })

  test(`[SC55] futures of invokeAll and of views are those of their places in the queue on ${kind} threads`, async () => {
    await using pool = new OpenSchedule(kind)
    const values = await pool.invokeAll([bind(tasks.same, 1), bind(tasks.same, 2)])
    assert.deepEqual(
      values.map((future) => future.resultNow()),
      [1, 2],
    )
    assert.equal(await pool.invokeAny([bind(tasks.same, 3)]), 3)
    using gate = new SharedGate()
    const running = pool.submit(tasks.stayOn, gate.index)
    await gate.reached()
    const controller = new AbortController()
    const future = pool.with({ signal: controller.signal }).submit(tasks.same, 1)
    assert.equal(pool.queue.size, 1)
    controller.abort()
    assert.deepEqual([future.isCancelled, pool.queue.size], [true, 0])
    gate.open()
    await running
  })

  test(`[SC60][SC61][SC62] the ready-made ones on ${kind} threads`, async () => {
    const pool = Executors.newScheduledThreadPool(2, factoryOf(kind))
    assert.ok(pool instanceof ScheduledThreadPoolExecutor)
    const view = Executors.unconfigurableScheduledExecutorService(pool)
    const single = Executors.newSingleThreadScheduledExecutor(factoryOf(kind))
    assert.equal("queue" in single, false)
    assert.deepEqual(await Promise.all([pool, view, single].map((it) => it.schedule(tasks.same, 1, 1))), [1, 1, 1])
    const counter = new SharedCount()
    const series = single.scheduleWithFixedDelay(tasks.count, 0, 1, counter.index)
    await eventually(() => counter.value >= 3)
    series.cancel()
    await Promise.all([view.close(), single.close()])
    assert.equal(pool.isTerminated, true)
  })
}
