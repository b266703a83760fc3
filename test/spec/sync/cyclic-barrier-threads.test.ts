/** Barriers between threads: blocked ones and ones that await, that live and that die. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { CyclicBarrier, Semaphore, type Shared } from "corepool"
import { load, sharedWords, store } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { requireTermination } from "../../support/termination.ts"
import { Workers } from "../../support/workers.ts"
import { Task } from "../lock/support.ts"
import { meetOften } from "./synchronizers.workers.ts"

const JOBS = new URL("synchronizers.workers.js", import.meta.url)

/** A larger number shows rarer things. */
const STRESS = Number(process.env["STRESS"] ?? 1)

test("[CB20] a barrier that was posted is the same one", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(3)
  const call = await new Task().waitIn(() => barrier.await())
  const one = workers.run(JOBS, "lookAtBarrier", barrier)
  await eventually(() => barrier.numberWaiting === 2)
  const other = workers.run(JOBS, "lookAtBarrier", barrier.handle)
  assert.deepEqual(await one.result, { parties: 3, numberWaiting: 1, isBroken: false, index: 1 })
  assert.deepEqual(await other.result, { parties: 3, numberWaiting: 2, isBroken: false, index: 0 })
  await eventually(() => !call.isPending)
  assert.equal(await call.ends(), 2)
})

test("[CB20] what is no barrier is refused", () => {
  for (const wrong of [null, 1, {}, new Semaphore(1), new Semaphore(1).handle]) {
    assert.throws(() => CyclicBarrier.from(wrong as Shared), {
      name: "TypeError",
      message: /^Expected `handle` to be the handle of a CyclicBarrier, got /,
    })
  }
})

test("[CB21] the action is that of the thread of the last one to arrive", async () => {
  await using workers = new Workers()
  const runs = sharedWords(3)
  let runsHere = 0
  const barrier = new CyclicBarrier(3, () => runsHere++)
  const one = workers.run(JOBS, "meetWithAction", barrier, runs, 0)
  await eventually(() => barrier.numberWaiting === 1)
  const call = await new Task().waitIn(() => barrier.await())
  const last = workers.run(JOBS, "meetWithAction", barrier, runs, 1)
  assert.equal(await last.result, 0)
  assert.equal(await one.result, 2)
  await eventually(() => !call.isPending)
  assert.deepEqual([runsHere, ...runs], [0, 0, 1, 0])

  const first = workers.run(JOBS, "meetWithAction", barrier, runs, 2)
  const second = workers.run(JOBS, "meetWithAction", barrier, runs, 2)
  await eventually(() => barrier.numberWaiting === 2)
  assert.equal(await barrier.await(), 0)
  await Promise.all([first.result, second.result])
  assert.deepEqual([runsHere, ...runs], [1, 0, 1, 0])
})

test("[CB21] a thread needs an action if there is one, and none if there is none", async () => {
  await using workers = new Workers()
  const withAction = new CyclicBarrier(1, () => undefined)
  const without = new CyclicBarrier(1)
  assert.equal(await workers.run(JOBS, "openBarrier", withAction, true).result, "opened")
  assert.equal(await workers.run(JOBS, "openBarrier", without, false).result, "opened")
  assert.match(
    (await workers.run(JOBS, "openBarrier", withAction, false).result) as string,
    /^TypeError: Expected `action` to be a function: this barrier was made with an action.*CyclicBarrier\.from\(shared, action\)$/,
  )
  assert.match(
    (await workers.run(JOBS, "openBarrier", without, true).result) as string,
    /^TypeError: Expected `action` to be undefined: this barrier was made without one/,
  )
  assert.throws(() => CyclicBarrier.from(withAction, 1 as unknown as () => void), { name: "TypeError" })
})

test("[CB22][CB23] threads that block, and flows that await, meet again and again", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(4)
  const seen = sharedWords(4)
  const rounds = 100 * STRESS
  const outcomes = await Promise.all([
    workers.run(JOBS, "meetOften", barrier, seen, 0, rounds, true).result,
    workers.run(JOBS, "meetOften", barrier, seen, 1, rounds, false).result,
    workers.run(JOBS, "meetOften", barrier, seen, 2, rounds, true).result,
    meetOften(barrier, seen, 3, rounds, false),
  ])
  assert.deepEqual(outcomes, [true, true, true, true])
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 0)
})

test("[CB13][CB22] a blocked thread runs out of time, and breaks it for the others", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(3)
  const call = await new Task().waitIn(() => barrier.await())
  const hand = workers.run(JOBS, "meet", barrier, true, 15)
  assert.deepEqual(await hand.result, { outcome: "TimeoutError", isInterrupted: false })
  await eventually(() => !call.isPending)
  await call.failsWith("BrokenBarrierError")
  assert.equal(barrier.isBroken, true)
})

test("[CB14][CB16][CB22] an interrupt of a blocked thread breaks it for the others", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(4)
  const call = await new Task().waitIn(() => barrier.await())
  const [one, other] = [workers.run(JOBS, "meet", barrier, true), workers.run(JOBS, "meet", barrier, true)]
  await eventually(() => barrier.numberWaiting === 3)
  await one.heard("coming")
  threadContext().registry.interrupt((await one.firstWord()) as number)
  assert.deepEqual(await one.result, { outcome: "InterruptedError", isInterrupted: false })
  assert.deepEqual(await other.result, { outcome: "BrokenBarrierError", isInterrupted: false })
  await eventually(() => !call.isPending)
  await call.failsWith("BrokenBarrierError")
})

test("[CB18][CB22] a reset reaches those who wait in other threads", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(3)
  const hands = [true, false].map((blocks) => workers.run(JOBS, "meet", barrier, blocks))
  await eventually(() => barrier.numberWaiting === 2)
  barrier.reset()
  for (const hand of hands) {
    assert.deepEqual(await hand.result, { outcome: "BrokenBarrierError", isInterrupted: false })
  }
  assert.equal(barrier.isBroken, false)
})

for (const end of ["trip", "break"] as const) {
  test(`[CB24] a thread that looks late learns what became of its own round: ${end}`, async () => {
    await using workers = new Workers()
    const barrier = new CyclicBarrier(2)
    const gate = sharedWords(2)
    const hand = workers.run(JOBS, "lookLate", barrier, gate)
    await eventually(() => load(gate, 0) === 1)
    if (end === "trip") assert.equal(await barrier.await(), 0)
    else barrier.reset()
    // And now the other way, many times.
    for (let round = 0; round < 20; round++) {
      if (end === "trip") {
        const call = await new Task().waitIn(() => barrier.await())
        barrier.reset()
        await call.failsWith("BrokenBarrierError")
      } else await Promise.all([barrier.await(), barrier.await()])
    }
    store(gate, 1, 1)
    assert.equal(await hand.result, end === "trip" ? 1 : "BrokenBarrierError")
  })
}

for (const blocks of [true, false]) {
  const kind = blocks ? "that is blocked" : "that awaits"

  test(`[CB26] the death of a thread ${kind} breaks it for the others`, async () => {
    await using workers = new Workers()
    const barrier = new CyclicBarrier(4)
    const doomed = workers.run(JOBS, "meet", barrier, blocks)
    await eventually(() => barrier.numberWaiting === 1)
    const call = await new Task().waitIn(() => barrier.await())
    const other = workers.run(JOBS, "meet", barrier, true)
    await eventually(() => barrier.numberWaiting === 3)
    await doomed.kill()
    assert.deepEqual(await other.result, { outcome: "BrokenBarrierError", isInterrupted: false })
    await eventually(() => !call.isPending)
    await call.failsWith("BrokenBarrierError")
    assert.equal(barrier.isBroken, true)
    barrier.reset()
    const calls = [1, 2, 3, 4].map(() => new Task().call(() => barrier.await()))
    for (const again of calls) await again.ends()
  })

  test(`[CB26] also if the one ${kind} was alone`, async () => {
    await using workers = new Workers()
    const barriers = [new CyclicBarrier(2), new CyclicBarrier(2), new CyclicBarrier(2), new CyclicBarrier(2)] as const
    const doomed = barriers.map((barrier) => workers.run(JOBS, "meet", barrier, blocks))
    await eventually(() => barriers.every((barrier) => barrier.numberWaiting === 1))
    await Promise.all(doomed.map((hand) => hand.kill()))
    // Whatever is done first.
    assert.equal(barriers[0].isBroken, true)
    assert.equal(barriers[1].numberWaiting, 0)
    assert.equal(((await rejectionOf(barriers[2].await(60_000))) as Error).name, "BrokenBarrierError")
    barriers[3].reset()
    assert.equal(barriers[3].isBroken, false)
    assert.equal(barriers[3].numberWaiting, 0)
  })

  test(`[CB27] the death of a thread ${kind} in the action breaks it`, async () => {
    await using workers = new Workers()
    const barrier = new CyclicBarrier(2, () => undefined)
    const call = await new Task().waitIn(() => barrier.await())
    const doomed = workers.run(JOBS, "dwell", barrier, blocks)
    await doomed.heard("acting")
    const early = await new Task().waitIn(() => barrier.await()) // who will find it broken
    assert.equal(barrier.numberWaiting, 2)
    await doomed.kill()
    await eventually(() => !call.isPending && !early.isPending)
    await call.failsWith("BrokenBarrierError")
    await early.failsWith("BrokenBarrierError")
    assert.equal(barrier.isBroken, true)
    barrier.reset()
    const calls = [1, 2].map(() => new Task().call(() => barrier.await()))
    for (const again of calls) await again.ends()
  })
}

test("[CB26] a thread may also end itself", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(3)
  const call = await new Task().waitIn(() => barrier.await())
  const doomed = workers.run(JOBS, "exitAtBarrier", barrier)
  assert.equal(await doomed.gone, 3)
  await eventually(() => !call.isPending)
  await call.failsWith("BrokenBarrierError")
})

test("[CB26][CB27] a thread that dies at any moment stops nobody", async () => {
  await requireTermination()
  await using workers = new Workers()
  for (let time = 0; time < 4 * STRESS; time++) {
    const barrier = new CyclicBarrier(3, () => undefined)
    const hands = [true, false, time % 2 === 0].map((blocks) => workers.run(JOBS, "meetUntilBroken", barrier, blocks))
    await Promise.all(hands.map((hand) => hand.heard("under way")))
    const [doomed, ...others] = hands
    await doomed?.kill()
    // It was here, or it was between two rounds: then the others wait for it in vain.
    await eventually(() => barrier.isBroken || barrier.numberWaiting === 2)
    if (!barrier.isBroken) barrier.reset()
    for (const hand of others) assert.equal(await hand.result, "BrokenBarrierError")
  }
})

test("[CB28] the death of a thread in which nobody waits changes nothing", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(2)
  const hand = workers.run(JOBS, "meet", barrier, true)
  assert.equal((await barrier.await()) < 2, true)
  await hand.result
  const call = await new Task().waitIn(() => barrier.await())
  await hand.kill()
  const stranger = workers.run(JOBS, "keepPermits", new Semaphore(1), 1)
  await stranger.heard("got")
  await stranger.kill()
  await call.waits()
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 1)
  assert.equal(await barrier.await(), 0)
  await call.ends()
})

test("[CB19][CB22] a thread in its action can be left behind by a reset", async () => {
  await using workers = new Workers()
  const barrier = new CyclicBarrier(2, () => undefined)
  const call = await new Task().waitIn(() => barrier.await())
  const stuck = workers.run(JOBS, "dwell", barrier, true)
  await stuck.heard("acting")
  barrier.reset()
  await call.failsWith("BrokenBarrierError")
  const calls = [1, 2].map(() => new Task().call(() => barrier.await()))
  for (const again of calls) await again.ends()
  assert.equal(barrier.isBroken, false)
})
