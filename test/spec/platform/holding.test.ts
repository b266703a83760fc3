/**
 * What a task holds that is ended with its thread: the next one has it when the thread has stopped. Rules: docs/spec/platform.md.
 *
 * Deno does not stop a thread that computes. There another task has the holder stop by itself after a while, and what is tested is that the lock stays
 * its own until then.
 */
import {
  CancellationError,
  type ExecutorService,
  Executors,
  type Future,
  type Lock,
  platformThreads,
  ReentrantLock,
  ReentrantReadWriteLock,
  Thread,
  ThreadDeathError,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate as turn } from "node:timers/promises"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { reserve, words } from "../../support/inherited-words.ts"
import * as tasks from "./holding-tasks.ts"

const { WORDS } = tasks

const goesOn = process.versions["deno"] !== undefined

/** A pool whose only thread holds something, and one for those who help. */
class Scene implements AsyncDisposable {
  readonly at: number = reserve(WORDS.SIZE)
  readonly pool: ExecutorService = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
  readonly helpers: ExecutorService = Executors.newFixedThreadPool(2)

  /** The helpers are there: to make threads this one has to be free. */
  async begin(): Promise<this> {
    await Promise.all([1, 2].map((n) => this.helpers.submit((a: number) => a, n).get()))
    return this
  }

  word(word: keyof typeof WORDS): number {
    return Atomics.load(words, this.at + WORDS[word])
  }

  async holds(): Promise<void> {
    await eventually(() => this.word("HOLDS") === 1)
  }

  /** Where the holder could not be stopped, it is to stop by itself: not before it was told to. */
  letItStop(): void {
    if (goesOn) this.helpers.submit(tasks.stopLater, this.at)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    Atomics.store(words, this.at + WORDS.STOP, 1)
    await this.pool.close()
    await this.helpers.close()
  }
}

/** This thread has what the other one had: that one does nothing any more. */
async function assertAtRest(scene: Scene): Promise<void> {
  const before = scene.word("WORK")
  for (let i = 0; i < 100; i++) {
    await turn()
    assert.equal(scene.word("WORK"), before, "two hold it")
  }
}

/** The same while it blocks. */
function assertAtRestSync(scene: Scene): void {
  const before = scene.word("WORK")
  for (let i = 0; i < 20; i++) {
    Thread.sleepSync(0.5)
    assert.equal(scene.word("WORK"), before, "two hold it")
  }
}

type Part = "readLock" | "writeLock"

const things: [what: string, make: (scene: Scene) => { future: Future<unknown>; next: Lock }][] = [
  ["a lock", (scene) => submit(scene, tasks.hold, new ReentrantLock())],
  ["a fair lock", (scene) => submit(scene, tasks.hold, new ReentrantLock({ fair: true }))],
  ["a lock, by a guard,", (scene) => submit(scene, tasks.holdByGuard, new ReentrantLock())],
  ["a write lock", (scene) => submitPart(scene, "writeLock", "writeLock")],
  ["a write lock, for a reader,", (scene) => submitPart(scene, "writeLock", "readLock")],
  ["a read lock, for a writer,", (scene) => submitPart(scene, "readLock", "writeLock")],
]

function submit(scene: Scene, task: typeof tasks.hold | typeof tasks.holdByGuard, lock: ReentrantLock) {
  const future: Future<unknown> = scene.pool.submit(task, lock, scene.at)
  return { future, next: lock }
}

function submitPart(scene: Scene, held: Part, next: Part) {
  const lock = new ReentrantReadWriteLock()
  return { future: scene.pool.submit(tasks.holdPart, lock, scene.at, held), next: lock[next] }
}

for (const [what, make] of things) {
  test(`[PL46] ${what} of a task that is ended`, async () => {
    await using scene = await new Scene().begin()
    const { future, next } = make(scene)
    await scene.holds()
    const waiting = next.lock()
    future.cancel(true)
    assert.equal(future.isDone, true)
    assert.equal(await scene.pool.submit((a: number) => a + 1, 1), 2) // the pool has another thread
    scene.letItStop()
    const guard = await waiting
    await assertAtRest(scene)
    guard.unlock()
  })
}

const ends: [how: string, end: (scene: Scene, lock: Lock) => Promise<void>][] = [
  [
    "is aborted",
    async (scene, lock) => {
      const controller = new AbortController()
      const future = scene.pool.with({ signal: controller.signal }).submit(tasks.hold, lock, scene.at)
      await scene.holds()
      controller.abort()
      assert.ok((await rejectionOf(future)) instanceof CancellationError)
    },
  ],
  [
    "is there when the pool is shut down",
    async (scene, lock) => {
      const future = scene.pool.submit(tasks.hold, lock, scene.at)
      await scene.holds()
      scene.pool.shutdownNow()
      assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
      assert.equal(await scene.pool.awaitTermination(), true)
    },
  ],
]

for (const [how, end] of ends) {
  test(`[PL46] a lock of a task that ${how} and does not stop`, async () => {
    await using scene = await new Scene().begin()
    const lock = new ReentrantLock()
    await end(scene, lock)
    scene.letItStop()
    const guard = await lock.lock()
    assert.equal(lock.wasAbandoned, true)
    await assertAtRest(scene)
    guard.unlock()
  })
}

test("[PL46] one that was signalled gets the lock of a task that is ended", async () => {
  await using scene = await new Scene().begin()
  const lock = new ReentrantLock()
  const condition = lock.newCondition()
  const guard = await lock.lock()
  const signalled = condition.await()
  const future = scene.pool.submit(tasks.signal, lock, scene.at, condition.handle)
  await scene.holds()
  future.cancel(true)
  scene.letItStop()
  await signalled
  await assertAtRest(scene)
  guard.unlock()
})

for (const task of [tasks.exit, tasks.exitLater]) {
  test(`[PL46] a lock of a task that ends its thread, and works on while that ends: ${task.name}`, async () => {
    await using scene = await new Scene().begin()
    const lock = new ReentrantLock()
    const future: Future<unknown> = scene.pool.submit(task, lock, scene.at)
    await scene.holds()
    const guard = await lock.lock()
    assert.equal(scene.word("WORK"), 10_000)
    await assertAtRest(scene)
    guard.unlock()
    assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
  })
}

test("[PL47] a thread of another pool gets the lock", async () => {
  await using scene = await new Scene().begin()
  const lock = new ReentrantLock()
  const future = scene.pool.submit(tasks.hold, lock, scene.at)
  await scene.holds()
  const following = scene.helpers.submit(tasks.follow, lock, scene.at)
  await eventually(() => scene.word("WAITS") === 1)
  future.cancel(true)
  scene.letItStop()
  assert.equal(following.getSync(), 0)
})

test("[PL47] the thread that made the pool blocks for the lock of a task that does not stop", async () => {
  await using scene = await new Scene().begin()
  const lock = new ReentrantLock()
  const future = scene.pool.submit(tasks.hold, lock, scene.at)
  await scene.holds()
  future.cancel(true)
  scene.letItStop()
  lock.lockSync()
  assertAtRestSync(scene)
  lock.unlock()
})

for (const task of [tasks.exit, tasks.exitLater]) {
  test(`[PL47] it blocks for the lock of one that ends its thread: ${task.name}`, async () => {
    await using scene = await new Scene().begin()
    const lock = new ReentrantLock()
    const future: Future<unknown> = scene.pool.submit(task, lock, scene.at)
    while (scene.word("HOLDS") === 0) Thread.sleepSync(0.1)
    lock.lockSync()
    assert.equal(scene.word("WORK"), 10_000)
    assertAtRestSync(scene)
    lock.unlock()
    assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
  })
}

test("[PL47] tasks are ended while it sleeps", async () => {
  await using scene = await new Scene().begin()
  const lock = new ReentrantLock()
  const future = scene.pool.submit(tasks.hold, lock, scene.at)
  await scene.holds()
  future.cancel(true)
  scene.letItStop()
  while (!lock.tryLock()) Thread.sleepSync(1)
  assertAtRestSync(scene)
  lock.unlock()
})
