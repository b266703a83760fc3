/** Trees of phasers. */
import { Phaser } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { type Task, tasks } from "../lock/support.ts"
import { countsOf } from "./phaser-support.ts"

const TERMINATED = -(2 ** 31)

test("[PH30] a child has its parent and the root", () => {
  const root = new Phaser(1)
  const middle = new Phaser(root)
  const leaf = new Phaser(middle, 2)
  assert.equal(middle.parent, root)
  assert.equal(leaf.parent, middle)
  assert.equal(leaf.root, root)
  assert.equal(middle.root, root)
})

test("[PH30] all phasers of a tree have the same phase, those without parties too", () => {
  const root = new Phaser(1)
  const empty = new Phaser(root)
  const child = new Phaser(root, 1)
  const phases = (): number[] => [root, empty, child].map(({ phase }) => phase)
  for (let phase = 0; phase < 5; phase++) {
    assert.deepEqual(phases(), [phase, phase, phase])
    assert.equal(child.arrive(), phase)
    assert.deepEqual(phases(), [phase, phase, phase])
    assert.equal(root.arrive(), phase)
  }
  assert.equal(new Phaser(root).phase, 5)
  assert.equal(new Phaser(root, 1).arrive(), 5)
})

test("[PH31] a child is a party of its parent from its first party to its last", () => {
  const root = new Phaser(1)
  const child = new Phaser(root)
  assert.equal(root.registeredParties, 1)
  child.register()
  assert.deepEqual(countsOf(root), { phase: 0, registered: 2, arrived: 0, unarrived: 2 })
  child.bulkRegister(5)
  assert.equal(root.registeredParties, 2)
  for (let left = 6; left > 1; left--) child.arriveAndDeregister()
  assert.equal(root.registeredParties, 2)
  assert.equal(child.arriveAndDeregister(), 0)
  assert.deepEqual(countsOf(root), { phase: 0, registered: 1, arrived: 0, unarrived: 1 })
  assert.deepEqual(countsOf(child), { phase: 0, registered: 0, arrived: 0, unarrived: 0 })
})

test("[PH31] a child that has become empty registers anew, also beside another that is not", () => {
  const root = new Phaser()
  const [one, other] = [new Phaser(root, 1), new Phaser(root, 1)]
  one.arriveAndDeregister()
  assert.equal(root.registeredParties, 1)
  assert.equal(one.register(), 0)
  assert.equal(root.registeredParties, 2)
  one.arrive()
  assert.equal(root.phase, 0)
  other.arrive()
  assert.equal(root.phase, 1)
  other.arriveAndDeregister()
  one.arriveAndDeregister()
  assert.equal(root.isTerminated, true)
})

test("[PH31] on several tiers", () => {
  const root = new Phaser(1)
  const leaf = new Phaser(new Phaser(new Phaser(root)))
  leaf.register()
  assert.equal(leaf.parent?.registeredParties, 1)
  assert.equal(leaf.parent?.parent?.registeredParties, 1)
  assert.equal(root.registeredParties, 2)
  leaf.arriveAndDeregister()
  assert.equal(leaf.parent?.registeredParties, 0)
  assert.equal(root.registeredParties, 1)
})

test("[PH32] a child arrives at its parent when all its parties have", () => {
  const root = new Phaser(1)
  const child = new Phaser(root, 2)
  child.arrive()
  assert.equal(root.arrivedParties, 0)
  child.arrive()
  assert.equal(root.arrivedParties, 1)
  assert.deepEqual(countsOf(child), { phase: 0, registered: 2, arrived: 2, unarrived: 0 })
  root.arrive()
  assert.deepEqual(countsOf(child), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
})

test("[PH32] who waits anywhere in the tree waits for all", async () => {
  const root = new Phaser(1)
  const [one, other, empty] = [new Phaser(root, 2), new Phaser(root, 1), new Phaser(root)]
  const [a, b, c, d] = tasks(4) as [Task, Task, Task, Task]
  const calls = [
    await a.waitIn(() => one.arriveAndAwaitAdvance()),
    await b.waitIn(() => empty.awaitAdvance(0)),
    await c.waitIn(() => root.awaitAdvance(0)),
    await d.waitIn(() => other.arriveAndAwaitAdvance()),
  ]
  root.arrive()
  for (const call of calls) await call.waits()
  one.arrive()
  for (const call of calls) assert.equal(await call.ends(), 1)
})

test("[PH8][PH32] an arrival too many at a child that has arrived is refused", () => {
  const root = new Phaser(1)
  const child = new Phaser(root, 2)
  child.arrive()
  child.arrive()
  assert.throws(() => child.arrive(), { name: "IllegalStateError", message: /2 are registered, and all have arrived/ })
  assert.throws(() => child.arriveAndDeregister(), { name: "IllegalStateError" })
  assert.equal(root.arrivedParties, 1)
})

test("[PH33] when the last party leaves, the whole tree is terminated", () => {
  const root = new Phaser()
  const middle = new Phaser(root)
  const leaf = new Phaser(middle, 1)
  assert.equal(leaf.arriveAndDeregister(), 0)
  for (const phaser of [root, middle, leaf]) {
    assert.deepEqual(countsOf(phaser), { phase: TERMINATED + 1, registered: 0, arrived: 0, unarrived: 0 })
  }
})

test("[PH33] a parent with other parties loses just one", () => {
  const root = new Phaser()
  const child = new Phaser(root, 1)
  root.register()
  child.arriveAndDeregister()
  assert.equal(root.isTerminated, false)
  assert.deepEqual(countsOf(root), { phase: 0, registered: 1, arrived: 0, unarrived: 1 })
})

test("[PH34] a tree is terminated by any of its phasers", async () => {
  const root = new Phaser(2)
  const [one, other] = [new Phaser(root, 1), new Phaser(root, 1)]
  const [task] = tasks(1) as [Task]
  const call = await task.waitIn(() => one.arriveAndAwaitAdvance())
  other.forceTermination()
  assert.equal(await call.ends(), TERMINATED)
  assert.deepEqual([root.phase, one.phase, other.phase], [TERMINATED, TERMINATED, TERMINATED])
  assert.equal(one.register(), TERMINATED)
})

test("[PH34] a child of a terminated parent is terminated", () => {
  const root = new Phaser(1)
  root.arriveAndDeregister()
  const child = new Phaser(root, 3)
  assert.equal(child.isTerminated, true)
  assert.equal(child.registeredParties, 3)
  assert.equal(child.arrive(), TERMINATED + 1)
  assert.equal(new Phaser(root).register(), TERMINATED + 1)
})

test("[PH35] who registers with a child that has arrived has to arrive in this phase too", () => {
  const root = new Phaser(1)
  const child = new Phaser(root, 1)
  child.arrive()
  assert.equal(child.register(), 0)
  assert.deepEqual(countsOf(child), { phase: 0, registered: 2, arrived: 1, unarrived: 1 })
  assert.deepEqual(countsOf(root), { phase: 0, registered: 3, arrived: 1, unarrived: 2 })
  root.arrive()
  assert.equal(root.phase, 0)
  assert.equal(child.arrive(), 0)
  assert.deepEqual(countsOf(root), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
  assert.deepEqual(countsOf(child), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
})

test("[PH35] several times in a phase, and leaving again", () => {
  const root = new Phaser(1)
  const child = new Phaser(root, 1)
  child.arrive()
  for (let times = 0; times < 3; times++) {
    child.bulkRegister(2)
    child.arriveAndDeregister()
    assert.equal(root.unarrivedParties, 2)
    child.arriveAndDeregister()
    assert.deepEqual(countsOf(root), { phase: 0, registered: 2, arrived: 1, unarrived: 1 })
    assert.deepEqual(countsOf(child), { phase: 0, registered: 1, arrived: 1, unarrived: 0 })
  }
  root.arrive()
  assert.deepEqual(countsOf(root), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
  assert.deepEqual(countsOf(child), { phase: 1, registered: 1, arrived: 0, unarrived: 1 })
})

test("[PH35] on several tiers", () => {
  const root = new Phaser(1)
  const middle = new Phaser(root)
  const leaf = new Phaser(middle, 1)
  leaf.arrive()
  assert.equal(middle.unarrivedParties, 0)
  leaf.register()
  assert.deepEqual(countsOf(middle), { phase: 0, registered: 2, arrived: 1, unarrived: 1 })
  assert.deepEqual(countsOf(root), { phase: 0, registered: 3, arrived: 1, unarrived: 2 })
  leaf.arrive()
  assert.deepEqual(countsOf(middle), { phase: 0, registered: 1, arrived: 1, unarrived: 0 })
  root.arrive()
  assert.deepEqual([root, middle, leaf].map(countsOf), [
    { phase: 1, registered: 2, arrived: 0, unarrived: 2 },
    { phase: 1, registered: 1, arrived: 0, unarrived: 1 },
    { phase: 1, registered: 2, arrived: 0, unarrived: 2 },
  ])
})
