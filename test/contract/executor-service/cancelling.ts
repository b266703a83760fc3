/** Contract of every ExecutorService: cancelled tasks, and waits that are given up. */
import { CancellationError, InterruptedError, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { ContractLab, untilNoticed } from "./lab.ts"
import { alive } from "./simple-tasks.ts"
import type { ExecutorUnderTest } from "./subject.ts"

export function testCancelling(subject: ExecutorUnderTest): void {
  const { name } = subject

  test(`[ES11] ${name}: a task cancelled before its start never starts`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    {
      using _held = lab.work.holdThreads()
      const early = executor.submit(notes.task("early"))
      assert.equal(early.cancel(), true)
      assert.equal(early.state, "cancelled")
    }
    assert.equal(await executor.submit(alive), "alive")
    await executor.close()
    assert.deepEqual(notes.texts, [])
  })

  test(`[ES12] ${name}: cancel(false) leaves a running task in peace, its future is cancelled at once`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate()
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    assert.equal(future.cancel(false), true)
    assert.equal(future.cancel(false), false)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    assert.equal(await gate.noticed(), 0)
    assert.deepEqual([gate.inside, gate.interrupted], [1, 0])
  })

  test(`[ES13] ${name}: cancel(true) interrupts a running task: its waits end and its signal aborts`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate()
    const future = executor.submit(gate.yielding)
    await gate.entered()
    assert.equal(future.cancel(true), true)
    await eventually(() => gate.interrupted === 1)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
  })

  test(`[ES14] ${name}: the interrupt of a cancelled task does not reach the next one`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate()
    const future = executor.submit(gate.body) // takes no notice of the interrupt
    await gate.entered()
    future.cancel(true)
    await untilNoticed(gate, 1)
    const next = Array.from({ length: 5 }, () => executor.submit(lab.work.isInterrupted))
    gate.open()
    for (const heard of next) assert.equal(await heard, false)
  })

  test(`[ES15] ${name}: a get whose time is up leaves the task alone`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate("value")
    const future = executor.submit(gate.interruptible)
    assert.ok((await rejectionOf(future.get(1))) instanceof TimeoutError)
    assert.ok((await rejectionOf(future.get(0))) instanceof TimeoutError)
    gate.open()
    assert.equal(await future.get(), "value")
    assert.equal(await future.get(0), "value")
  })

  test(`[ES16] ${name}: a thread interrupted in get hears it, the task does not`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate("unharmed")
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    const caller = lab.call(() => future.get())
    await turns()
    caller.thread.interrupt()
    const outcome = await caller.outcome
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
    assert.equal(caller.thread.isInterrupted, false)
    gate.open()
    assert.equal(await future, "unharmed")
  })

  test(`[ES17] ${name}: a cancelled task's get is a CancellationError, with or without limit, queued or running`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate()
    const running = executor.submit(gate.body)
    await gate.entered()
    const waiting = executor.submit(gate.body)
    assert.deepEqual([running.cancel(), waiting.cancel()], [true, true])
    for (const future of [running, waiting]) {
      assert.ok((await rejectionOf(future.get())) instanceof CancellationError)
      assert.ok((await rejectionOf(future.get(1000))) instanceof CancellationError)
      assert.deepEqual([future.isCancelled, future.isDone], [true, true])
      assert.ok(thrownBy(() => future.getSync()) instanceof CancellationError)
    }
  })
}
