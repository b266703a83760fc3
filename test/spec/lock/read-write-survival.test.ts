/** Many threads that die. */
import { ReentrantReadWriteLock } from "#src/lock/index.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { requireTermination } from "../../support/termination.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { PretendedThread } from "./read-write-support.ts"
import { Call, Task } from "./support.ts"

const MODULE = new URL("read-write.workers.js", import.meta.url)
const STRESS = Number(process.env["STRESS"] ?? 1)

test("[RW38] however many threads die reading, there is room", async () => {
  const lock = new ReentrantReadWriteLock()
  const crowd = (): PretendedThread[] =>
    Array.from({ length: 29 }, () => {
      const thread = new PretendedThread()
      assert.equal(thread.open(lock).readLock.tryLock(), true)
      return thread
    })
  for (let round = 0; round < 4; round++) {
    const threads = crowd()
    assert.equal(lock.readLock.tryLock(), false)
    const reading = round % 2 === 0 ? new Call(lock.readLock.lock()) : undefined
    await reading?.waits()
    for (const thread of threads) thread.die()
    if (reading === undefined) lock.readLock.lockSync()
    else await eventually(() => !reading.isPending)
    assert.equal(lock.readLockCount, 1)
    lock.readLock.unlock()
  }
  for (const thread of crowd()) thread.die()
  assert.equal(lock.writeLock.tryLock(), true)
  assert.equal(lock.writeLock.wasAbandoned, false)
})

for (const fair of [false, true]) {
  test(`[RW39] threads killed at random leave nobody waiting (${fair ? "fair" : "not fair"})`, async () => {
    await requireTermination()
    await using workers = new Workers()
    const lock = new ReentrantReadWriteLock({ fair })
    let seed = 0
    const start = (): WorkerHand => workers.run(MODULE, "lockForEver", lock, ++seed)
    const hands = [start(), start()]
    for (let kills = 0; kills < 12 * STRESS; kills++) {
      const index = kills % hands.length
      await hands[index]?.heard("going")
      // It is killed wherever it is: we get the lock a few times beside it, and so do the others.
      for (let round = 0; round < 20; round++) {
        const task = new Task()
        const one = round % 3 === 0 ? lock.writeLock : lock.readLock
        await task.do(() => one.lock())
        task.do(() => one.unlock())
      }
      await hands[index]?.kill()
      hands[index] = start()
    }
    for (const hand of hands) await hand.kill()
    await lock.writeLock.lock()
    assert.deepEqual([lock.readLockCount, lock.queueLength], [0, 0])
  })
}
