/** Parts of locks, and synchronizers of the program's own, as arguments and results. Rules: docs/spec/codec.md, transport.md. */
import {
  AtomicInteger,
  type Condition,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  NotSerializableError,
  ReentrantLock,
  ReentrantReadWriteLock,
  tasksOf,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { thrownBy } from "../../support/harness.ts"
import { Mutex, OtherMutex } from "./parts-tasks.ts"

const tasks = tasksOf<typeof import("./parts-tasks.ts")>(new URL("parts-tasks.js", import.meta.url))
const same = tasks.same as unknown as <T>(value: T) => T

const EXECUTORS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1),
  "fork/join": () => new ForkJoinPool({ parallelism: 1 }),
}

/** Waits again if a wait ends without a signal: the thread of a pool that was closed before may just have ended. */
async function awaitSignal(condition: Condition, isSignalled: AtomicInteger): Promise<void> {
  while (isSignalled.get() === 0) await condition.await()
}

for (const [name, open] of Object.entries(EXECUTORS)) {
  test(`[CD24][TX1] ${name}: the locks of a read-write lock are those of the same lock`, async () => {
    await using pool = open()
    const { readLock, writeLock } = new ReentrantReadWriteLock()
    assert.deepEqual(await pool.submit(tasks.tryBoth, readLock, writeLock), [true, true])
    {
      using _reading = await readLock.lock()
      assert.deepEqual(await pool.submit(tasks.tryBoth, readLock, writeLock), [true, false])
    }
    using _writing = await writeLock.lock()
    assert.deepEqual(await pool.submit(tasks.tryBoth, readLock, writeLock), [false, false])
  })

  test(`[CD24][TX4] ${name}: what comes back is the very part`, async () => {
    await using pool = open()
    const lock = new ReentrantReadWriteLock()
    const condition = lock.writeLock.newCondition()
    const sent = [lock.readLock, lock.writeLock, condition, lock, condition] as const
    const back = await pool.submit(same<readonly unknown[]>, sent)
    assert.equal(back.length, sent.length)
    for (const [i, part] of sent.entries()) assert.equal(back[i], part)
    assert.equal(await pool.submit(same, condition), condition)
  })

  test(`[CD24] ${name}: a condition beside its lock is a condition of it`, async () => {
    await using pool = open()
    const lock = new ReentrantLock()
    const both = new ReentrantReadWriteLock().writeLock
    for (const each of [lock, both]) {
      const condition = each.newCondition()
      const isSignalled = new AtomicInteger()
      using _guard = await each.lock()
      const waiting = awaitSignal(condition, isSignalled)
      await pool.submit(tasks.signal, each, condition, isSignalled)
      await waiting
    }
  })

  test(`[CD25] ${name}: a synchronizer of a registered class is the same one there`, async () => {
    await using pool = open()
    const mutex = new Mutex()
    mutex.label = "sent"
    await mutex.acquire(1)
    assert.deepEqual(await pool.submit(tasks.look, mutex), [true, 1, "sent", false])
    mutex.label = "later"
    assert.deepEqual(await pool.submit(tasks.look, mutex), [true, 1, "sent", true])
    assert.equal(await pool.submit(same, mutex), mutex)
    const next = mutex.acquire(1)
    await pool.submit(tasks.release, mutex)
    await next
    const condition = mutex.newCondition()
    const isSignalled = new AtomicInteger()
    const waiting = awaitSignal(condition, isSignalled)
    await pool.submit(tasks.signalOf, condition, mutex, isSignalled)
    await waiting
  })
}

test("[CD25] of a class that is not registered it is refused", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  for (const value of [new OtherMutex(), { condition: new OtherMutex().newCondition() }]) {
    const error = thrownBy(() => pool.submit(same<unknown>, value))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, /OtherMutex in `args\[0\].*registerClass/)
  }
  assert.equal(await pool.submit(same, 1), 1)
})
