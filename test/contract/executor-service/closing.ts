/** Contract of every ExecutorService: `close`, which shuts down and waits. */
import { IllegalStateError, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { wrong } from "../../spec/executor/support.ts"
import { rejectionOf, turns } from "../../support/harness.ts"
import { ContractLab } from "./lab.ts"
import { alive } from "./simple-tasks.ts"
import { type AnyExecutorService, errorOfShutdown, type ExecutorUnderTest, needs } from "./subject.ts"

export function testClosing(subject: ExecutorUnderTest): void {
  const { name } = subject

  test(`[ES33] ${name}: close shuts down and waits for the end of everything that was accepted`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate("kept")
    const futures = [1, 2, 3].map(() => executor.submit(gate.body))
    const closed = executor.close()
    await gate.entered()
    await gate.noticed()
    assert.deepEqual([executor.isShutdown, executor.isTerminated], [true, false])
    gate.open()
    await closed
    assert.equal(executor.isTerminated, true)
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      ["kept", "kept", "kept"],
    )
  })

  test(`[ES34] ${name}: close of an idle executor, a second time, at the same time and after shutdown`, async () => {
    await using lab = new ContractLab(subject)
    const idle = await lab.open()
    await Promise.all([idle.close(), idle.close()])
    await idle.close()
    assert.deepEqual([idle.isShutdown, idle.isTerminated], [true, true])
    const busy = await lab.open()
    const gate = lab.work.gate()
    busy.submit(gate.body)
    busy.shutdown()
    const closed = busy.close()
    await gate.entered()
    await gate.noticed()
    assert.equal(busy.isTerminated, false)
    gate.open()
    await closed
    assert.equal(busy.isTerminated, true)
  })

  test(`[ES35] ${name}: an interrupt turns close into shutdownNow; close still waits, and keeps the interrupt`, async () => {
    for (const when of ["before", "during"]) {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      const future = executor.submit(gate.interruptible)
      const stubborn = lab.work.gate()
      executor.submit(stubborn.body)
      await gate.entered()
      const caller = lab.call(async () => {
        const thread = Thread.currentThread()
        if (when === "before") thread.interrupt()
        await executor.close()
        return thread.isInterrupted
      })
      await turns()
      if (when === "during") caller.thread.interrupt()
      assert.ok((await rejectionOf(future)) instanceof errorOfShutdown(subject))
      stubborn.open()
      assert.deepEqual(await caller.outcome, { status: "fulfilled", value: true })
      assert.equal(executor.isTerminated, true)
    }
  })

  test(`[ES36] ${name}: an aborted signal turns close into shutdownNow; close waits and then rejects with the reason`, async () => {
    for (const when of ["before", "during"]) {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      const future = executor.submit(gate.interruptible)
      await gate.entered()
      const controller = new AbortController()
      const reason = new Error("no time")
      if (when === "before") controller.abort(reason)
      const closed = executor.close({ signal: controller.signal })
      const heard = rejectionOf(closed)
      await turns()
      if (when === "during") controller.abort(reason)
      assert.ok((await rejectionOf(future)) instanceof errorOfShutdown(subject))
      assert.equal(await heard, reason)
      assert.equal(executor.isTerminated, true)
      await executor.close({ signal: controller.signal }) // terminated: nothing to wait for, nothing to give up
    }
  })

  test(`[ES37] ${name}: close takes a signal and no time limit`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    assert.ok((await rejectionOf(executor.close(wrong(10)))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.close(wrong({ timeout: 10 })))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.close({ signal: wrong("stop") }))) instanceof TypeError)
    assert.equal(executor.isShutdown, false)
  })

  test(
    `[ES38] ${name}: a task that closes its own executor is told so instead of waiting for itself`,
    needs(subject, "self-knowledge"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.executor()
      assert.ok((await rejectionOf(executor.submit(lab.work.closing(executor)))) instanceof IllegalStateError)
      assert.equal(executor.isShutdown, false)
      assert.equal(await executor.submit(alive), "alive")
    },
  )

  test(`[ES39] ${name}: await using closes it at the end of the block, also when the block throws`, async () => {
    await using lab = new ContractLab(subject)
    const notes = lab.work.notes()
    let kept: AnyExecutorService | undefined
    const block = async (): Promise<never> => {
      await using executor = await lab.open()
      kept = executor
      executor.submit(notes.later("task"))
      throw new Error("block")
    }
    const error = await rejectionOf(block())
    assert.ok(error instanceof Error && error.message === "block")
    assert.deepEqual(notes.texts, ["task"])
    assert.equal(kept?.isTerminated, true)
  })
}
