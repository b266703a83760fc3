/** Contract of every ExecutorService: its end. */
import {
  CancellationError,
  type ExecutorService,
  IllegalStateError,
  InterruptedError,
  RejectedExecutionError,
  Thread,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { Lab, wrong } from "../../spec/executor/support.ts"
import { eventually, type Gate, rejectionOf, turns } from "../../support/harness.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

export function testShutdown(subject: ExecutorUnderTest): void {
  const { name, open } = subject

  /** Gives every thread something to do, so that what comes next has to wait. */
  const occupy = async (executor: ExecutorService, gate: Gate): Promise<void> => {
    for (let i = 0; i < subject.threads; i++) executor.submit(gate.body)
    await gate.entered(subject.threads)
  }

  test(`[ES20] ${name}: isShutdown from the shutdown on, isTerminated from the end of the last task on`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
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
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.interruptible)
    await gate.entered()
    executor.shutdown()
    executor.shutdown()
    await turns()
    assert.equal(future.state, "running")
    assert.equal(gate.threads[0]?.isInterrupted, false)
    gate.open("whole")
    assert.equal(await future, "whole")
  })

  test(`[ES22] ${name}: what waits at shutdown still runs`, needs(subject, "queue"), async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    await occupy(executor, gate)
    const waiting = executor.submit(() => "ran")
    executor.shutdown()
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(waiting.resultNow(), "ran")
  })

  test(
    `[ES23] ${name}: after shutdown and after termination everything is refused`,
    needs(subject, "refusal"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      let runs = 0
      const task = (): number => ++runs
      executor.submit(gate.body)
      await gate.entered()
      executor.shutdown()
      const refusals = async (): Promise<void> => {
        assert.throws(() => executor.submit(task), RejectedExecutionError)
        assert.throws(() => executor.execute(task), RejectedExecutionError)
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
      assert.equal(runs, 0)
    },
  )

  test(`[ES24] ${name}: shutdownNow interrupts what runs, and the future fails with what the task makes of it`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const obedient = executor.submit(gate.interruptible)
    await gate.entered()
    assert.deepEqual(executor.shutdownNow(), [])
    assert.ok((await rejectionOf(obedient)) instanceof InterruptedError)
    assert.equal(obedient.state, "failed")
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[ES24] ${name}: shutdownNow interrupts executed commands, also after shutdown`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    let thread: Thread | undefined
    let heard: unknown
    executor.execute(async () => {
      thread = Thread.currentThread()
      await Thread.sleep(Infinity).catch((error: unknown) => (heard = error))
    })
    await eventually(() => thread !== undefined)
    executor.shutdown()
    executor.shutdownNow()
    assert.equal(await executor.awaitTermination(), true)
    assert.ok(heard instanceof InterruptedError)
  })

  test(`[ES25] ${name}: a task that ignores the interrupt ends as it likes, and only then the executor`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const future = executor.submit(gate.body)
    await gate.entered()
    executor.shutdownNow()
    await turns()
    assert.deepEqual([future.state, executor.isTerminated], ["running", false])
    gate.open("stubborn")
    assert.equal(await future, "stubborn")
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[ES26] ${name}: shutdownNow returns what never started, in order, once`, needs(subject, "queue"), async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    await occupy(executor, gate)
    const ran: string[] = []
    executor.submit(() => ran.push("first"))
    executor.submit(() => ran.push("second"))
    executor.submit(() => ran.push("third"))
    const unrun = executor.shutdownNow()
    assert.equal(unrun.length, 3)
    assert.deepEqual(executor.shutdownNow(), [])
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.deepEqual(ran, [])
    const other = lab.fixed(1)
    for (const task of unrun) other.execute(task)
    await eventually(() => ran.length === 3)
    assert.deepEqual(ran, ["first", "second", "third"])
  })

  test(
    `[ES27] ${name}: the futures of what never started are cancelled, and say why`,
    needs(subject, "queue", "hand-back"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      await occupy(executor, gate)
      const waiting = executor.submit(() => "never")
      const got = waiting.get()
      const [task] = executor.shutdownNow()
      assert.equal(waiting.state, "cancelled")
      const error = await rejectionOf(got)
      assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
      assert.notEqual(task, waiting)
    },
  )

  test(`[ES28] ${name}: awaitTermination is false when time is up, at once if there is none`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    for (const limit of [0, -1, -Infinity, 1]) assert.equal(await executor.awaitTermination(limit), false)
    assert.equal(await executor.awaitTermination({ timeout: 0 }), false)
    executor.shutdown()
    assert.equal(await executor.awaitTermination(), true)
    for (const limit of [0, -1, -Infinity, 1]) assert.equal(await executor.awaitTermination(limit), true)
  })

  test(`[ES29] ${name}: a limit that is no number of milliseconds is refused`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    assert.ok((await rejectionOf(executor.awaitTermination(NaN))) instanceof RangeError)
    assert.ok((await rejectionOf(executor.awaitTermination(wrong("10")))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.awaitTermination(wrong(null)))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.awaitTermination({ signal: wrong({}) }))) instanceof TypeError)
  })

  test(`[ES30] ${name}: termination wakes everybody who waits for it`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
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
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
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
    assert.equal(await executor.submit(() => "alive"), "alive")
  })

  test(`[ES32] ${name}: a cancelled task that still runs holds termination back, one that never started does not`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const running = executor.submit(gate.body)
    await gate.entered()
    const waiting = executor.submit(gate.body)
    running.cancel()
    waiting.cancel()
    executor.shutdown()
    await turns()
    assert.equal(executor.isTerminated, false)
    gate.open()
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(gate.entries, 1)
  })

  test(`[ES33] ${name}: close shuts down and waits for the end of everything that was accepted`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const futures = [1, 2, 3].map(() => executor.submit(gate.body))
    const closed = executor.close()
    await turns()
    assert.deepEqual([executor.isShutdown, executor.isTerminated], [true, false])
    gate.open("kept")
    await closed
    assert.equal(executor.isTerminated, true)
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      ["kept", "kept", "kept"],
    )
  })

  test(`[ES34] ${name}: close of an idle executor, a second time, at the same time and after shutdown`, async () => {
    await using lab = new Lab()
    const idle = lab.keep(open(lab.factory))
    await Promise.all([idle.close(), idle.close()])
    await idle.close()
    assert.deepEqual([idle.isShutdown, idle.isTerminated], [true, true])
    const busy = lab.keep(open(lab.factory))
    const gate = lab.gate()
    busy.submit(gate.body)
    busy.shutdown()
    const closed = busy.close()
    await turns()
    assert.equal(busy.isTerminated, false)
    gate.open()
    await closed
    assert.equal(busy.isTerminated, true)
  })

  test(`[ES35] ${name}: an interrupt turns close into shutdownNow; close still waits, and keeps the interrupt`, async () => {
    for (const when of ["before", "during"]) {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      const future = executor.submit(gate.interruptible)
      const stubborn = lab.gate()
      executor.submit(stubborn.body)
      await gate.entered()
      const caller = lab.call(async () => {
        if (when === "before") Thread.currentThread().interrupt()
        await executor.close()
        return Thread.currentThread().isInterrupted
      })
      await turns()
      if (when === "during") caller.thread.interrupt()
      assert.ok((await rejectionOf(future)) instanceof InterruptedError)
      stubborn.open()
      assert.deepEqual(await caller.outcome, { status: "fulfilled", value: true })
      assert.equal(executor.isTerminated, true)
    }
  })

  test(`[ES36] ${name}: an aborted signal turns close into shutdownNow; close waits and then rejects with the reason`, async () => {
    for (const when of ["before", "during"]) {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      const future = executor.submit(gate.interruptible)
      await gate.entered()
      const controller = new AbortController()
      const reason = new Error("no time")
      if (when === "before") controller.abort(reason)
      const closed = executor.close({ signal: controller.signal })
      const heard = rejectionOf(closed)
      await turns()
      if (when === "during") controller.abort(reason)
      assert.ok((await rejectionOf(future)) instanceof InterruptedError)
      assert.equal(await heard, reason)
      assert.equal(executor.isTerminated, true)
      await executor.close({ signal: controller.signal }) // terminated: nothing to wait for, nothing to give up
    }
  })

  test(`[ES37] ${name}: close takes a signal and no time limit`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    assert.ok((await rejectionOf(executor.close(wrong(10)))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.close(wrong({ timeout: 10 })))) instanceof TypeError)
    assert.ok((await rejectionOf(executor.close({ signal: wrong("stop") }))) instanceof TypeError)
    assert.equal(executor.isShutdown, false)
  })

  test(
    `[ES38] ${name}: a task that closes its own executor is told so instead of waiting for itself`,
    needs(subject, "self-knowledge"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      assert.ok((await rejectionOf(executor.submit(() => executor.close()))) instanceof IllegalStateError)
      assert.equal(executor.isShutdown, false)
      assert.equal(await executor.submit(() => "alive"), "alive")
    },
  )

  test(`[ES39] ${name}: await using closes it at the end of the block, also when the block throws`, async () => {
    await using lab = new Lab()
    const seen: string[] = []
    let kept: ExecutorService | undefined
    const block = async (): Promise<never> => {
      await using executor = lab.keep(open(lab.factory))
      kept = executor
      executor.submit(async () => {
        await turns()
        seen.push("task")
      })
      throw new Error("block")
    }
    const error = await rejectionOf(block())
    assert.ok(error instanceof Error && error.message === "block")
    assert.deepEqual(seen, ["task"])
    assert.equal(kept?.isTerminated, true)
  })
}
