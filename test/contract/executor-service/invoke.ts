/** Contract of every ExecutorService: many tasks, one wait. */
import { CancellationError, InterruptedError, Thread, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { all, Lab } from "../../spec/executor/support.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

export function testInvocations(subject: ExecutorUnderTest): void {
  const { name, open } = subject

  test(`[IA1] ${name}: invokeAll gives the futures in the order of the tasks, all done`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const slow = async (): Promise<string> => {
      await turns()
      return "slow"
    }
    const futures = await executor.invokeAll<string>([slow, () => "quick", slow, () => "quick"])
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      ["slow", "quick", "slow", "quick"],
    )
    const timed = await executor.invokeAll<string>([slow, () => "quick"], 100_000)
    assert.deepEqual(
      timed.map((future) => future.resultNow()),
      ["slow", "quick"],
    )
  })

  test(`[IA2] ${name}: a failing task does not fail invokeAll, and the others are waited for`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const error = new Error("own")
    for (const limit of [undefined, 100_000]) {
      const futures = await executor.invokeAll<unknown>(
        [() => Promise.reject(error), () => turns(), () => Promise.reject(error)],
        limit,
      )
      assert.deepEqual(
        futures.map((future) => future.state),
        ["failed", "success", "failed"],
      )
      assert.equal(futures[0]?.exceptionNow(), error)
    }
  })

  test(`[IA3] ${name}: no tasks, no futures, with or without limit`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    for (const limit of [undefined, 0, 1000]) assert.deepEqual(await executor.invokeAll([], limit), [])
  })

  test(`[IA8] ${name}: when its time is up invokeAll cancels what is not done, with interrupt, and returns`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    using clock = new FakeClock()
    let begun = false
    let heard: unknown
    const straggler = async (): Promise<void> => {
      begun = true
      await Thread.sleep(Infinity).catch((error: unknown) => (heard = error))
    }
    const waiting = executor.invokeAll<unknown>([() => "in time", straggler], 5)
    await eventually(() => begun)
    await turns()
    clock.advance(5)
    const [quick, late] = await waiting
    assert.equal(quick?.resultNow(), "in time")
    assert.equal(late?.state, "cancelled")
    await eventually(() => heard instanceof InterruptedError)
  })

  test(`[IA11] ${name}: an interrupt ends invokeAll and cancels its tasks, whether it came before or during the wait`, async () => {
    for (const limit of [undefined, 100_000]) {
      for (const when of ["before", "during"]) {
        await using lab = new Lab()
        const executor = lab.keep(open(lab.factory))
        const gate = lab.gate()
        const caller = lab.call(async () => {
          if (when === "before") Thread.currentThread().interrupt()
          await executor.invokeAll([gate.interruptible, gate.interruptible], limit)
        })
        await turns()
        if (when === "during") caller.thread.interrupt()
        const outcome = await caller.outcome
        assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
        assert.equal(caller.thread.isInterrupted, false)
        await eventually(() => gate.inside === 0)
        assert.equal(await executor.submit(() => "alive"), "alive")
      }
    }
  })

  test(`[IN1] ${name}: invokeAny gives the value of a task that succeeds, whatever the value is`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    assert.equal(await executor.invokeAny([() => 1, () => 1]), 1)
    assert.equal(await executor.invokeAny<unknown>([() => undefined]), undefined)
    assert.equal(await executor.invokeAny([() => null], 100_000), null)
  })

  test(`[IN2] ${name}: the losers of invokeAny are cancelled with interrupt and not waited for`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    for (const limit of [undefined, 100_000]) {
      const gate = lab.gate()
      const winner = async (): Promise<string> => {
        await turns()
        return "won"
      }
      assert.equal(await executor.invokeAny<unknown>([winner, gate.interruptible, gate.interruptible], limit), "won")
      await eventually(() => gate.inside === 0)
      assert.equal(await executor.submit(() => "alive"), "alive")
    }
  })

  test(`[IN3] ${name}: failures do not matter to invokeAny as long as one succeeds`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const failing = (): Promise<never> => Promise.reject(new Error("own"))
    const slow = async (): Promise<string> => {
      await turns()
      return "slow"
    }
    assert.equal(await executor.invokeAny<string>([failing, slow, failing]), "slow")
    assert.equal(await executor.invokeAny<string>([slow, failing], 100_000), "slow")
  })

  test(`[IN4] ${name}: if all fail, invokeAny fails with a task's own error, in good time`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const errors = [new Error("a"), new Error("b")]
    const tasks = errors.map((reason) => () => Promise.reject(reason))
    assert.ok(errors.includes((await rejectionOf(executor.invokeAny(tasks))) as Error))
    assert.ok(errors.includes((await rejectionOf(executor.invokeAny(tasks, 100_000))) as Error))
  })

  test(`[IN5] ${name}: invokeAny of nothing is a RangeError`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    assert.ok((await rejectionOf(executor.invokeAny([]))) instanceof RangeError)
    assert.ok((await rejectionOf(executor.invokeAny([], 1000))) instanceof RangeError)
  })

  test(`[IN8] ${name}: if nothing succeeds in time invokeAny is a TimeoutError and its tasks are interrupted`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const gate = lab.gate()
    const failing = (): Promise<never> => Promise.reject(new Error("own"))
    // The one at the gate first: it has begun before any timer can fire.
    assert.ok(
      (await rejectionOf(executor.invokeAny<unknown>([gate.interruptible, failing], 5))) instanceof TimeoutError,
    )
    await eventually(() => gate.entries > 0 && gate.inside === 0)
  })

  test(`[IN12] ${name}: an interrupt ends invokeAny and cancels its tasks, whether it came before or during the wait`, async () => {
    for (const limit of [undefined, 100_000]) {
      for (const when of ["before", "during"]) {
        await using lab = new Lab()
        const executor = lab.keep(open(lab.factory))
        const gate = lab.gate()
        const caller = lab.call(async () => {
          if (when === "before") Thread.currentThread().interrupt()
          await executor.invokeAny([gate.interruptible, gate.interruptible], limit)
        })
        await turns()
        if (when === "during") caller.thread.interrupt()
        const outcome = await caller.outcome
        assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
        assert.equal(caller.thread.isInterrupted, false)
        await eventually(() => gate.inside === 0)
        assert.equal(await executor.submit(() => "alive"), "alive")
      }
    }
  })

  test(`[MP1] ${name}: map applies the function to every item and gives the results in the order of the items`, async () => {
    await using lab = new Lab()
    const executor = lab.keep(open(lab.factory))
    const items = Array.from({ length: 50 }, (_, n) => n)
    const half = async (n: number): Promise<number> => {
      await turns(n % 3)
      return n / 2
    }
    assert.deepEqual(
      await all(executor.map(half, items)),
      items.map((n) => n / 2),
    )
  })

  test(
    `[IA13] ${name}: invokeAll is released when shutdownNow drops its tasks`,
    needs(subject, "hand-back"),
    async () => {
      await using lab = new Lab()
      const executor = lab.keep(open(lab.factory))
      const gate = lab.gate()
      const pending = executor.invokeAll([gate.interruptible, gate.interruptible, gate.interruptible])
      await gate.entered()
      executor.shutdownNow()
      const outcomes = await Promise.allSettled((await pending).map((future) => future.get()))
      for (const outcome of outcomes) {
        assert.ok(outcome.status === "rejected")
        assert.ok(outcome.reason instanceof InterruptedError || outcome.reason instanceof CancellationError)
      }
    },
  )
}
