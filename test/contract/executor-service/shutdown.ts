/** Contract of every ExecutorService: shutting down, and waiting for the end. */
import { CancellationError, InterruptedError, RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { wrong } from "../../spec/executor/support.ts"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { ContractLab, untilNoticed } from "./lab.ts"
import { alive } from "./simple-tasks.ts"
import { errorOfShutdown, type ExecutorUnderTest, needs } from "./subject.ts"

export function testShutdown(subject: ExecutorUnderTest): void {
  const { name } = subject

  test(`[ES20] ${name}: isShutdown from the shutdown on, isTerminated from the end of the last task on`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    assert.deepEqual([executor.isShutdown, executor.isTerminated], [false, false])
    executor.submit(gate.body)
    await gate.entered()
    executor.shutdown()
    assert.deepEqual([executor.isShutdown, executor.isTerminated], [true, false])
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.deepEqual([executor.isShutdown, executor.isTerminated], [true, true])
  })

  test(`[ES21] ${name}: shutdown lets running tasks go on, uninterrupted, and returns at once`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate("whole")
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    executor.shutdown()
    executor.shutdown()
    assert.equal(await gate.noticed(), 0)
    assert.deepEqual([future.state, gate.inside], ["running", 1])
    gate.open()
    assert.equal(await future, "whole")
  })

  test(`[ES22] ${name}: what waits at shutdown still runs`, needs(subject, "queue"), async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    await lab.occupy(executor, gate)
    const waiting = executor.submit(alive)
    executor.shutdown()
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(waiting.resultNow(), "alive")
  })

  test(
    `[ES23] ${name}: after shutdown and after termination everything is refused`,
    needs(subject, "refusal"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      const notes = lab.work.notes()
      const task = notes.task("ran")
      executor.submit(gate.body)
      await gate.entered()
      executor.shutdown()
      const refusals = async (): Promise<void> => {
        // By `instanceof`, which knows the classes of other copies; Deno's assert.throws() does not ask it.
        assert.ok(thrownBy(() => executor.submit(task)) instanceof RejectedExecutionError)
        assert.ok(thrownBy(() => executor.execute(task)) instanceof RejectedExecutionError)
        assert.ok((await rejectionOf(executor.invokeAll([task]))) instanceof RejectedExecutionError)
        assert.ok((await rejectionOf(executor.invokeAll([task], 1000))) instanceof RejectedExecutionError)
        assert.ok((await rejectionOf(executor.invokeAny([task]))) instanceof RejectedExecutionError)
        assert.ok((await rejectionOf(executor.invokeAny([task], 1000))) instanceof RejectedExecutionError)
      }
      await refusals()
      gate.open()
      await executor.awaitTermination()
      await refusals()
      await turns()
      assert.deepEqual(notes.texts, [])
    },
  )

  test(`[ES24] ${name}: shutdownNow interrupts what runs, and the future fails with what the task makes of it`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    const obedient = executor.submit(gate.interruptible)
    await gate.entered()
    assert.deepEqual(await executor.shutdownNow(), [])
    assert.ok((await rejectionOf(obedient)) instanceof errorOfShutdown(subject))
    assert.equal(obedient.state, subject.cancelsOnShutdown === true ? "cancelled" : "failed")
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[ES24] ${name}: shutdownNow interrupts executed commands, also after shutdown`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    executor.execute(gate.yielding)
    await gate.entered()
    executor.shutdown()
    await executor.shutdownNow()
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(gate.interrupted, 1)
  })

  test(`[ES25] ${name}: a task that ignores the interrupt ends as it likes, and only then the executor`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate("stubborn")
    const future = executor.submit(gate.body)
    await gate.entered()
    await executor.shutdownNow()
    await untilNoticed(gate, 1)
    assert.deepEqual([future.state, executor.isTerminated], ["running", false])
    gate.open()
    if (subject.cancelsOnShutdown === true) assert.ok((await rejectionOf(future)) instanceof CancellationError)
    else assert.equal(await future, "stubborn")
    assert.equal(await executor.awaitTermination(), true)
  })

  test(
    `[ES26] ${name}: shutdownNow returns what never started, in order, once`,
    needs(subject, "queue", "order", "return"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      await lab.occupy(executor, gate)
      const notes = lab.work.notes()
      const texts = ["first", "second", "third"]
      for (const text of texts) executor.submit(notes.task(text))
      const unrun = await executor.shutdownNow()
      assert.equal(unrun.length, 3)
      assert.deepEqual(await executor.shutdownNow(), [])
      gate.open()
      assert.equal(await executor.awaitTermination(), true)
      assert.deepEqual(notes.texts, [])
      const other = lab.other()
      for (const task of unrun) other.execute(task)
      await eventually(() => notes.texts.length === 3)
      assert.deepEqual(notes.texts, texts)
    },
  )

  test(
    `[ES27] ${name}: the futures of what never started are cancelled, and say why`,
    needs(subject, "queue", "hand-back"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      await lab.occupy(executor, gate)
      const waiting = executor.submit(alive)
      const got = waiting.get()
      const [task] = await executor.shutdownNow()
      assert.equal(waiting.state, "cancelled")
      const error = await rejectionOf(got)
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
      assert.notEqual(task, waiting)
    },
  )

  test(`[ES28] ${name}: awaitTermination is false when time is up, at once if there is none`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    for (const limit of [0, -1, -Infinity, 1]) assert.equal(await executor.awaitTermination(limit), false)
    assert.equal(await executor.awaitTermination({ timeout: 0 }), false)
    executor.shutdown()
    assert.equal(await executor.awaitTermination(), true)
    for (const limit of [0, -1, -Infinity, 1]) assert.equal(await executor.awaitTermination(limit), true)
  })

  test(`[ES29] ${name}: a limit that is no number of milliseconds is refused`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    assert.ok((await rejectionOf(executor.awaitTermination(NaN))) instanceof RangeError)
    assert.ok((await rejectionOf(executor.awaitTermination(wrong("10")))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.awaitTermination(wrong(null)))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.awaitTermination({ signal: wrong({}) }))) instanceof TypeError)
  })

  test(`[ES30] ${name}: termination wakes everybody who waits for it`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const waits = [
      executor.awaitTermination(),
      executor.awaitTermination(100_000),
      lab.call(() => executor.awaitTermination()).outcome,
    ]
    await turns()
    executor.shutdown()
    assert.deepEqual(await Promise.all(waits), [true, true, { status: "fulfilled", value: true }])
  })

  test(`[ES31] ${name}: a wait for termination can be given up, by interrupt or signal, without effect on the executor`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const caller = lab.call(() => executor.awaitTermination())
    await turns()
    caller.thread.interrupt()
    const outcome = await caller.outcome
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
    const controller = new AbortController()
    const wait = executor.awaitTermination({ signal: controller.signal })
    const reason = new Error("enough")
    controller.abort(reason)
    assert.equal(await rejectionOf(wait), reason)
    assert.equal(executor.isShutdown, false)
    assert.equal(await executor.submit(alive), "alive")
  })

  test(`[ES32] ${name}: a cancelled task that still runs holds termination back, one that never started does not`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    const running = executor.submit(gate.body)
    await gate.entered()
    const never = lab.work.gate()
    {
      using _held = lab.work.holdThreads()
      const waiting = executor.submit(never.body)
      running.cancel()
      waiting.cancel()
      executor.shutdown()
    }
    await gate.noticed()
    assert.equal(executor.isTerminated, false)
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(never.entries, 0)
  })
}
