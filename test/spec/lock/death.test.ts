import { ReentrantLock } from "corepool"
import { sharedWords, store } from "#src/memory/atomics.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import type { Death } from "./lock.workers.ts"
import { killed, Task, tasks } from "./support.ts"

const JOBS = new URL("lock.workers.js", import.meta.url)
const ENTRY = new URL("../../support/worker-entry.js", import.meta.url)

/** A worker that locks and dies, in whatever way; `dies` lets it die if it does not by itself. */
async function doomed(
  workers: Workers,
  lock: ReentrantLock,
  death: Death,
  times = 1,
): Promise<WorkerHand & { dies(): Promise<void> }> {
  const word = sharedWords(1)
  const hand =
    death === "parent"
      ? workers.run(JOBS, "parent", ENTRY.href, JOBS.href, lock)
      : await workers[death === "memory" ? "runStarved" : "run"](JOBS, "dieHolding", lock, death, times, word)
  await hand.heard("locked")
  store(word, 0, 1)
  const dies = async (): Promise<void> => {
    if (death === "killed" || death === "parent") await hand.kill()
    else await hand.gone
  }
  return Object.assign(hand, { dies })
}

for (const fair of [false, true]) {
  test("[LK19][LK21] a lock whose holder died is free, and its next holder knows", async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock({ fair })
    const holder = await doomed(workers, lock, "killed", 3)
    assert.equal(lock.isLocked, true)
    assert.equal(lock.tryLock(), false)
    await holder.dies()
    assert.equal(lock.isLocked, false)
    assert.match(String(lock), /\[Unlocked\]$/)
    assert.equal(lock.wasAbandoned, false, "nobody holds it")

    assert.equal(lock.tryLock(), true)
    assert.equal(lock.wasAbandoned, true)
    assert.equal(lock.holdCount, 1)
    assert.equal(
      new Task().do(() => lock.wasAbandoned),
      false,
      "another task does not hold it",
    )
    lock.lockSync()
    lock.unlock()
    assert.equal(lock.wasAbandoned, true, "still the same hold")
    lock.unlock()
    await lock.lock()
    assert.equal(lock.wasAbandoned, false)
  })

  test("[LK19][LK21] those who waited when the holder died get the lock, one after the other", async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock({ fair })
    const holder = await doomed(workers, lock, "killed")
    const blocked = workers.run(JOBS, "lockOnce", lock, "lockSync")
    await eventually(() => lock.queueLength === 1)
    const awaiting = workers.run(JOBS, "lockOnce", lock, "lock")
    await eventually(() => lock.queueLength === 2)
    const task = new Task()
    const call = await task.waitIn(() => lock.lock())
    await holder.dies()
    await eventually(() => !call.isPending)
    assert.deepEqual(
      [await blocked.result, await awaiting.result],
      [
        { wasAbandoned: true, holdCount: 1 },
        { wasAbandoned: false, holdCount: 1 },
      ],
    )
    assert.equal(
      task.do(() => lock.wasAbandoned),
      false,
    )
  })
}

test("[LK19] a thread that blocks, and one that blocks with a limit, gets the lock of a dead one", async () => {
  await using workers = new Workers()
  for (const form of [(lock: ReentrantLock) => lock.lockSync(), (lock: ReentrantLock) => lock.tryLockSync(60_000)]) {
    const lock = new ReentrantLock()
    const holder = await doomed(workers, lock, "killed")
    await holder.dies()
    form(lock)
    assert.equal(lock.wasAbandoned, true)
    lock.unlock()
  }
})

for (const death of ["exit", "error", "memory", "parent"] as const) {
  test(`[LK20] it does not matter how a holder died (${death})`, async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock()
    const holder = await doomed(workers, lock, death)
    const task = new Task()
    const call = task.call(() => lock.lock())
    await holder.dies()
    await eventually(() => !call.isPending)
    await call.ends()
    assert.equal(
      task.do(() => lock.wasAbandoned),
      true,
      death,
    )
  })
}

for (const form of ["lock", "lockSync"] as const) {
  test("[LK22] one who died while waiting is skipped", async () => {
    await using workers = new Workers()
    const lock = new ReentrantLock()
    await lock.lock()
    const [first, last] = tasks(2) as [Task, Task]
    const before = await first.waitIn(() => lock.lock())
    const dead = workers.run(JOBS, "dieWaiting", lock, form, "killed")
    await eventually(() => lock.queueLength === 2)
    const after = await last.waitIn(() => lock.lock())
    await dead.kill()
    assert.equal(lock.queueLength, 2)
    assert.deepEqual(
      lock.queuedThreads.map(({ id }) => id),
      [first.flow.id, last.flow.id],
    )
    lock.unlock()
    await before.ends()
    first.do(() => lock.unlock())
    await after.ends()
    assert.equal(
      last.do(() => lock.wasAbandoned),
      false,
    )
  })
}

test("[LK22] one who died while it was first in line is skipped, also if the lock came free at that moment", async () => {
  await using workers = new Workers()
  for (const killFirst of [true, false]) {
    const lock = new ReentrantLock()
    await lock.lock()
    const dead = workers.run(JOBS, "dieWaiting", lock, "lockSync", "killed")
    await eventually(() => lock.queueLength === 1)
    const task = new Task()
    const call = await task.waitIn(() => lock.lock())
    const end = dead.kill()
    if (killFirst) await end
    lock.unlock()
    await end
    await eventually(() => !call.isPending)
    await call.ends()
    assert.equal(lock.queueLength, 0)
  }
})

test("[LK22] a waiter that awaits and dies of its own doing is skipped too", async () => {
  await using workers = new Workers()
  const lock = new ReentrantLock()
  await lock.lock()
  const dead = workers.run(JOBS, "dieWaiting", lock, "lock", "exit")
  await dead.gone
  assert.equal(lock.hasQueuedThreads, false)
  lock.unlock()
  assert.equal(lock.tryLock(), true)
})

test("[LK23] the dead in a fair lock do not keep anybody from it", async () => {
  await using workers = new Workers()
  const lock = new ReentrantLock({ fair: true })
  await lock.lock()
  const dead = workers.run(JOBS, "dieWaiting", lock, "lockSync", "killed")
  await eventually(() => lock.queueLength === 1)
  await killed(dead)
  lock.unlock()
  assert.equal(await lock.tryLock(0), true)
  lock.unlock()
  assert.equal(lock.tryLockSync(0), true)
  assert.equal(lock.wasAbandoned, false)
})
