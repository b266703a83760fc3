/** Phasers between threads. */
import { AtomicInteger } from "#src/atomic/index.js"
import type { Shared } from "#src/memory/shared/shared-memory.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { Phaser, Semaphore } from "#src/sync/index.js"
import assert from "node:assert/strict"
import test from "node:test"
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads"
import { eventually, turns } from "../../support/harness.ts"
import { STRESS } from "../../support/stress.ts"
import { Workers } from "../../support/workers.ts"
import { countsOf, Recorded, waitersOf } from "./phaser-support.ts"

const MODULE = new URL("phaser.workers.js", import.meta.url)
const TERMINATED = -(2 ** 31)

function posted<T>(message: T): T {
  const { port1, port2 } = new MessageChannel()
  port1.postMessage(message)
  const received = receiveMessageOnPort(port2)
  port1.close()
  return (received as { message: T }).message
}

test("[PH36] posted to another thread it is the same phaser, and its parents come along", async () => {
  await using workers = new Workers()
  const root = new Phaser(1)
  const child = new Phaser(root, 3)
  child.arrive()
  const counts = [countsOf(child), countsOf(root)]
  for (const sent of [child, child.handle]) {
    assert.deepEqual(await workers.run(MODULE, "look", sent).result, counts)
  }
  assert.equal(await workers.run(MODULE, "register", child).result, 0)
  assert.equal(await workers.run(MODULE, "arrive", child).result, 0)
  assert.deepEqual(countsOf(child), { phase: 0, registered: 4, arrived: 2, unarrived: 2 })
  child.arrive()
  assert.equal(await workers.run(MODULE, "arrive", child).result, 0)
  assert.equal(await workers.run(MODULE, "arrive", root).result, 0)
  assert.deepEqual([child.phase, root.phase], [1, 1])
})

test("[PH36] opened in the same thread it is the same, and not a child", () => {
  const phaser = new Phaser(new Phaser(), 2)
  for (const shared of [phaser, phaser.handle, posted(phaser), posted({ deep: [phaser] }).deep[0] as Shared]) {
    const same = Phaser.from(shared)
    assert.deepEqual(countsOf(same), countsOf(phaser))
    assert.equal(same.register(), phaser.phase)
    assert.equal(same.registeredParties, phaser.registeredParties)
    assert.equal(same.root.registeredParties, 1)
  }
  assert.equal(phaser.registeredParties, 6)
})

test("[PH36] anything else is refused", () => {
  for (const wrong of [new Semaphore(1), {}, undefined, null, 5, "x", { handle: 5 }] as Shared[]) {
    if (wrong !== undefined && typeof wrong !== "number") assert.throws(() => new Phaser(posted(wrong)), TypeError)
  }
  assert.throws(() => Phaser.from(new Semaphore(1)), { name: "TypeError", message: /the handle of a Phaser/ })
  assert.throws(() => new Phaser("1" as unknown as Shared), TypeError)
})

test("[PH37] a subclass is opened by its own from, and onAdvance runs in the thread of the last to arrive", async () => {
  await using workers = new Workers()
  const root = new Recorded()
  const child = new Recorded(root, 2)
  child.arrive()
  assert.deepEqual(await workers.run(MODULE, "arriveAndTell", child, 1).result, ["Telling 0 1"])
  assert.deepEqual(root.calls, [])
  assert.deepEqual(await workers.run(MODULE, "arriveAndTell", child, 1).result, [])
  child.arrive()
  assert.deepEqual(root.calls, [[1, 1]])
})

test("[PH37] or by a constructor of its own", async () => {
  await using workers = new Workers()
  assert.deepEqual(await workers.run(MODULE, "arriveAsMade", new Phaser(1)).result, ["made 0"])
})

test("[PH20] awaitAdvance in another thread, in all its forms, ends with the phase", async () => {
  await using workers = new Workers()
  const phaser = new Phaser(1)
  const ways = ["awaitAdvance", "awaitAdvanceSync", "awaitAdvanceInterruptibly", "awaitAdvanceInterruptiblySync"]
  const others = ways.map((way) => workers.run(MODULE, "wait", phaser, way, 0))
  await eventually(() => waitersOf(phaser) === ways.length)
  phaser.arrive()
  for (const { result } of others) assert.equal(await result, 1)
})

test("[PH21] arriveAndAwaitAdvance in another thread waits for the others", async () => {
  await using workers = new Workers()
  const phaser = new Phaser(3)
  const ways = ["arriveAndAwaitAdvance", "arriveAndAwaitAdvanceSync"]
  const others = ways.map((way) => workers.run(MODULE, "wait", phaser, way, 0))
  await eventually(() => waitersOf(phaser) === 2)
  assert.equal(phaser.arrivedParties, 2)
  assert.equal(await phaser.arriveAndAwaitAdvance(), 1)
  for (const { result } of others) assert.equal(await result, 1)
})

test("[PH17] forceTermination lets threads go that block and that await", async () => {
  await using workers = new Workers()
  const phaser = new Phaser(3)
  const others = ["arriveAndAwaitAdvance", "arriveAndAwaitAdvanceSync"].map((way) =>
    workers.run(MODULE, "wait", phaser, way, 0),
  )
  await eventually(() => waitersOf(phaser) === 2)
  phaser.forceTermination()
  for (const { result } of others) assert.equal(await result, TERMINATED)
})

test("[PH23][PH24] an interrupt of another thread ends an interruptible wait and no other", async () => {
  await using workers = new Workers()
  const phaser = new Phaser(3)
  const ways = [
    "awaitAdvanceInterruptibly",
    "awaitAdvanceInterruptiblySync",
    "awaitAdvance",
    "awaitAdvanceSync",
    "arriveAndAwaitAdvance",
    "arriveAndAwaitAdvanceSync",
  ]
  const others = ways.map((way) => workers.run(MODULE, "wait", phaser, way, 0))
  await eventually(() => waitersOf(phaser) === ways.length)
  for (const other of others) threadContext().registry.interrupt((await other.firstWord()) as number)
  for (const { result } of others.slice(0, 2)) await assert.rejects(result, { name: "InterruptedError" })
  await turns()
  assert.equal(waitersOf(phaser), 4)
  phaser.arrive()
  for (const { result } of others.slice(2)) assert.equal(await result, 1)
})

test("[PH22][PH38] threads that block and threads that await go through the phases in step", async () => {
  for (const tiers of [false, true]) {
    await using workers = new Workers()
    const phases = 150 * STRESS
    const root = new Phaser(tiers ? 0 : 3)
    const done = new AtomicInteger()
    const ours = tiers ? new Phaser(root, 1) : root
    const others = [true, false].map((blocks) =>
      workers.run(MODULE, "work", tiers ? new Phaser(root, 1) : root, done, 3, phases, blocks),
    )
    for (let phase = 0; phase < phases; phase++) {
      done.incrementAndGet()
      assert.equal(await ours.arriveAndAwaitAdvance(), phase + 1)
      assert.ok(done.get() >= 3 * (phase + 1))
    }
    await Promise.all(others.map(({ result }) => result))
    assert.equal(done.get(), 3 * phases)
    assert.equal(root.phase, phases)
  }
})

test("[PH38][PH35] threads come and go while the phases go on", async () => {
  for (const tiers of [false, true]) {
    await using workers = new Workers()
    const times = 60 * STRESS
    const root = new Phaser(1)
    const gathering = tiers ? new Phaser(root) : root
    const others = [true, false, true].map((blocks) => workers.run(MODULE, "comeAndGo", gathering, times, blocks))
    const running = new Set(others)
    for (const other of others) void other.result.finally(() => running.delete(other)).catch(() => undefined)
    for (let phase = 0; running.size > 0; phase++) {
      assert.equal(await root.arriveAndAwaitAdvance(), phase + 1)
      await turns(1)
    }
    await Promise.all(others.map(({ result }) => result))
    assert.equal(root.registeredParties, 1)
    if (tiers) assert.equal(gathering.registeredParties, 0)
  }
})

test("[PH19] who registers while onAdvance runs in another thread does so in the next phase", async () => {
  await using workers = new Workers()
  const phaser = new Phaser(1)
  const other = workers.run(MODULE, "arriveSlowly", phaser)
  await other.heard("advancing")
  assert.throws(() => phaser.arrive(), { name: "IllegalStateError" })
  assert.equal(phaser.register(), 1)
  assert.equal(await other.result, 0)
  assert.deepEqual(countsOf(phaser), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
})

test("[PH19] through a child, too", async () => {
  await using workers = new Workers()
  const root = new Phaser(1)
  const child = new Phaser(root)
  const other = workers.run(MODULE, "arriveSlowly", root)
  await other.heard("advancing")
  assert.equal(child.register(), 1)
  assert.equal(await other.result, 0)
  assert.deepEqual(countsOf(root), { phase: 1, registered: 2, arrived: 0, unarrived: 2 })
})
