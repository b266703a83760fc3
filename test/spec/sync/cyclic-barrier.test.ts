import assert from "node:assert/strict"
import { test } from "node:test"
import { CyclicBarrier, Thread } from "corepool"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { type Call, Task, tasks, thread, timeLimit } from "../lock/support.ts"

/** So many tasks that have arrived and wait. */
function waitingAt(barrier: CyclicBarrier, count: number): Promise<Call<number>[]> {
  return Promise.all(tasks(count).map((task) => task.waitIn(() => barrier.await())))
}

test("[CB1] it is for one or more", () => {
  for (const parties of [1, 2, 65_535]) assert.equal(new CyclicBarrier(parties).parties, parties)
  for (const wrong of [0, -1, 0.5, Number.NaN, 65_536, 2 ** 31]) {
    assert.throws(() => new CyclicBarrier(wrong), {
      name: "RangeError",
      message: /^Expected `parties` to be an integer /,
    })
    assert.throws(() => new CyclicBarrier(wrong, () => 0), { name: "RangeError" })
  }
  for (const wrong of ["1", undefined, null, {}]) {
    assert.throws(() => new CyclicBarrier(wrong as number), { name: "TypeError", message: /`parties`/ })
  }
})

test("[CB1] an action is a function", () => {
  for (const wrong of [null, 1, {}, { run: () => 0 }]) {
    assert.throws(() => new CyclicBarrier(1, wrong as () => void), {
      name: "TypeError",
      message: /^Expected `action` to be a function, got /,
    })
  }
})

test("[CB2] all go on when the last one comes, and learn in which order they came", async () => {
  const barrier = new CyclicBarrier(3)
  const calls = await waitingAt(barrier, 2)
  assert.equal(await barrier.await(), 0)
  assert.equal(await calls[0]?.ends(), 2)
  assert.equal(await calls[1]?.ends(), 1)
})

test("[CB3] the next round begins at once", async () => {
  const barrier = new CyclicBarrier(2)
  for (let round = 0; round < 4; round++) {
    const [call] = await waitingAt(barrier, 1)
    assert.equal(await barrier.await(round % 2 === 0 ? undefined : 60_000), 0)
    assert.equal(await call?.ends(), 1)
    assert.equal(barrier.isBroken, false)
  }
})

test("[CB3] with one party nobody waits", async () => {
  let runs = 0
  const barrier = new CyclicBarrier(1, () => runs++)
  assert.equal(await barrier.await(), 0)
  assert.equal(await barrier.await(0), 0)
  assert.equal(barrier.awaitSync(), 0)
  assert.equal(barrier.awaitSync(0), 0)
  assert.equal(runs, 4)
})

test("[CB4] the last one runs the action, once, before anybody goes on", async () => {
  const events: string[] = []
  const barrier: CyclicBarrier = new CyclicBarrier(3, () => events.push(`action with ${barrier.numberWaiting}`))
  for (let round = 0; round < 2; round++) {
    const calls = ["a", "b", "c"].map((name) => new Task().call(() => barrier.await().then(() => events.push(name))))
    for (const call of calls) await call.ends()
    assert.deepEqual([events[0], events.slice(1).toSorted()], ["action with 3", ["a", "b", "c"]])
    events.length = 0
  }
})

test("[CB4] it is the task of the last one that runs the action", async () => {
  const names: string[] = []
  const barrier = new CyclicBarrier(2, () => names.push(Thread.currentThread().name))
  for (const order of [
    ["a", "b"],
    ["b", "a"],
  ]) {
    const threads = order.map((name) => thread(() => barrier.await(), name))
    for (const each of threads) {
      each.start()
      await turns(1)
    }
    for (const each of threads) await each.join()
  }
  assert.deepEqual(names, ["b", "a"])
})

test("[CB5] a promise that the action returns is awaited before anybody goes on", async () => {
  let finish: () => void = () => undefined
  let over = false
  const barrier = new CyclicBarrier(2, async () => {
    await new Promise<void>((resolve) => (finish = resolve))
    await turns(2)
    over = true
  })
  const [call] = await waitingAt(barrier, 1)
  const last = await new Task().waitIn(() => barrier.await())
  await call?.waits()
  finish()
  await eventually(() => !last.isPending)
  assert.equal(over, true)
  assert.equal(await last.ends(), 0)
  assert.equal(await call?.ends(), 1)
})

for (const [what, action] of [
  [
    "throws",
    () => {
      throw new Error("action")
    },
  ],
  ["rejects", () => Promise.reject(new Error("action"))],
] as const) {
  test(`[CB6] an action that ${what} breaks the barrier`, async () => {
    const barrier = new CyclicBarrier(3, action)
    const calls = await waitingAt(barrier, 2)
    const error = await rejectionOf(barrier.await())
    assert.equal((error as Error).message, "action")
    for (const call of calls) await call.failsWith("BrokenBarrierError")
    assert.equal(barrier.isBroken, true)
    assert.equal(barrier.numberWaiting, 0)
    await new Task().call(() => barrier.await()).failsWith("BrokenBarrierError")
    barrier.reset()
    const again = await waitingAt(barrier, 2)
    assert.equal(((await rejectionOf(barrier.await())) as Error).message, "action")
    for (const call of again) await call.failsWith("BrokenBarrierError")
  })
}

test("[CB6] awaitSync, too, lets the error of the action through", async () => {
  const barrier = new CyclicBarrier(2, () => {
    throw new Error("action")
  })
  const [call] = await waitingAt(barrier, 1)
  assert.throws(() => barrier.awaitSync(), { message: "action" })
  await call?.failsWith("BrokenBarrierError")
})

test("[CB7] nobody can await the promise of an action in awaitSync", async () => {
  const barrier = new CyclicBarrier(2, async () => undefined)
  const [call] = await waitingAt(barrier, 1)
  assert.throws(() => barrier.awaitSync(), {
    name: "IllegalStateError",
    message:
      /^The action of the barrier returned a promise, and a thread that is blocked in awaitSync\(\) cannot await it/,
  })
  await call?.failsWith("BrokenBarrierError")
  assert.equal(barrier.isBroken, true)
})

/** In ms: not over before both have come, also on a machine that has much else to do. */
const LIMIT = 200

/** A barrier for two whose action is running, and stays so until it is told to end. */
async function inAction(end: "succeed" | "fail" = "succeed") {
  let finish: () => void = () => undefined
  const barrier = new CyclicBarrier(2, () =>
    new Promise<void>((resolve) => (finish = resolve)).then(() => {
      if (end === "fail") throw new Error("action")
    }),
  )
  const task = new Task()
  const controller = new AbortController()
  // Both come in the same turn: before that is over, no timer can fire.
  const first = task.call(() => barrier.await({ timeout: LIMIT, signal: controller.signal }))
  const last = new Task().call(() => barrier.await())
  await turns(2)
  return { barrier, task, controller, first, last, finish: () => finish() }
}

test("[CB8] who comes while the action runs belongs to the next round", async () => {
  const { barrier, first, last, finish } = await inAction()
  const [third, fourth] = tasks(2).map((task) => task.call(() => barrier.await()))
  await third?.waits()
  await fourth?.waits()
  assert.equal(barrier.numberWaiting, 2) // they are not among these
  finish()
  assert.equal(await last.ends(), 0)
  assert.equal(await first.ends(), 1)
  finish() // the action of the next round
  assert.deepEqual(new Set([await third?.ends(), await fourth?.ends()]), new Set([0, 1]))
})

test("[CB8] a thousand may come while the action runs", async () => {
  const { barrier, finish } = await inAction()
  const later = Array.from({ length: 1000 }, () => barrier.await())
  const ends = setInterval(finish)
  const indexes = await Promise.all(later)
  clearInterval(ends)
  assert.equal(indexes.filter((index) => index === 0).length, 500)
})

test("[CB9] while the action runs neither time nor interrupt nor signal ends the wait", async () => {
  const { barrier, task, controller, first, last, finish } = await inAction()
  const limit = timeLimit(LIMIT) // its time began before
  await eventually(() => limit.isOver)
  await turns()
  task.interrupt()
  controller.abort()
  await first.waits()
  assert.equal(barrier.isBroken, false)
  finish()
  assert.equal(await last.ends(), 0)
  assert.equal(await first.ends(), 1)
  assert.equal(barrier.isBroken, false)
})

test("[CB9] who was interrupted meanwhile has its flag raised", async () => {
  for (const end of ["succeed", "fail"] as const) {
    const { barrier, task, first, last, finish } = await inAction(end)
    task.interrupt()
    await first.waits()
    finish()
    if (end === "succeed") await first.ends()
    else await first.failsWith("BrokenBarrierError")
    assert.equal(task.isInterrupted, true)
    assert.equal(last.isPending, false)
    assert.equal(barrier.isBroken, end === "fail")
  }
})

test("[CB10] of more tasks than parties all go on", async () => {
  let rounds = 0
  const barrier = new CyclicBarrier(4, () => rounds++)
  const indexes = await Promise.all(Array.from({ length: 40 }, () => new Task().flow.run(() => barrier.await())))
  assert.equal(rounds, 10)
  for (let index = 0; index < 4; index++) assert.equal(indexes.filter((found) => found === index).length, 10)
})

test("[CB11] it can be seen how many wait", async () => {
  const barrier = new CyclicBarrier(3)
  assert.match(String(barrier), /^CyclicBarrier@\d+\[Parties = 3, Waiting = 0\]$/)
  for (const count of [1, 2]) {
    await waitingAt(barrier, 1)
    assert.equal(barrier.numberWaiting, count)
    assert.ok(String(barrier).endsWith(`[Parties = 3, Waiting = ${count}]`))
  }
  await barrier.await()
  assert.equal(barrier.numberWaiting, 0)
  await rejectionOf(barrier.await(0))
  assert.ok(String(barrier).endsWith("[Parties = 3, Waiting = 0, broken]"))
})

test("[CB12] ten thousand tasks meet", async () => {
  const barrier = new CyclicBarrier(10_000)
  const indexes = await Promise.all(Array.from({ length: 10_000 }, () => barrier.await()))
  assert.equal(new Set(indexes).size, 10_000)
})

test("[CB25] a thread that nobody could wake is not blocked, and has not arrived", async () => {
  const barrier = new CyclicBarrier(2)
  assert.throws(() => barrier.awaitSync(), {
    name: "IllegalStateError",
    message: /^This thread would block for ever: only its own flows know the barrier/,
  })
  assert.equal(barrier.isBroken, false)
  assert.equal(barrier.numberWaiting, 0)
  const [call] = await waitingAt(barrier, 1)
  assert.equal(barrier.awaitSync(), 0)
  await call?.ends()
})

test("[CB25] nor is one in which the action runs", async () => {
  const { barrier, first, finish } = await inAction()
  for (const ms of [undefined, 1, Infinity]) {
    assert.throws(() => barrier.awaitSync(ms), {
      name: "IllegalStateError",
      message: /^This thread would block for ever: it runs the action of the barrier/,
    })
  }
  finish()
  await first.ends()
  assert.equal(barrier.isBroken, false)
})
