/** Contract of every ExecutorService: many tasks, one wait. */
import { CancellationError, InterruptedError, Thread, TimeoutError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { all } from "../../spec/executor/support.ts"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { ContractLab } from "./lab.ts"
import { alive, giveNull, giveUndefined, half, one, quick, slow } from "./simple-tasks.ts"
import { type ExecutorUnderTest, needs } from "./subject.ts"

/** When a caller is interrupted, and whether its wait has a limit. The first two have each of these once. */
const INTERRUPTIONS = [
  { limit: undefined, when: "during" },
  { limit: 100_000, when: "before" },
  { limit: undefined, when: "before" },
  { limit: 100_000, when: "during" },
] as const

/** It ends with the error, the flag is down, no task is left, and the executor works. */
async function assertInterruptEnds(subject: ExecutorUnderTest, method: "invokeAll" | "invokeAny"): Promise<void> {
  for (const { limit, when } of INTERRUPTIONS.slice(0, subject.work?.sharesExecutors === true ? 2 : 4)) {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const gate = lab.work.gate()
    const caller = lab.call(async () => {
      if (when === "before") Thread.currentThread().interrupt()
      const both = [gate.interruptible, gate.interruptible]
      await (method === "invokeAll" ? executor.invokeAll(both, limit) : executor.invokeAny(both, limit))
    })
    if (when === "during") {
      await gate.entered()
      caller.thread.interrupt()
    }
    const outcome = await caller.outcome
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
    assert.equal(caller.thread.isInterrupted, false)
    await eventually(() => gate.inside === 0)
    assert.equal(await executor.submit(alive), "alive")
  }
}

export function testInvocations(subject: ExecutorUnderTest): void {
  const { name } = subject

  test(`[IA1] ${name}: invokeAll gives the futures in the order of the tasks, all done`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const futures = await executor.invokeAll<string>([slow, quick, slow, quick])
    assert.deepEqual(
      futures.map((future) => future.resultNow()),
      ["slow", "quick", "slow", "quick"],
    )
    const timed = await executor.invokeAll<string>([slow, quick], 100_000)
    assert.deepEqual(
      timed.map((future) => future.resultNow()),
      ["slow", "quick"],
    )
  })

  test(`[IA2] ${name}: a failing task does not fail invokeAll, and the others are waited for`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const error = new Error("own")
    for (const limit of [undefined, 100_000]) {
      const futures = await executor.invokeAll<unknown>(
        [lab.work.rejecting(error), slow, lab.work.throwing(error)],
        limit,
      )
      assert.deepEqual(
        futures.map((future) => future.state),
        ["failed", "success", "failed"],
      )
      lab.work.assertArrived(futures[0]?.exceptionNow(), error)
    }
  })

  test(`[IA3] ${name}: no tasks, no futures, with or without limit`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    for (const limit of [undefined, 0, 1000]) assert.deepEqual(await executor.invokeAll([], limit), [])
  })

  test(`[IA8] ${name}: when its time is up invokeAll cancels what is not done, with interrupt, and returns`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    // Where the two run side by side, the quick one may be too late, and is cancelled too. But not each time.
    let rounds = lab.work.sharesObjects || subject.threads === 1 ? 1 : 50
    for (let inTime = false; !inTime; rounds--) {
      assert.ok(rounds > 0)
      const gate = lab.work.gate()
      using clock = new FakeClock()
      const waiting = executor.invokeAll<unknown>([quick, gate.yielding], 5)
      await gate.entered()
      await turns()
      clock.advance(5)
      const [first, late] = await waiting
      assert.equal(late?.state, "cancelled")
      await eventually(() => gate.interrupted === 1)
      inTime = first?.state !== "cancelled"
      if (inTime) assert.equal(first?.resultNow(), "quick")
    }
  })

  test(`[IA11] ${name}: an interrupt ends invokeAll and cancels its tasks, whether it came before or during the wait`, async () => {
    await assertInterruptEnds(subject, "invokeAll")
  })

  test(`[IN1] ${name}: invokeAny gives the value of a task that succeeds, whatever the value is`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    assert.equal(await executor.invokeAny([one, one]), 1)
    assert.equal(await executor.invokeAny<unknown>([giveUndefined]), undefined)
    assert.equal(await executor.invokeAny([giveNull], 100_000), null)
  })

  test(`[IN2] ${name}: the losers of invokeAny are cancelled with interrupt and not waited for`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    for (const limit of [undefined, 100_000]) {
      const gate = lab.work.gate()
      assert.equal(await executor.invokeAny<unknown>([slow, gate.interruptible, gate.interruptible], limit), "slow")
      await eventually(() => gate.inside === 0)
      assert.equal(await executor.submit(alive), "alive")
    }
  })

  test(`[IN3] ${name}: failures do not matter to invokeAny as long as one succeeds`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const failing = lab.work.rejecting(new Error("own"))
    assert.equal(await executor.invokeAny<string>([failing, slow, failing]), "slow")
    assert.equal(await executor.invokeAny<string>([slow, failing], 100_000), "slow")
  })

  test(`[IN4] ${name}: if all fail, invokeAny fails with a task's own error, in good time`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const errors = [new Error("a"), new Error("b")]
    const tasks = errors.map((error) => lab.work.rejecting(error))
    for (const limit of [undefined, 100_000]) {
      const own = (await rejectionOf(executor.invokeAny(tasks, limit))) as Error
      lab.work.assertArrived(
        own,
        errors.find(({ message }) => message === own.message),
      )
    }
  })

  test(`[IN5] ${name}: invokeAny of nothing is a RangeError`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    assert.ok((await rejectionOf(executor.invokeAny([]))) instanceof RangeError)
    assert.ok((await rejectionOf(executor.invokeAny([], 1000))) instanceof RangeError)
  })

  test(`[IN8] ${name}: if nothing succeeds in time invokeAny is a TimeoutError and its tasks are interrupted`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    for (const order of ["failing first", "failing last"]) {
      const gate = lab.work.gate()
      const tasks = [lab.work.throwing(new Error("own")), gate.interruptible]
      using clock = new FakeClock()
      const pending = rejectionOf(
        executor.invokeAny<unknown>(order === "failing first" ? tasks : tasks.toReversed(), 5),
      )
      await gate.entered()
      clock.advance(5)
      assert.ok((await pending) instanceof TimeoutError)
      await eventually(() => gate.interrupted === 1)
    }
  })

  test(`[IN12] ${name}: an interrupt ends invokeAny and cancels its tasks, whether it came before or during the wait`, async () => {
    await assertInterruptEnds(subject, "invokeAny")
  })

  test(`[MP1] ${name}: map applies the function to every item and gives the results in the order of the items`, async () => {
    await using lab = new ContractLab(subject)
    const executor = await lab.executor()
    const items = Array.from({ length: lab.work.many }, (_, n) => n)
    assert.deepEqual(
      await all(executor.map(half, items)),
      items.map((n) => n / 2),
    )
  })

  test(
    `[IA13] ${name}: invokeAll is released when shutdownNow drops its tasks`,
    needs(subject, "hand-back"),
    async () => {
      await using lab = new ContractLab(subject)
      const executor = await lab.open()
      const gate = lab.work.gate()
      const pending = executor.invokeAll([gate.interruptible, gate.interruptible, gate.interruptible])
      await gate.entered()
      await executor.shutdownNow()
      const outcomes = await Promise.allSettled((await pending).map((future) => future.get()))
      for (const outcome of outcomes) {
        assert.ok(outcome.status === "rejected")
        assert.ok(outcome.reason instanceof InterruptedError || outcome.reason instanceof CancellationError)
      }
    },
  )
}
