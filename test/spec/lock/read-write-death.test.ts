/** Threads that die with a read-write lock, or waiting for one. */
import { ReentrantLock, ReentrantReadWriteLock } from "#src/lock/index.js"
import { mainFlow } from "#src/memory/flow/flow.js"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { type WorkerHand, Workers } from "../../support/workers.ts"
import { insideOf, PretendedThread } from "./read-write-support.ts"
import type { Act } from "./read-write.workers.ts"
import { Call, killed, Task, tasks } from "./support.ts"

const MODULE = new URL("read-write.workers.js", import.meta.url)

/** Workers that do something with the lock and stay so, until they are killed. */
class Scene extends Workers {
  readonly lock: ReentrantReadWriteLock
  readonly #gate = new ReentrantLock()

  constructor(fair = false) {
    super()
    this.lock = new ReentrantReadWriteLock({ fair })
    this.#gate.lockSync()
  }

  start(...acts: Act[]): WorkerHand {
    return this.run(MODULE, "doThis", this.lock, acts, this.#gate)
  }

  async doing(...acts: Act[]): Promise<WorkerHand> {
    const hand = this.start(...acts)
    await hand.heard("done")
    return hand
  }
}

test("[RW33] what a dead reader held counts no more, and nobody is told", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const [victim, survivor] = [await scene.doing("read", "read"), new Task()]
  await survivor.do(() => lock.readLock.lock())
  assert.equal(lock.readLockCount, 3)
  const writer = new Task()
  const writing = await writer.waitIn(() => lock.writeLock.lock())
  await victim.kill()
  await writing.waits()
  assert.equal(lock.readLockCount, 1)
  survivor.do(() => lock.readLock.unlock())
  await writing.ends()
  assert.equal(
    writer.do(() => lock.writeLock.wasAbandoned),
    false,
  )
})

test("[RW33] the death of the last reader lets a writer in that waits", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const victims = [await scene.doing("read"), await scene.doing("read", "read")]
  const writing = new Call(lock.writeLock.lock())
  await writing.waits()
  for (const victim of victims) await victim.kill()
  await eventually(() => !writing.isPending)
  await writing.ends()
  assert.deepEqual([lock.isWriteLockedByCurrentThread, lock.writeLock.wasAbandoned], [true, false])
})

test("[RW33] so does that of a reader which nobody waited for, when a writer comes", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const victim = await scene.doing("read")
  assert.equal(lock.writeLock.tryLock(), false)
  await victim.kill()
  assert.match(String(lock), /\[Write locks = 0, Read locks = 0]$/)
  assert.equal(lock.writeLock.tryLock(), true)
})

test("[RW33] nor does a dead reader keep a writer waiting that was not first when it died", async () => {
  const lock = new ReentrantReadWriteLock()
  const thread = new PretendedThread()
  const [victim, elsewhere] = [thread.open(lock), new PretendedThread().open(lock)]
  victim.writeLock.lockSync()
  const [reader, writer] = tasks(2) as [Task, Task]
  const reading = await reader.waitIn(() => elsewhere.readLock.lock())
  const writing = await writer.waitIn(() => lock.writeLock.lock())
  // It stops writing and goes on reading, and dies before it has told anybody. Our thread is the first to hear of it.
  victim.readLock.lockSync()
  insideOf(victim).endWrite(mainFlow, 1)
  thread.die()
  await eventually(() => !reading.isPending)
  await writing.waits()
  reader.do(() => elsewhere.readLock.unlock())
  await writing.ends()
})

const ends: { how: string; run: (scene: Scene, ...acts: Act[]) => Promise<void> }[] = [
  { how: "terminated", run: async (scene, ...acts) => (await scene.doing(...acts)).kill() },
  {
    how: "process.exit()",
    run: async (scene, ...acts) => void (await scene.run(MODULE, "doAndExit", scene.lock, acts).gone),
  },
  {
    how: "out of memory",
    run: async (scene, ...acts) => void (await (await scene.runStarved(MODULE, "doAndExhaust", scene.lock, acts)).gone),
  },
]

for (const { how, run } of ends) {
  test(`[RW34] who follows a dead writer learns of it (${how})`, async () => {
    await using scene = new Scene()
    const { readLock, writeLock } = scene.lock
    await run(scene, "write", "write")
    assert.deepEqual([scene.lock.isWriteLocked, writeLock.wasAbandoned], [false, false])
    assert.equal(writeLock.tryLock(), true)
    assert.equal(scene.lock.writeHoldCount, 1)
    assert.equal(writeLock.wasAbandoned, true)
    assert.equal(
      new Task().do(() => writeLock.wasAbandoned),
      false,
    )
    await writeLock.lock()
    await readLock.lock()
    writeLock.unlock()
    assert.deepEqual([writeLock.wasAbandoned, readLock.wasAbandoned], [true, true])
    writeLock.unlock()
    assert.deepEqual([writeLock.wasAbandoned, readLock.wasAbandoned], [false, false])
    readLock.unlock()
    await writeLock.lock()
    assert.equal(writeLock.wasAbandoned, false)
  })
}

for (const fair of [false, true]) {
  test(`[RW34] a writer that waits for one that dies gets the lock (${fair ? "fair" : "not fair"})`, async () => {
    await using scene = new Scene(fair)
    const { writeLock } = scene.lock
    const victim = await scene.doing("write")
    const [first, second] = tasks(2) as [Task, Task]
    const calls = [await first.waitIn(() => writeLock.lock()), await second.waitIn(() => writeLock.lock())]
    await victim.kill()
    await eventually(() => calls[0]?.isPending === false)
    assert.equal(
      first.do(() => writeLock.wasAbandoned),
      true,
    )
    await calls[1]?.waits()
    first.do(() => writeLock.unlock())
    await calls[1]?.ends()
    assert.equal(
      second.do(() => writeLock.wasAbandoned),
      false,
    )
  })
}

test("[RW34] one that died while it repaired leaves the rest to the next", async () => {
  await using scene = new Scene()
  const { writeLock } = scene.lock
  for (let deaths = 0; deaths < 2; deaths++) await (await scene.doing("write")).kill()
  await writeLock.lock()
  assert.equal(writeLock.wasAbandoned, true)
})

test("[RW35] all who read after a dead writer learn of it, until another one has written", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const { readLock, writeLock } = lock
  const victim = await scene.doing("write")
  const readers = tasks(2)
  const calls = await Promise.all(readers.map((reader) => reader.waitIn(() => readLock.lock())))
  await victim.kill()
  for (const call of calls) await eventually(() => !call.isPending)
  const late = new Task()
  assert.equal(
    late.do(() => readLock.tryLock()),
    true,
  )
  assert.equal(lock.readLockCount, 3)
  assert.equal(readLock.wasAbandoned, false)
  for (const reader of [...readers, late]) {
    assert.equal(
      reader.do(() => readLock.wasAbandoned),
      true,
    )
    reader.do(() => readLock.unlock())
    assert.equal(
      reader.do(() => readLock.wasAbandoned),
      false,
    )
  }
  await readLock.lock()
  assert.equal(readLock.wasAbandoned, true)
  readLock.unlock()
  await writeLock.lock()
  assert.equal(writeLock.wasAbandoned, true)
  writeLock.unlock()
  await readLock.lock()
  assert.equal(readLock.wasAbandoned, false)
})

test("[RW35] it does not matter if a reader dies meanwhile", async () => {
  await using scene = new Scene()
  const { readLock, writeLock } = scene.lock
  await (await scene.doing("write")).kill()
  await (await scene.doing("read")).kill()
  await readLock.lock()
  assert.equal(readLock.wasAbandoned, true)
  readLock.unlock()
  await (await scene.doing("read")).kill()
  await writeLock.lock()
  assert.equal(writeLock.wasAbandoned, true)
})

test("[RW36] a dead writer that read too leaves nothing locked", async () => {
  await using scene = new Scene()
  const { lock } = scene
  await (await scene.doing("write", "read", "read")).kill()
  assert.deepEqual([lock.readLockCount, lock.isWriteLocked], [0, false])
  await lock.writeLock.lock()
  assert.deepEqual([lock.writeLock.wasAbandoned, lock.readLockCount], [true, 0])
})

test("[RW36] one that had stopped writing was a reader", async () => {
  await using scene = new Scene()
  const { lock } = scene
  const victim = await scene.doing("write", "read", "endWrite")
  await lock.readLock.lock()
  assert.equal(lock.readLockCount, 2)
  lock.readLock.unlock()
  const writing = new Call(lock.writeLock.lock())
  await writing.waits()
  await victim.kill()
  await eventually(() => !writing.isPending)
  assert.equal(lock.writeLock.wasAbandoned, false)
})

for (const fair of [false, true]) {
  const how = fair ? "fair" : "not fair"

  test(`[RW37] a dead waiter is passed over (${how})`, async () => {
    await using scene = new Scene(fair)
    const { lock } = scene
    await lock.readLock.lock()
    const victim = scene.start("write")
    await eventually(() => lock.queueLength === 1)
    const reading = await new Task().waitIn(() => lock.readLock.lock())
    await victim.kill()
    await eventually(() => !reading.isPending)
    assert.deepEqual([lock.readLockCount, lock.queueLength], [2, 0])
  })

  test(`[RW37] a dead waiter keeps no newcomer out, not even one that does not wait (${how})`, async () => {
    await using scene = new Scene(fair)
    const { lock } = scene
    await lock.readLock.lock()
    const victim = scene.start("write")
    await eventually(() => lock.queueLength === 1)
    const reader = new Task()
    assert.equal(await reader.do(() => lock.readLock.tryLock(0)), false)
    await killed(victim)
    assert.equal(await reader.do(() => lock.readLock.tryLock(0)), true)
    reader.do(() => lock.readLock.unlock())
    lock.readLock.unlock()
    assert.equal(await lock.writeLock.tryLock(0), true)
  })
}
