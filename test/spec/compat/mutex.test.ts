/** The shapes of async-mutex. */
import assert from "node:assert/strict"
import { mock, test } from "node:test"
import {
  E_ALREADY_LOCKED,
  E_CANCELED,
  E_TIMEOUT,
  Mutex,
  type MutexInterface,
  Semaphore,
  tryAcquire,
  withTimeout,
} from "corepool/compat"
import { rejectionOf, turns } from "../../support/harness.ts"

test("[CT25] a mutex is had by one at a time, in the order of asking", async () => {
  const mutex = new Mutex()
  const order: number[] = []
  const release = await mutex.acquire()
  const visits = [1, 2, 3].map((n) =>
    mutex.runExclusive(async () => {
      order.push(n)
      await turns(1)
      order.push(n)
    }),
  )
  await turns(1)
  assert.deepEqual(order, [])
  assert.equal(mutex.isLocked(), true)
  release()
  release() // has no effect
  await Promise.all(visits)
  assert.deepEqual(order, [1, 1, 2, 2, 3, 3])
  assert.equal(mutex.isLocked(), false)
})

test("[CT25] the highest priority first", async () => {
  const mutex = new Mutex()
  const order: number[] = []
  const release = await mutex.acquire()
  const visits = [-1, 0, 2, 0, 1].map((priority, index) => mutex.runExclusive(() => order.push(index), priority))
  release()
  await Promise.all(visits)
  assert.deepEqual(order, [2, 4, 1, 3, 0])
})

test("[CT25] runExclusive gives the result or the error, and releases in both cases", async () => {
  const mutex = new Mutex()
  assert.equal(await mutex.runExclusive(() => 42), 42)
  const error = new Error("inside")
  assert.equal(await rejectionOf(mutex.runExclusive(() => Promise.reject(error))), error)
  const thrown = mutex.runExclusive(() => {
    throw error
  })
  assert.equal(await rejectionOf(thrown), error)
  assert.equal(mutex.isLocked(), false)
})

test("[CT25] any task may release a mutex, and a free one stays free", async () => {
  const mutex = new Mutex()
  await mutex.acquire()
  mutex.release()
  mutex.release()
  assert.equal(mutex.isLocked(), false)
  await mutex.acquire()
  assert.equal(mutex.isLocked(), true)
})

test("[CT26] a semaphore has a value, of which weights are taken", async () => {
  const semaphore = new Semaphore(3)
  const [first, releaseFirst] = await semaphore.acquire(2)
  assert.deepEqual([first, semaphore.getValue(), semaphore.isLocked()], [3, 1, false])
  const [second, releaseSecond] = await semaphore.acquire()
  assert.deepEqual([second, semaphore.getValue(), semaphore.isLocked()], [1, 0, true])
  const seen: number[] = []
  const waiting = [
    semaphore.acquire(3).then(([value]) => seen.push(value)),
    semaphore.acquire(1).then(([value]) => seen.push(value)),
  ]
  releaseFirst()
  await turns(1)
  assert.deepEqual(seen, [], "the heavy one holds up the light one")
  releaseSecond()
  await waiting[0]
  assert.deepEqual([seen, semaphore.getValue()], [[3], 0])
  semaphore.release(1)
  await waiting[1]
  assert.deepEqual(seen, [3, 1])
})

test("[CT26] a ticket has the value of the moment in which it was granted", async () => {
  const semaphore = new Semaphore(0)
  const tickets = Promise.all([1, 1, 2].map((weight) => semaphore.acquire(weight)))
  semaphore.release(4)
  semaphore.release(5)
  assert.deepEqual(
    (await tickets).map(([value]) => value),
    [4, 3, 2],
  )
  assert.equal(semaphore.getValue(), 5)
})

test("[CT26] the value may begin below 0, and can be set", async () => {
  const semaphore = new Semaphore(-1)
  const visit = semaphore.runExclusive((value) => value, 2)
  semaphore.release()
  assert.equal(semaphore.isLocked(), true)
  semaphore.setValue(7)
  assert.equal(await visit, 7)
  assert.equal(semaphore.getValue(), 7)
  semaphore.setValue(-3)
  assert.equal(semaphore.getValue(), -3)
})

test("[CT26] an urgent light request passes a heavy one", async () => {
  const semaphore = new Semaphore(2)
  void semaphore.acquire(3)
  await semaphore.acquire(1, 1)
  assert.equal(semaphore.getValue(), 1)
})

test("[CT26] a weight that is not positive is an Error, at once", () => {
  const semaphore = new Semaphore(2)
  for (const sync of [semaphore, withTimeout(semaphore, 10)]) {
    for (const weight of [0, -1]) {
      const refusal = { name: "Error", message: `invalid weight ${weight}: must be positive` }
      assert.throws(() => sync.acquire(weight), refusal)
      assert.throws(() => sync.waitForUnlock(weight), refusal)
      assert.throws(() => sync.release(weight), refusal)
    }
  }
  assert.throws(() => semaphore.acquire(1.5), { name: "RangeError" })
  assert.throws(() => new Semaphore("2" as unknown as number), { name: "TypeError" })
  assert.equal(semaphore.getValue(), 2)
})

test("[CT27] waitForUnlock waits until it could be had, and takes nothing", async () => {
  const semaphore = new Semaphore(2)
  await semaphore.waitForUnlock(2)
  const [, release] = await semaphore.acquire(2)
  const seen: number[] = []
  const waits = [2, 1].map((weight) => semaphore.waitForUnlock(weight).then(() => seen.push(weight)))
  semaphore.release(1)
  await turns(1)
  assert.deepEqual(seen, [1])
  release()
  await Promise.all(waits)
  assert.equal(semaphore.getValue(), 3)
})

test("[CT27] requests of the same priority are before it, and those of a lower one are not", async () => {
  const mutex = new Mutex()
  await mutex.acquire()
  const seen: string[] = []
  const waiting = mutex.acquire().then(() => seen.push("acquired"))
  const equal = mutex.waitForUnlock().then(() => seen.push("equal"))
  const urgent = mutex.waitForUnlock(1).then(() => seen.push("urgent"))
  mutex.release()
  await Promise.all([waiting, urgent])
  await turns(1)
  assert.deepEqual(seen.sort(), ["acquired", "urgent"])
  mutex.release()
  await equal
})

test("[CT28] cancel rejects all that wait, lets none of them in, and does not disturb the holder", async () => {
  for (const [error, sync] of [
    [E_CANCELED, new Semaphore(1)],
    [E_CANCELED, withTimeout(new Semaphore(1), 60_000)],
  ] as const) {
    const heavy = sync.acquire(5)
    const light = sync.acquire(1)
    const unlocked = sync.waitForUnlock(1)
    sync.cancel()
    assert.equal(await rejectionOf(heavy), error)
    assert.equal(await rejectionOf(light), error)
    assert.equal(sync.getValue(), 1)
    await unlocked
    const [, release] = await sync.acquire(1)
    sync.cancel()
    release()
    assert.equal(sync.getValue(), 1)
  }
  const mine = new Error("mine")
  const mutex = new Mutex(mine)
  const release = await mutex.acquire()
  const waiting = mutex.acquire()
  mutex.cancel()
  assert.equal(await rejectionOf(waiting), mine)
  assert.equal(mutex.isLocked(), true)
  release()
  assert.equal(mutex.isLocked(), false)
})

test("[CT29] withTimeout rejects a wait when the time is up, and the wait leaves the line", async () => {
  const plain = new Semaphore(1)
  const limited = withTimeout(plain, 5)
  const heavy = rejectionOf(limited.acquire(2))
  const light = plain.acquire(1)
  assert.equal(await heavy, E_TIMEOUT)
  await light
  assert.equal(limited.isLocked(), true)
  assert.equal(await rejectionOf(limited.waitForUnlock()), E_TIMEOUT)
  const mine = new Error("mine")
  let isCalled = false
  const never = withTimeout(limited, 1, mine).runExclusive(() => void (isCalled = true))
  assert.equal(await rejectionOf(never), mine)
  plain.release()
  assert.equal(await limited.runExclusive((value) => value), 1)
  assert.equal(isCalled, false)
})

test("[CT29] tryAcquire rejects what would have to wait, and gets what is free", async () => {
  const mutex = new Mutex()
  const eager: MutexInterface = tryAcquire(mutex)
  const release = await eager.acquire()
  assert.equal(await rejectionOf(eager.acquire()), E_ALREADY_LOCKED)
  assert.equal(await rejectionOf(tryAcquire(mutex, E_CANCELED).runExclusive(() => 1)), E_CANCELED)
  release()
  assert.equal(await eager.runExclusive(() => 2, 1), 2)
  assert.equal("getValue" in eager, false)
  assert.throws(() => withTimeout({} as MutexInterface, 1), { name: "TypeError" })
})

test("[CT29] the time limits follow fake timers, and leave none behind", async () => {
  mock.timers.enable({ apis: ["setTimeout"] })
  try {
    const mutex = withTimeout(new Mutex(), 60_000)
    const release = await mutex.acquire()
    const late = rejectionOf(mutex.acquire())
    mock.timers.tick(59_999)
    assert.equal(mutex.isLocked(), true)
    mock.timers.tick(1)
    assert.equal(await late, E_TIMEOUT)
    const next = mutex.acquire()
    release()
    await next
    mock.timers.tick(600_000)
  } finally {
    mock.timers.reset()
  }
})
