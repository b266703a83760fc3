/** The end of a phase, and of a phaser. */
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { tasks } from "../lock/support.ts"
import { countsOf, Recorded } from "./phaser-support.ts"

const TERMINATED = -(2 ** 31)

test("[PH12] onAdvance is called once for each phase, with its number and the parties of the next", () => {
  const phaser = new Recorded(2)
  phaser.arrive()
  assert.deepEqual(phaser.calls, [])
  phaser.arrive()
  assert.deepEqual(phaser.calls, [[0, 2]])
  phaser.register()
  phaser.arriveAndDeregister()
  phaser.arriveAndDeregister()
  phaser.arrive()
  phaser.arriveAndDeregister()
  assert.deepEqual(phaser.calls, [
    [0, 2],
    [1, 1],
    [2, 0],
  ])
})

test("[PH12] it is called before anybody goes on, and while the phase is still the old one", async () => {
  const events: string[] = []
  const phaser = new Recorded(2).answer((phase) => {
    events.push(`onAdvance in ${phase}, ${String(countsOf(phaser).phase)}`)
    return false
  })
  const [waiter] = tasks(1)
  const call = waiter?.call(() => phaser.arriveAndAwaitAdvance().then((phase) => events.push(`waiter in ${phase}`)))
  await call?.waits()
  phaser.arrive()
  await call?.ends()
  assert.deepEqual(events, ["onAdvance in 0, 0", "waiter in 1"])
})

test("[PH12] only that of the root is called", () => {
  const root = new Recorded()
  const child = new Recorded(root, 2)
  child.arrive()
  child.arrive()
  assert.deepEqual(root.calls, [[0, 1]])
  assert.deepEqual(child.calls, [])
})

test("[PH13] without parties it is terminated by default", () => {
  const phaser = new Phaser(2)
  assert.equal(phaser.arriveAndDeregister(), 0)
  assert.equal(phaser.isTerminated, false)
  assert.equal(phaser.arriveAndDeregister(), 0)
  assert.equal(phaser.isTerminated, true)
  assert.deepEqual(countsOf(phaser), { phase: TERMINATED + 1, registered: 0, arrived: 0, unarrived: 0 })
})

test("[PH13] a subclass may keep it without parties, and parties can be registered again", () => {
  const phaser = new Recorded(1)
  phaser.arriveAndDeregister()
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 0, arrived: 0, unarrived: 0 })
  assert.throws(() => phaser.arrive(), { name: "IllegalStateError" })
  assert.equal(phaser.bulkRegister(2), 1)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
  phaser.arrive()
  assert.equal(phaser.arrive(), 1)
  assert.equal(phaser.phase, 2)
})

test("[PH14] true terminates it in the phase that would have come next", () => {
  const phaser = new Recorded(1).answer((phase) => phase === 3)
  for (let phase = 0; phase < 4; phase++) assert.equal(phaser.arrive(), phase)
  assert.equal(phaser.phase, TERMINATED + 4)
  assert.equal(phaser.registeredParties, 1)
  assert.equal(phaser.calls.length, 4)
})

test("[PH15] if it throws, the last to arrive gets the error and the phaser is terminated", async () => {
  const error = new Error("mine")
  const fails = (): never => {
    throw error
  }
  const phaser = new Recorded(2).answer(fails)
  const [waiter] = tasks(1)
  const call = waiter?.call(() => phaser.arriveAndAwaitAdvance())
  await call?.waits()
  assert.equal(
    thrownBy(() => phaser.arrive()),
    error,
  )
  assert.equal(await call?.ends(), TERMINATED)
  assert.equal(phaser.arrive(), TERMINATED)
  assert.equal(await rejectionOf(new Recorded(1).answer(fails).arriveAndAwaitAdvance()), error)
})

test("[PH15] the error passes through the tiers", () => {
  const error = new Error("mine")
  const root = new Recorded().answer(() => {
    throw error
  })
  const leaf = new Phaser(new Phaser(root), 1)
  assert.equal(
    thrownBy(() => leaf.arrive()),
    error,
  )
  assert.equal(leaf.isTerminated, true)
})

test("[PH15] anything but a boolean is an error too", () => {
  for (const answer of [undefined, 0, Promise.resolve(false)]) {
    const phaser = new Recorded(1).answer(() => answer)
    assert.throws(() => phaser.arrive(), { name: "TypeError", message: /result of onAdvance/ })
    assert.equal(phaser.phase, TERMINATED)
  }
})

test("[PH16] within onAdvance all have arrived, and nobody can arrive or register", () => {
  let refused = 0
  const phaser = new Recorded(3).answer((_, parties) => {
    assert.deepEqual(countsOf(phaser), { phase: 0, registered: parties, arrived: parties, unarrived: 0 })
    const calls = [
      () => phaser.arrive(),
      () => phaser.arriveAndDeregister(),
      () => phaser.register(),
      () => phaser.bulkRegister(2),
      () => phaser.awaitAdvanceSync(0),
      () => phaser.awaitAdvanceInterruptiblySync(0),
      () => phaser.arriveAndAwaitAdvanceSync(),
    ]
    for (const call of calls) {
      assert.throws(call, { name: "IllegalStateError" })
      refused++
    }
    return false
  })
  phaser.arrive()
  phaser.arriveAndDeregister()
  phaser.arrive()
  assert.equal(refused, 7)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
})

test("[PH16] that holds for the children too", () => {
  let refused = 0
  const root = new Recorded().answer(() => {
    for (const call of [() => child.arrive(), () => child.register(), () => other.register()]) {
      assert.throws(call, { name: "IllegalStateError" })
      refused++
    }
    return false
  })
  const child = new Phaser(root, 1)
  const other = new Phaser(root)
  assert.equal(child.arrive(), 0)
  assert.equal(refused, 3)
  assert.deepEqual(countsOf(root), { phase: 1, registered: 1, arrived: 0, unarrived: 1 })
  assert.deepEqual(countsOf(child), { phase: 1, registered: 1, arrived: 0, unarrived: 1 })
})

test("[PH16] one can begin to await the end of the phase", async () => {
  let next: Promise<number> | undefined
  const phaser = new Recorded(1).answer((phase) => {
    if (phase === 0) next = phaser.awaitAdvance(0)
    return false
  })
  phaser.arrive()
  assert.equal(await next, 1)
})

test("[PH17] forceTermination lets everybody go, and has no effect the second time", async () => {
  const phaser = new Phaser(3)
  phaser.arrive()
  phaser.arrive()
  phaser.arrive()
  phaser.arrive()
  const calls = tasks(3).map((task, index) =>
    task.call(() => (index === 0 ? phaser.arriveAndAwaitAdvance() : phaser.awaitAdvance(1))),
  )
  for (const call of calls) await call.waits()
  phaser.forceTermination()
  for (const call of calls) assert.equal(await call.ends(), TERMINATED + 1)
  assert.deepEqual(countsOf(phaser), { phase: TERMINATED + 1, registered: 3, arrived: 2, unarrived: 1 })
  phaser.forceTermination()
  assert.equal(phaser.phase, TERMINATED + 1)
})

test("[PH17] it may be called within onAdvance", () => {
  const phaser = new Recorded(1).answer(() => {
    phaser.forceTermination()
    return false
  })
  assert.equal(phaser.arrive(), 0)
  assert.equal(phaser.phase, TERMINATED)
})

test("[PH18] when terminated, everything returns the negative phase and has no effect", async () => {
  const phaser = new Phaser(1)
  phaser.arrive()
  phaser.forceTermination()
  const end = TERMINATED + 1
  const before = countsOf(phaser)
  assert.equal(before.phase, end)
  assert.equal(phaser.isTerminated, true)
  assert.deepEqual(
    [
      phaser.register(),
      phaser.bulkRegister(3),
      phaser.bulkRegister(0),
      phaser.arrive(),
      phaser.arriveAndDeregister(),
      phaser.arriveAndAwaitAdvanceSync(),
      phaser.awaitAdvanceSync(0),
      phaser.awaitAdvanceSync(1),
      phaser.awaitAdvanceInterruptiblySync(1),
      await phaser.arriveAndAwaitAdvance(),
      await phaser.awaitAdvance(1),
      await phaser.awaitAdvanceInterruptibly(1),
    ],
    Array.from({ length: 12 }, () => end),
  )
  assert.deepEqual(countsOf(phaser), before)
})

test("[PH18][PH4] too many parties are refused even then", () => {
  const phaser = new Phaser(1)
  phaser.forceTermination()
  assert.throws(() => phaser.bulkRegister(65_535), { name: "IllegalStateError" })
})
