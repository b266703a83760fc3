/** Contract of every ScheduledExecutorService: what becomes of schedules at its end. */
import { CancellationError, RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { alive } from "../executor-service/simple-tasks.ts"
import { HOUR, type ScheduledExecutorUnderTest, ScheduleLab } from "../scheduled-executor-service.ts"

export function testScheduleEnds(subject: ScheduledExecutorUnderTest): void {
  const { name, cancelTravels = false } = subject

  test(`[SC46][SC54] ${name}: at shutdown series are cancelled, and delayed tasks still run; close waits for them`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const delayed = executor.schedule(notes.task("delayed"), 60)
    const series = executor.scheduleAtFixedRate(notes.task("series"), HOUR, HOUR)
    const closed = executor.close()
    assert.ok((await rejectionOf(series)) instanceof CancellationError)
    await closed
    assert.deepEqual([delayed.state, notes.texts], ["success", ["delayed"]])
  })

  test(`[SC46] ${name}: a series that runs at shutdown ends with the run`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const gate = lab.work.gate()
    const series = executor.scheduleAtFixedRate(gate.interruptible, 0, 1)
    await gate.entered()
    executor.shutdown()
    assert.equal(await gate.noticed(), 0)
    assert.equal(executor.isTerminated, false)
    gate.open()
    assert.ok((await rejectionOf(series)) instanceof CancellationError)
    assert.equal(await executor.awaitTermination(), true)
    // While the cancellation travels, another run may have begun.
    assert.deepEqual([cancelTravels || gate.entries === 1, gate.interrupted], [true, 0])
    const { entries } = gate
    await turns()
    assert.equal(gate.entries, entries)
  })

  test(`[SC50] ${name}: what comes after shutdown is refused`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    executor.shutdown()
    assert.throws(() => executor.schedule(alive, 0), RejectedExecutionError)
    assert.throws(() => executor.scheduleAtFixedRate(alive, 0, 5), RejectedExecutionError)
    assert.throws(() => executor.scheduleWithFixedDelay(alive, 0, 5), RejectedExecutionError)
    assert.throws(() => executor.scheduleCron(alive, "@daily"), RejectedExecutionError)
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[SC52] ${name}: shutdownNow gives back what waits, in the order of its times, as work that can be done elsewhere`, async () => {
    await using lab = new ScheduleLab(subject)
    const executor = await lab.schedules()
    const notes = lab.work.notes()
    const gate = lab.work.gate()
    const late = executor.schedule(notes.task("late"), 2 * HOUR)
    const soon = executor.schedule(notes.task("soon"), HOUR)
    const series = executor.scheduleAtFixedRate(notes.task("series"), 3 * HOUR, HOUR)
    executor.submit(gate.interruptible)
    await gate.entered()
    const unrun = await executor.shutdownNow()
    assert.equal(unrun.length, 3)
    for (const future of [late, soon, series]) {
      const error = await rejectionOf(future)
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
    }
    assert.equal(await executor.awaitTermination(), true)
    assert.deepEqual([notes.texts, gate.interrupted], [[], 1])
    const other = lab.other()
    for (const task of unrun) other.execute(task)
    await eventually(() => notes.texts.length === 3)
    assert.deepEqual(notes.texts, ["soon", "late", "series"])
  })
}
