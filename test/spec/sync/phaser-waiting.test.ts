/** Flows of one thread that wait for the end of a phase. */
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, turns } from "../../support/harness.ts"
import { Task, tasks, timeLimit } from "../lock/support.ts"
import { countsOf, Recorded } from "./phaser-support.ts"

const TERMINATED = -(2 ** 31)

type Wait = (phaser: Phaser, phase: number) => Promise<number>

const UNINTERRUPTIBLE: Wait[] = [
  (phaser, phase) => phaser.awaitAdvance(phase),
  (phaser) => phaser.arriveAndAwaitAdvance(),
]

test("[PH20] awaitAdvance waits until the phase is over and returns the next", async () => {
  const phaser = new Phaser(2)
  const calls = tasks(3).map((task) => task.call(() => phaser.awaitAdvance(0)))
  phaser.arrive()
  for (const call of calls) await call.waits()
  phaser.arrive()
  for (const call of calls) assert.equal(await call.ends(), 1)
})

test("[PH20] it returns at once if another phase is current, or for a negative one", async () => {
  const phaser = new Phaser(1)
  phaser.arrive()
  for (const phase of [0, 2, 7, 2 ** 31 - 1]) {
    assert.equal(await phaser.awaitAdvance(phase), 1)
    assert.equal(await phaser.awaitAdvanceInterruptibly(phase), 1)
    assert.equal(phaser.awaitAdvanceSync(phase), 1)
    assert.equal(phaser.awaitAdvanceInterruptiblySync(phase), 1)
  }
  for (const phase of [-1, -5, TERMINATED]) {
    assert.equal(await phaser.awaitAdvance(phase), phase)
    assert.equal(await phaser.awaitAdvanceInterruptibly(phase), phase)
    assert.equal(phaser.awaitAdvanceSync(phase), phase)
    assert.equal(phaser.awaitAdvanceInterruptiblySync(phase), phase)
  }
})

test("[PH20] those who wait for different phases go on one phase after the other", async () => {
  const phaser = new Phaser(1)
  const went: number[] = []
  for (let phase = 0; phase < 4; phase++) {
    for (const task of tasks(2)) task.call(() => phaser.awaitAdvance(phase).then((reached) => went.push(reached)))
    await turns()
    phaser.arrive()
  }
  await turns()
  assert.deepEqual(went, [1, 1, 2, 2, 3, 3, 4, 4])
})

test("[PH21] arriveAndAwaitAdvance waits for the others, and the counts are right meanwhile", async () => {
  const phaser = new Phaser(3)
  const [one, two, three] = tasks(3) as [Task, Task, Task]
  const first = await one.waitIn(() => phaser.arriveAndAwaitAdvance())
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 3, arrived: 1, unarrived: 2 })
  const second = await two.waitIn(() => phaser.arriveAndAwaitAdvance())
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 3, arrived: 2, unarrived: 1 })
  const third = three.call(() => phaser.arriveAndAwaitAdvance())
  for (const call of [first, second, third]) assert.equal(await call.ends(), 1)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 3, arrived: 0, unarrived: 3 })
})

test("[PH21] the last need not wait", async () => {
  const phaser = new Phaser(1)
  assert.equal(phaser.arriveAndAwaitAdvanceSync(), 1)
  assert.equal(await phaser.arriveAndAwaitAdvance(), 2)
  assert.equal(await phaser.arriveAndAwaitAdvance(0), 3)
})

test("[PH21] all get a negative phase if that terminates the phaser", async () => {
  const phaser = new Recorded(2).answer(() => true)
  const [one, two] = tasks(2) as [Task, Task]
  const first = await one.waitIn(() => phaser.arriveAndAwaitAdvance())
  const second = two.call(() => phaser.arriveAndAwaitAdvance())
  assert.deepEqual([await first.ends(), await second.ends()], [TERMINATED + 1, TERMINATED + 1])
  assert.equal(new Recorded(1).answer(() => true).arriveAndAwaitAdvanceSync(), TERMINATED + 1)
})

test("[PH22] what all did in a phase is done when it is over", async () => {
  const parties = 8
  const rounds = 20
  const phaser = new Phaser(parties)
  const done = Array.from({ length: rounds }, () => 0)
  const calls = tasks(parties).map((task, index) =>
    task.call(async () => {
      for (let round = 0; round < rounds; round++) {
        await turns((index * 7 + round) % 3)
        done[round] = (done[round] ?? 0) + 1
        if ((index + round) % 2 === 0) assert.equal(await phaser.arriveAndAwaitAdvance(), round + 1)
        else assert.equal(await phaser.awaitAdvance(phaser.arrive()), round + 1)
        assert.equal(done[round], parties)
      }
    }),
  )
  await turns(rounds * 12)
  for (const call of calls) await call.ends()
  assert.equal(phaser.phase, rounds)
})

test("[PH23] an interrupt before the wait does not end it, and the flag stays raised", async () => {
  for (const wait of UNINTERRUPTIBLE) {
    const phaser = new Phaser(2)
    const task = Task.raised()
    const call = await task.waitIn(() => wait(phaser, 0))
    assert.equal(task.isInterrupted, true)
    phaser.bulkRegister(1)
    while (phaser.phase === 0) phaser.arrive()
    assert.equal(await call.ends(), 1)
    assert.equal(task.isInterrupted, true)
  }
})

test("[PH23] an interrupt during the wait does not end it, and the flag stays raised", async () => {
  for (const wait of UNINTERRUPTIBLE) {
    const phaser = new Phaser(2)
    const task = new Task()
    const call = await task.waitIn(() => wait(phaser, 0))
    task.interrupt()
    await call.waits()
    while (phaser.phase === 0) phaser.arrive()
    assert.equal(await call.ends(), 1)
    assert.equal(task.isInterrupted, true)
  }
})

test("[PH24] an interrupt ends awaitAdvanceInterruptibly", async () => {
  for (const wait of [undefined, 60_000, { timeout: 60_000 }]) {
    const phaser = new Phaser(1)
    const early = Task.raised()
    await early.call(() => phaser.awaitAdvanceInterruptibly(0, wait)).failsWith("InterruptedError")
    const late = new Task()
    const call = await late.waitIn(() => phaser.awaitAdvanceInterruptibly(0, wait))
    late.interrupt()
    await call.failsWith("InterruptedError")
    assert.deepEqual([early.isInterrupted, late.isInterrupted], [false, false])
    assert.deepEqual(countsOf(phaser), { phase: 0, registered: 1, arrived: 0, unarrived: 1 })
  }
})

test("[PH24] an interrupt ends the wait of a thread that blocks", () => {
  const phaser = new Phaser(1)
  const task = Task.raised()
  assert.throws(() => task.do(() => phaser.awaitAdvanceInterruptiblySync(0, 60_000)), { name: "InterruptedError" })
  assert.equal(task.isInterrupted, false)
})

test("[PH24] if there is nothing to wait for, an interrupt is not looked at", async () => {
  const phaser = new Phaser(1)
  const task = Task.raised()
  assert.equal(await task.call(() => phaser.awaitAdvanceInterruptibly(7)).ends(), 0)
  assert.equal(await task.call(() => phaser.awaitAdvanceInterruptibly(-7)).ends(), -7)
  assert.equal(
    task.do(() => phaser.awaitAdvanceInterruptiblySync(7)),
    0,
  )
  assert.equal(task.isInterrupted, true)
})

test("[PH25] if the time is up, TimeoutError and not before", async () => {
  const phaser = new Phaser(3)
  const limit = timeLimit(10)
  const calls = [
    phaser.awaitAdvance(0, 10),
    phaser.awaitAdvanceInterruptibly(0, { timeout: 10 }),
    phaser.arriveAndAwaitAdvance(10),
  ]
  for (const call of calls) {
    const error = (await rejectionOf(call)) as Error
    assert.ok(limit.isOver)
    assert.equal(error.name, "TimeoutError")
    assert.match(error.message, /^Phase 0 of Phaser@\d+ was not over within 10 ms$/)
  }
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 3, arrived: 1, unarrived: 2 })
})

test("[PH25] a thread that blocks is told so as well", () => {
  const phaser = new Phaser(3)
  for (const call of [
    () => phaser.awaitAdvanceSync(0, 5),
    () => phaser.awaitAdvanceInterruptiblySync(0, 5),
    () => phaser.arriveAndAwaitAdvanceSync(5),
  ]) {
    const limit = timeLimit(5)
    assert.throws(call, { name: "TimeoutError" })
    assert.ok(limit.isOver)
  }
  assert.equal(phaser.arrivedParties, 1)
})

test("[PH25] without time it is at once", async () => {
  const phaser = new Phaser(4)
  for (const none of [0, -1]) {
    await assert.rejects(phaser.awaitAdvance(0, none), { name: "TimeoutError" })
    await assert.rejects(phaser.awaitAdvanceInterruptibly(0, none), { name: "TimeoutError" })
    await assert.rejects(phaser.arriveAndAwaitAdvance(none), { name: "TimeoutError" })
    assert.throws(() => phaser.awaitAdvanceSync(0, none), { name: "TimeoutError" })
  }
  assert.equal(phaser.arrivedParties, 2)
})

test("[PH26] a signal ends the wait with its reason", async () => {
  const phaser = new Phaser(2)
  const controller = new AbortController()
  const reason = new Error("enough")
  const calls = [
    phaser.awaitAdvance(0, controller),
    phaser.awaitAdvanceInterruptibly(0, controller),
    phaser.arriveAndAwaitAdvance({ timeout: 60_000, signal: controller.signal }),
  ]
  await turns()
  controller.abort(reason)
  for (const call of calls) assert.equal(await rejectionOf(call), reason)
  assert.equal(phaser.arrivedParties, 1)
})

test("[PH26] one that was aborted before keeps from arriving", async () => {
  const phaser = new Phaser(2)
  const reason = new Error("enough")
  const aborted = { signal: AbortSignal.abort(reason) }
  assert.equal(await rejectionOf(phaser.arriveAndAwaitAdvance(aborted)), reason)
  assert.equal(await rejectionOf(phaser.awaitAdvance(0, aborted)), reason)
  assert.equal(phaser.arrivedParties, 0)
})

test("[PH27] those who gave up do not keep others from going on", async () => {
  const phaser = new Phaser(1)
  const all = tasks(9)
  const controller = new AbortController()
  const calls = all.map((task, index) =>
    task.call(() => {
      if (index % 3 === 0) return phaser.awaitAdvanceInterruptibly(0)
      return phaser.awaitAdvance(0, index % 3 === 1 ? { signal: controller.signal } : undefined)
    }),
  )
  for (const call of calls) await call.waits()
  controller.abort()
  all[0]?.interrupt()
  all[6]?.interrupt()
  await turns()
  phaser.arrive()
  await turns()
  assert.deepEqual(
    calls.flatMap(({ state }, index) => (state === "fulfilled" ? [index] : [])),
    [2, 3, 5, 8],
  )
  assert.equal(calls.filter(({ state }) => state === "rejected").length, 5)
})

test("[PH28] phases and time limits are checked before anything happens", async () => {
  const phaser = new Phaser(1)
  for (const phase of [0.5, NaN, 2 ** 31, -(2 ** 31) - 1]) {
    await assert.rejects(phaser.awaitAdvance(phase), { name: "RangeError", message: /^Expected `phase` to be an/ })
    await assert.rejects(phaser.awaitAdvanceInterruptibly(phase), RangeError)
    assert.throws(() => phaser.awaitAdvanceSync(phase), RangeError)
    assert.throws(() => phaser.awaitAdvanceInterruptiblySync(phase), RangeError)
  }
  await assert.rejects(phaser.awaitAdvance("0" as unknown as number), TypeError)
  for (const wait of ["1", { timeout: "1" }, { signal: {} }] as unknown as number[]) {
    await assert.rejects(phaser.arriveAndAwaitAdvance(wait), TypeError)
    await assert.rejects(phaser.awaitAdvance(0, wait), TypeError)
  }
  await assert.rejects(phaser.arriveAndAwaitAdvance(NaN), RangeError)
  assert.throws(() => phaser.arriveAndAwaitAdvanceSync(NaN), RangeError)
  assert.throws(() => phaser.arriveAndAwaitAdvanceSync("1" as unknown as number), TypeError)
  assert.equal(phaser.phase, 0)
})

test("[PH29] a thread does not block for ever", () => {
  const phaser = new Phaser(2)
  const child = new Phaser(phaser, 1)
  for (const call of [
    () => phaser.awaitAdvanceSync(0),
    () => phaser.awaitAdvanceInterruptiblySync(0),
    () => phaser.arriveAndAwaitAdvanceSync(),
    () => child.arriveAndAwaitAdvanceSync(),
  ]) {
    assert.throws(call, { name: "IllegalStateError", message: /block for ever/ })
  }
  assert.equal(phaser.arrivedParties, 0)
  assert.equal(child.arrivedParties, 0)
  phaser.arrive()
  phaser.arrive()
  assert.equal(child.arriveAndAwaitAdvanceSync(), 1)
})
