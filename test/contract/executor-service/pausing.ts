/** Contract of every ExecutorService: pausing, and waiting until nothing is left to do. Rules: docs/spec/pause.md. */
import { CancellationError, InterruptedError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { ContractLab } from "./lab.ts"
import { alive } from "./simple-tasks.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

export function testPausing(subject: ExecutorUnderTest): void {
  const { name } = subject
  const can = needs(subject, "pause")

  test(`[PZ1] ${name}: begins no task while it is paused, and all of them when it is resumed`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    assert.equal(executor.isPaused, false)
    executor.pause()
    executor.pause()
    assert.equal(executor.isPaused, true)
    const futures = ["a", "b", "c"].map((text) => executor.submit(notes.task(text)))
    executor.execute(notes.task("d"))
    await turns()
    assert.deepEqual(notes.texts, [])
    assert.ok(futures.every(({ isDone }) => !isDone))
    executor.resume()
    executor.resume()
    assert.equal(executor.isPaused, false)
    await Promise.all(futures)
    assert.equal(await executor.awaitQuiescence(), true)
    assert.deepEqual(new Set(notes.texts), new Set(["a", "b", "c", "d"]))
  })

  test(`[PZ1] ${name}: can be paused and resumed again and again`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    for (let i = 0; i < 5; i++) {
      executor.pause()
      const future = executor.submit(alive)
      assert.equal(future.isDone, false)
      executor.resume()
      assert.equal(await future, "alive")
    }
  })

  test(`[PZ2] ${name}: tasks that run go on`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate("whole")
    const running = executor.submit(gate.interruptible)
    await gate.entered()
    executor.pause()
    const waiting = executor.submit(alive)
    gate.open()
    assert.equal(await running, "whole")
    await turns()
    assert.equal(waiting.isDone, false)
    executor.resume()
    assert.equal(await waiting, "alive")
  })

  test(`[PZ3] ${name}: a task that has its thread, but has not begun, waits`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    let held: Disposable | undefined = lab.work.holdThreads()
    const future = executor.submit(notes.task("ran"))
    executor.pause()
    held[Symbol.dispose]()
    held = undefined
    await turns()
    assert.deepEqual([notes.texts, future.isDone], [[], false])
    executor.resume()
    await future
    assert.deepEqual(notes.texts, ["ran"])
  })

  test(
    `[PZ4] ${name}: tasks begin in the order in which they came`,
    needs(subject, "pause", "queue", "order"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      await lab.occupy(executor, gate, Math.max(subject.threads - 1, 0))
      const notes = lab.work.notes()
      executor.pause()
      const futures = ["a", "b", "c", "d"].map((text) => executor.submit(notes.task(text)))
      await turns()
      executor.resume()
      await Promise.all(futures)
      assert.deepEqual(notes.texts, ["a", "b", "c", "d"])
    },
  )

  test(`[PZ5] ${name}: a task that is cancelled while the executor is paused does not run`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    executor.pause()
    const future = executor.submit(notes.task("ran"))
    await turns()
    assert.equal(future.cancel(), true)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    executor.resume()
    assert.equal(await executor.submit(alive), "alive")
    assert.deepEqual(notes.texts, [])
  })

  test(`[PZ6] ${name}: shutdown does not end the pause`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    executor.pause()
    const future = executor.submit(alive)
    executor.shutdown()
    assert.equal(await executor.awaitTermination(1), false)
    assert.deepEqual([executor.isPaused, executor.isShutdown, future.isDone], [true, true, false])
    executor.resume()
    assert.equal(await future, "alive")
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[PZ6] ${name}: a paused executor without tasks can be shut down`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    assert.equal(await executor.submit(alive), "alive")
    executor.pause()
    executor.shutdown()
    assert.equal(await executor.awaitTermination(), true)
  })

  test(`[PZ7] ${name}: shutdownNow ends the pause, and what has not begun never begins`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const notes = lab.work.notes()
    executor.pause()
    const futures = ["a", "b"].map((text) => executor.submit(notes.task(text)))
    await turns()
    await executor.shutdownNow()
    assert.equal(executor.isPaused, false)
    for (const future of futures) assert.ok((await rejectionOf(future)) instanceof CancellationError)
    assert.equal(await executor.awaitTermination(), true)
    executor.pause()
    assert.deepEqual([notes.texts, executor.isPaused], [[], false])
  })

  test(`[PZ8] ${name}: close resumes`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    executor.pause()
    const future = executor.submit(alive)
    await executor.close()
    assert.equal(future.resultNow(), "alive")
  })

  test(`[PZ9] ${name}: a view pauses the executor`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const view = executor.with({ name: "seen" })
    view.pause()
    assert.deepEqual([executor.isPaused, view.isPaused], [true, true])
    const future = view.submit(alive)
    await turns()
    assert.deepEqual([future.isDone, await view.awaitQuiescence(0)], [false, false])
    executor.resume()
    assert.equal(view.isPaused, false)
    assert.equal(await future, "alive")
    assert.equal(await view.awaitQuiescence(), true)
  })

  test(`[PZ10] ${name}: awaitQuiescence waits until nothing is queued and nothing runs`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    assert.equal(await executor.awaitQuiescence(), true)
    const gate = lab.work.gate()
    const futures = [1, 2, 3].map(() => executor.submit(gate.body))
    await gate.entered()
    assert.equal(await executor.awaitQuiescence(0), false)
    assert.equal(await executor.awaitQuiescence(1), false)
    const both = [executor.awaitQuiescence(), executor.awaitQuiescence({ timeout: 600_000 })]
    gate.open()
    assert.deepEqual(await Promise.all(both), [true, true])
    assert.ok(futures.every(({ isDone }) => isDone))
    assert.equal(await executor.submit(alive), "alive")
    assert.equal(await executor.awaitQuiescence(), true)
  })

  test(`[PZ10] ${name}: a paused executor with tasks is not quiescent, without tasks it is`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    executor.pause()
    assert.equal(await executor.awaitQuiescence(), true)
    const future = executor.submit(alive)
    assert.equal(await executor.awaitQuiescence(1), false)
    const quiet = executor.awaitQuiescence()
    executor.resume()
    assert.equal(await quiet, true)
    assert.equal(await future, "alive")
  })

  test(`[PZ10] ${name}: what shuts down is quiescent in the end`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    executor.submit(gate.body)
    await gate.entered()
    const quiet = executor.awaitQuiescence()
    executor.shutdown()
    gate.open()
    assert.equal(await quiet, true)
    assert.equal(await executor.awaitTermination(), true)
    assert.equal(await executor.awaitQuiescence(), true)
  })

  test(`[PZ11] ${name}: an interrupt and a signal end awaitQuiescence`, can, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.open()
    const gate = lab.work.gate()
    const future = executor.submit(gate.body)
    await gate.entered()
    const caller = lab.call(() => executor.awaitQuiescence())
    await turns()
    caller.thread.interrupt()
    const outcome = await caller.outcome
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
    const abort = new AbortController()
    const waiting = rejectionOf(executor.awaitQuiescence({ signal: abort.signal }))
    abort.abort(new Error("enough"))
    assert.match(String(await waiting), /enough/)
    gate.open()
    await future
    assert.equal(await executor.awaitQuiescence(), true)
  })
}
