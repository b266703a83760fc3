/** Registering and arriving, where nobody has to wait. */
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { countsOf, phaserIn } from "./phaser-support.ts"

const MOST = 65_535

test("[PH1] a new phaser is in phase 0, without parties unless told, and its own root", () => {
  const empty = new Phaser()
  assert.deepEqual(countsOf(empty), { phase: 0, registered: 0, arrived: 0, unarrived: 0 })
  assert.equal(empty.parent, undefined)
  assert.equal(empty.root, empty)
  assert.equal(empty.isTerminated, false)
  assert.deepEqual(countsOf(new Phaser(3)), { phase: 0, registered: 3, arrived: 0, unarrived: 3 })
  assert.deepEqual(countsOf(new Phaser(undefined, 2)), { phase: 0, registered: 2, arrived: 0, unarrived: 2 })
})

test("[PH2] it takes up to 65,535 parties", () => {
  assert.equal(new Phaser(MOST).unarrivedParties, MOST)
  for (const parties of [-1, MOST + 1, 0.5, NaN, 2 ** 31]) {
    assert.throws(() => new Phaser(parties), { name: "RangeError", message: /^Expected `parties` to be an integer/ })
    assert.throws(() => new Phaser(new Phaser(), parties), RangeError)
  }
  assert.throws(() => new Phaser(new Phaser(), "1" as unknown as number), TypeError)
})

test("[PH3] register adds a party that is yet to arrive", () => {
  const phaser = new Phaser()
  assert.equal(phaser.register(), 0)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 1, arrived: 0, unarrived: 1 })
  phaser.arrive()
  assert.equal(phaser.register(), 1)
  assert.equal(phaser.arrive(), 1)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 2, arrived: 1, unarrived: 1 })
})

test("[PH3] bulkRegister adds so many, and 0 changes nothing", () => {
  const phaser = new Phaser(1)
  assert.equal(phaser.bulkRegister(0), 0)
  assert.equal(phaser.bulkRegister(20), 0)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 21, arrived: 0, unarrived: 21 })
})

test("[PH4] no more than 65,535 parties are registered", () => {
  const phaser = new Phaser(MOST)
  phaser.arrive()
  for (const registration of [() => phaser.register(), () => phaser.bulkRegister(MOST)]) {
    assert.throws(registration, { name: "IllegalStateError", message: /at most 65535 parties/ })
  }
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: MOST, arrived: 1, unarrived: MOST - 1 })
  const empty = new Phaser()
  assert.throws(() => empty.bulkRegister(MOST + 1), { name: "IllegalStateError" })
  assert.equal(empty.bulkRegister(MOST), 0)
})

test("[PH4] a number of parties is an integer and not negative", () => {
  const phaser = new Phaser(1)
  for (const parties of [-1, 0.5, NaN]) assert.throws(() => phaser.bulkRegister(parties), RangeError)
  assert.throws(() => phaser.bulkRegister("1" as unknown as number), TypeError)
  assert.equal(phaser.registeredParties, 1)
})

test("[PH5] arrive returns the phase and does not wait", () => {
  const phaser = new Phaser(3)
  assert.equal(phaser.arrive(), 0)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 3, arrived: 1, unarrived: 2 })
  assert.equal(phaser.arrive(), 0)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 3, arrived: 2, unarrived: 1 })
})

test("[PH6] arriveAndDeregister is an arrival and leaves one party less", () => {
  const phaser = new Phaser(3)
  assert.equal(phaser.arriveAndDeregister(), 0)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 2, arrived: 0, unarrived: 2 })
  phaser.arrive()
  assert.equal(phaser.arriveAndDeregister(), 0)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 1, arrived: 0, unarrived: 1 })
})

test("[PH7] each full set of arrivals is a phase", () => {
  const phaser = new Phaser(2)
  for (let phase = 0; phase < 20; phase++) {
    assert.equal(phaser.arrive(), phase)
    assert.equal(phaser.phase, phase)
    assert.equal(phaser.arrive(), phase)
    assert.deepEqual(countsOf(phaser), { phase: phase + 1, registered: 2, arrived: 0, unarrived: 2 })
  }
})

test("[PH7] a party that registers in a phase has to arrive in it too", () => {
  const phaser = new Phaser(1)
  phaser.register()
  phaser.arrive()
  assert.equal(phaser.phase, 0)
  phaser.arrive()
  assert.equal(phaser.phase, 1)
})

test("[PH8] nobody can arrive where no party is registered", () => {
  const phaser = new Phaser()
  for (const arrival of [() => phaser.arrive(), () => phaser.arriveAndDeregister()]) {
    assert.throws(arrival, { name: "IllegalStateError", message: /no party left that could arrive: 0 are registered/ })
  }
  assert.throws(() => phaser.arriveAndAwaitAdvanceSync(0), { name: "IllegalStateError" })
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 0, arrived: 0, unarrived: 0 })
})

test("[PH8] an asynchronous arrival that is one too many is rejected", async () => {
  const phaser = new Phaser()
  await assert.rejects(phaser.arriveAndAwaitAdvance(), { name: "IllegalStateError" })
})

test("[PH9] after phase 2³¹ − 1 comes phase 0", () => {
  const last = 2 ** 31 - 1
  const phaser = phaserIn(last - 1, 1)
  assert.equal(phaser.arrive(), last - 1)
  assert.equal(phaser.phase, last)
  assert.equal(phaser.isTerminated, false)
  assert.equal(phaser.arrive(), last)
  assert.deepEqual(countsOf(phaser), { phase: 0, registered: 1, arrived: 0, unarrived: 1 })
})

test("[PH9][PH18] the last phase has a number of its own when it is terminated", () => {
  const phaser = phaserIn(2 ** 31 - 1, 1)
  phaser.forceTermination()
  assert.equal(phaser.phase, -1)
  const next = phaserIn(2 ** 31 - 1, 1)
  next.arriveAndDeregister()
  assert.equal(next.phase, -(2 ** 31))
})

test("[PH10] as a string it tells its phase, parties and arrivals", () => {
  const phaser = new Phaser(3)
  phaser.arrive()
  assert.match(String(phaser), /^Phaser@\d+\[phase = 0 parties = 3 arrived = 1\]$/)
  phaser.forceTermination()
  assert.match(String(phaser), /^Phaser@\d+\[phase = -2147483648 parties = 3 arrived = 1\]$/)
  class Mine extends Phaser {}
  assert.match(String(new Mine()), /^Mine@\d+\[phase = 0 parties = 0 arrived = 0\]$/)
})
