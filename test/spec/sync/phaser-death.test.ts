/** Phasers and the death of threads. */
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually } from "../../support/harness.ts"
import { requireTermination } from "../../support/termination.ts"
import { Workers } from "../../support/workers.ts"
import { countsOf, waitersOf } from "./phaser-support.ts"

const MODULE = new URL("phaser.workers.js", import.meta.url)
const TERMINATED = -(2 ** 31)

test("[PH39] those who wait in a thread that dies are forgotten, and their parties remain", async () => {
  for (const way of ["arriveAndAwaitAdvance", "arriveAndAwaitAdvanceSync"]) {
    await using workers = new Workers()
    const phaser = new Phaser(3)
    const doomed = workers.run(MODULE, "wait", phaser, way, 0)
    await eventually(() => waitersOf(phaser) === 1)
    const survivor = workers.run(MODULE, "wait", phaser, way, 0)
    await eventually(() => waitersOf(phaser) === 2)
    await doomed.kill()
    assert.equal(phaser.arrivedParties, 2)
    assert.equal(await phaser.arriveAndAwaitAdvance(), 1)
    assert.equal(await survivor.result, 1)
    assert.deepEqual(countsOf(phaser), { phase: 1, registered: 3, arrived: 0, unarrived: 3 })
    phaser.arrive()
    phaser.arriveAndDeregister() // in the place of the dead
    assert.equal(await phaser.arriveAndAwaitAdvance(), 2)
  }
})

test("[PH40] if a thread dies in onAdvance, the phaser is terminated and all who wait go on", async () => {
  await requireTermination()
  for (const tiers of [false, true]) {
    await using workers = new Workers()
    const root = new Phaser(tiers ? 1 : 3)
    const leaf = tiers ? new Phaser(root, 2) : root
    const awaiting = root.awaitAdvance(0)
    const blocked = workers.run(MODULE, "wait", root, "arriveAndAwaitAdvanceSync", 0)
    const leafBlocked = workers.run(MODULE, "wait", leaf, "arriveAndAwaitAdvanceSync", 0)
    await eventually(() => waitersOf(root) === 3)
    const doomed = workers.run(MODULE, "arriveForEver", leaf)
    await doomed.heard("advancing")
    const registering = workers.run(MODULE, "register", leaf)
    await eventually(() => waitersOf(root) === 4)
    await doomed.kill()
    assert.equal(await awaiting, TERMINATED)
    for (const { result } of [blocked, leafBlocked, registering]) assert.equal(await result, TERMINATED)
    assert.equal(root.isTerminated, true)
  }
})

test("[PH40] whoever comes later finds it terminated", async () => {
  await requireTermination()
  for (const call of [
    (phaser: Phaser) => phaser.arrive(),
    (phaser: Phaser) => phaser.register(),
    (phaser: Phaser) => phaser.awaitAdvance(0),
    (phaser: Phaser) => phaser.awaitAdvanceSync(0),
  ]) {
    await using workers = new Workers()
    const phaser = new Phaser(1)
    const doomed = workers.run(MODULE, "arriveForEver", phaser)
    await doomed.heard("advancing")
    await doomed.kill()
    assert.equal(await call(phaser), TERMINATED)
  }
})
