/** How a barrier breaks, and how it is mended. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { CyclicBarrier } from "corepool"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Task, tasks, timeLimit } from "../lock/support.ts"

/** Checks that the barrier is broken, and can be used again after a reset. */
async function isBrokenUntilReset(barrier: CyclicBarrier): Promise<void> {
  assert.equal(barrier.isBroken, true)
  assert.equal(barrier.numberWaiting, 0)
  for (const wait of [undefined, 0, 60_000]) {
    await new Task().call(() => barrier.await(wait)).failsWith("BrokenBarrierError")
  }
  assert.throws(() => barrier.awaitSync(), { name: "BrokenBarrierError" })
  barrier.reset()
  assert.equal(barrier.isBroken, false)
  const calls = tasks(barrier.parties).map((task) => task.call(() => barrier.await()))
  for (const [place, call] of calls.entries()) assert.equal(await call.ends(), barrier.parties - 1 - place)
}

test("[CB13][CB16][CB17] who runs out of time breaks it for all", async () => {
  const barrier = new CyclicBarrier(4)
  const others = [
    await new Task().waitIn(() => barrier.await()),
    await new Task().waitIn(() => barrier.await(60_000)), // with a limit or without
  ]
  const limit = timeLimit(15)
  const error = (await rejectionOf(barrier.await(15))) as Error
  assert.equal(limit.isOver, true)
  assert.equal(error.name, "TimeoutError")
  assert.match(error.message, /^Not all have arrived at the barrier within 15 ms/)
  for (const call of others) await call.failsWith("BrokenBarrierError")
  await isBrokenUntilReset(barrier)
})

test("[CB13] also if it is the only one", async () => {
  const barrier = new CyclicBarrier(2)
  assert.equal(((await rejectionOf(barrier.await(5))) as Error).name, "TimeoutError")
  await isBrokenUntilReset(barrier)
})

test("[CB13] a limit of zero breaks it at once, except for the last one", async () => {
  for (const ms of [0, -1]) {
    const barrier = new CyclicBarrier(2)
    assert.equal(((await rejectionOf(barrier.await(ms))) as Error).name, "TimeoutError")
    assert.equal(barrier.isBroken, true)
    barrier.reset()
    assert.throws(() => barrier.awaitSync(ms), { name: "TimeoutError" })
    await isBrokenUntilReset(barrier)
    const call = await new Task().waitIn(() => barrier.await())
    assert.equal(await barrier.await(ms), 0)
    await call.ends()
  }
})

test("[CB13] awaitSync with a limit blocks that long, then breaks it", async () => {
  const barrier = new CyclicBarrier(3)
  const call = await new Task().waitIn(() => barrier.await())
  const limit = timeLimit(15)
  assert.throws(() => barrier.awaitSync(15), { name: "TimeoutError" })
  assert.equal(limit.isOver, true)
  await call.failsWith("BrokenBarrierError")
  await isBrokenUntilReset(barrier)
})

test("[CB13] a limit that is no time is refused, and nothing has happened", async () => {
  const barrier = new CyclicBarrier(2)
  assert.ok((await rejectionOf(barrier.await(Number.NaN))) instanceof RangeError)
  assert.ok((await rejectionOf(barrier.await("1" as unknown as number))) instanceof TypeError)
  assert.throws(() => barrier.awaitSync(Number.NaN), { name: "RangeError" })
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 0)
})

test("[CB14][CB16] an interrupt breaks it for all", async () => {
  for (const wait of [undefined, 60_000]) {
    const barrier = new CyclicBarrier(3)
    const [one, other] = [new Task(), new Task()]
    const interrupted = await one.waitIn(() => barrier.await(wait))
    const call = await other.waitIn(() => barrier.await(wait))
    one.interrupt()
    await interrupted.failsWith("InterruptedError")
    await call.failsWith("BrokenBarrierError")
    assert.equal(one.isInterrupted, false)
    await isBrokenUntilReset(barrier)
  }
})

test("[CB14] so does one who is interrupted before, be it the last one", async () => {
  let runs = 0
  for (const parties of [1, 2, 3]) {
    const barrier = new CyclicBarrier(parties, () => runs++)
    const others = await Promise.all(tasks(Math.min(parties - 1, 1)).map((task) => task.waitIn(() => barrier.await())))
    const task = Task.raised()
    await task.call(() => barrier.await()).failsWith("InterruptedError")
    assert.equal(task.isInterrupted, false)
    for (const call of others) await call.failsWith("BrokenBarrierError")
    await isBrokenUntilReset(barrier)
    const blocked = Task.raised()
    assert.throws(() => blocked.do(() => barrier.awaitSync()), { name: "InterruptedError" })
    assert.equal(barrier.isBroken, true)
  }
  assert.equal(runs, 3) // those after the resets
})

test("[CB15][CB16] an abort breaks it for all", async () => {
  const barrier = new CyclicBarrier(3)
  const controller = new AbortController()
  const { signal } = controller
  const reason = new Error("enough")
  const aborted = await new Task().waitIn(() => barrier.await({ signal }))
  const call = await new Task().waitIn(() => barrier.await())
  controller.abort(reason)
  assert.equal(await aborted.failsWith("Error"), reason)
  await call.failsWith("BrokenBarrierError")
  await isBrokenUntilReset(barrier)

  const another = await new Task().waitIn(() => barrier.await())
  assert.equal(await rejectionOf(barrier.await({ signal })), reason)
  await another.failsWith("BrokenBarrierError")
  await isBrokenUntilReset(barrier)
})

test("[CB17] at a broken barrier who is interrupted stays so", async () => {
  const barrier = new CyclicBarrier(2)
  await rejectionOf(barrier.await(0))
  const task = Task.raised()
  await task.call(() => barrier.await()).failsWith("BrokenBarrierError")
  assert.equal(task.isInterrupted, true)
})

test("[CB18] a reset breaks it for those who wait, and mends it", async () => {
  const barrier = new CyclicBarrier(3)
  const calls = await Promise.all(tasks(2).map((task) => task.waitIn(() => barrier.await())))
  barrier.reset()
  for (const call of calls) await call.failsWith("BrokenBarrierError")
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 0)
  const again = tasks(3).map((task) => task.call(() => barrier.await()))
  for (const call of again) await call.ends()
})

test("[CB18] a reset with nobody there is harmless, also between two rounds", async () => {
  const barrier = new CyclicBarrier(2)
  for (let round = 0; round < 3; round++) {
    barrier.reset()
    assert.equal(barrier.isBroken, false)
    const calls = tasks(2).map((task) => task.call(() => barrier.await()))
    for (const call of calls) await call.ends()
  }
})

test("[CB18] somebody may come again as soon as it is mended", async () => {
  const barrier = new CyclicBarrier(2)
  const outcomes: string[] = []
  const stubborn = new Task().call(async () => {
    for (;;) {
      try {
        outcomes.push(String(await barrier.await()))
        return
      } catch (error) {
        outcomes.push((error as Error).name)
      }
    }
  })
  for (let times = 0; times < 3; times++) {
    await stubborn.waits()
    barrier.reset()
  }
  await stubborn.waits()
  await barrier.await()
  await stubborn.ends()
  assert.deepEqual(outcomes, ["BrokenBarrierError", "BrokenBarrierError", "BrokenBarrierError", "1"])
})

test("[CB19] a reset while the action runs breaks the round, for who runs it when it is over", async () => {
  let finish: () => void = () => undefined
  const barrier = new CyclicBarrier(2, () => new Promise<void>((resolve) => (finish = resolve)))
  const first = await new Task().waitIn(() => barrier.await())
  const last = await new Task().waitIn(() => barrier.await())
  const early = await new Task().waitIn(() => barrier.await())
  barrier.reset()
  await first.failsWith("BrokenBarrierError")
  await last.waits()
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 1) // who came during the action is in the new round
  finish()
  await last.failsWith("BrokenBarrierError")

  const other = await new Task().waitIn(() => barrier.await())
  finish()
  await eventually(() => !other.isPending)
  assert.equal(await other.ends(), 0)
  assert.equal(await early.ends(), 1)
})

test("[CB19] also if the action itself resets", async () => {
  const barrier: CyclicBarrier = new CyclicBarrier(2, () => barrier.reset())
  const call = await new Task().waitIn(() => barrier.await())
  assert.equal(((await rejectionOf(barrier.await())) as Error).name, "BrokenBarrierError")
  await call.failsWith("BrokenBarrierError")
  assert.equal(barrier.isBroken, false)
})

test("[CB6][CB19] the error of an action comes through also after a reset, which it does not undo", async () => {
  const barrier: CyclicBarrier = new CyclicBarrier(2, async () => {
    await turns(1)
    barrier.reset()
    throw new Error("action")
  })
  const call = await new Task().waitIn(() => barrier.await())
  assert.equal(((await rejectionOf(barrier.await())) as Error).message, "action")
  await call.failsWith("BrokenBarrierError")
  assert.equal(barrier.isBroken, false)
})
