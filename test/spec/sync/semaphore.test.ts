import assert from "node:assert/strict"
import { test } from "node:test"
import { Semaphore } from "corepool"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { Task } from "../lock/support.ts"

const MAX = 2 ** 31 - 1
const MIN = -(2 ** 31)
const MODES = [{ fair: false }, { fair: true }]

test("[SM1] permits may be negative, none or many", () => {
  for (const permits of [MIN, -1, 0, 1, MAX]) {
    for (const mode of MODES) {
      const semaphore = new Semaphore(permits, mode)
      assert.equal(semaphore.availablePermits, permits)
      assert.equal(semaphore.isFair, mode.fair)
    }
  }
})

test("[SM1] it is not fair unless asked for", () => {
  assert.equal(new Semaphore(1).isFair, false)
  assert.equal(new Semaphore(1, {}).isFair, false)
})

test("[SM2] other numbers of permits, and what is no number, are refused", () => {
  for (const wrong of [0.5, Number.NaN, Infinity, MAX + 1, MIN - 1]) {
    assert.throws(() => new Semaphore(wrong), { name: "RangeError", message: /^Expected `permits` to be an integer / })
  }
  for (const wrong of ["1", undefined, null, 1n, {}]) {
    assert.throws(() => new Semaphore(wrong as number), { name: "TypeError", message: /^Expected `permits` to be / })
  }
})

test("[SM2] fairness is a boolean in an object", () => {
  for (const wrong of [1, "true", null]) {
    assert.throws(() => new Semaphore(1, { fair: wrong as unknown as boolean }), {
      name: "TypeError",
      message: /^Expected `fair` to be a boolean, got /,
    })
  }
  assert.throws(() => new Semaphore(1, null as unknown as object), { name: "TypeError", message: /`options`/ })
  assert.throws(() => new Semaphore(1, true as unknown as object), { name: "TypeError", message: /`options`/ })
})

for (const mode of MODES) {
  const kind = mode.fair ? "fair" : "not fair"

  test(`[SM3] tryAcquire takes permits while they last: ${kind}`, () => {
    const semaphore = new Semaphore(2, mode)
    assert.equal(semaphore.tryAcquire(), true)
    assert.equal(semaphore.tryAcquire(), true)
    assert.equal(semaphore.availablePermits, 0)
    assert.equal(semaphore.tryAcquire(), false)
    assert.equal(semaphore.availablePermits, 0)
  })

  test(`[SM3] tryAcquire(n) takes all or none: ${kind}`, () => {
    const semaphore = new Semaphore(3, mode)
    assert.equal(semaphore.tryAcquire(2), true)
    assert.equal(semaphore.tryAcquire(2), false)
    assert.equal(semaphore.availablePermits, 1)
    assert.equal(semaphore.tryAcquire(1), true)
    assert.equal(semaphore.tryAcquire(0), true)
  })

  test(`[SM4][SM5] what is released can be acquired again, in every form: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const forms: readonly ((permits: number) => unknown)[] = [
      (permits) => semaphore.acquire(permits),
      (permits) => semaphore.acquireSync(permits),
      (permits) => semaphore.acquireUninterruptibly(permits),
      (permits) => semaphore.acquireUninterruptiblySync(permits),
      (permits) => semaphore.tryAcquire(permits),
      (permits) => semaphore.tryAcquire(permits, 10_000),
      (permits) => semaphore.tryAcquireSync(permits, 10_000),
    ]
    for (const acquire of forms) {
      for (const permits of [1, 3]) {
        semaphore.release(permits)
        assert.notEqual(await acquire(permits), false)
        assert.equal(semaphore.availablePermits, 0)
      }
    }
  })

  test(`[SM4][SM5] a wait ends when as many have been released as are wanted, not before: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const forms: readonly ((permits: number) => Promise<unknown>)[] = [
      (permits) => semaphore.acquire(permits),
      (permits) => semaphore.acquireUninterruptibly(permits),
      (permits) => semaphore.tryAcquire(permits, 60_000),
    ]
    for (const acquire of forms) {
      const call = await new Task().waitIn(() => acquire(3))
      semaphore.release()
      await call.waits()
      semaphore.release()
      await call.waits()
      assert.equal(semaphore.availablePermits, 2)
      semaphore.release()
      await call.ends()
      assert.equal(semaphore.availablePermits, 0)
    }
  })

  test(`[SM4] without a number it is one: ${kind}`, async () => {
    const semaphore = new Semaphore(4, mode)
    await semaphore.acquire()
    semaphore.acquireSync()
    await semaphore.acquireUninterruptibly()
    semaphore.acquireUninterruptiblySync()
    assert.equal(semaphore.availablePermits, 0)
    semaphore.release()
    assert.equal(semaphore.availablePermits, 1)
  })

  test(`[SM5] one release lets several go on: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const calls = await Promise.all([1, 2, 1, 1].map((permits) => new Task().waitIn(() => semaphore.acquire(permits))))
    semaphore.release(4)
    await calls[0]?.ends()
    await calls[1]?.ends()
    await calls[2]?.ends()
    await calls[3]?.waits()
    assert.equal(semaphore.availablePermits, 0)
    semaphore.release()
    await calls[3]?.ends()
  })

  test(`[SM6] anybody may release, and there may be more than in the beginning: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    new Task().do(() => semaphore.release(2))
    assert.equal(
      new Task().do(() => semaphore.tryAcquire(2)),
      true,
    )
    const call = await new Task().waitIn(() => semaphore.acquire())
    new Task().do(() => semaphore.release(5))
    await call.ends()
    assert.equal(semaphore.availablePermits, 4)
  })

  test(`[SM7] drainPermits takes all there are: ${kind}`, () => {
    const semaphore = new Semaphore(3, mode)
    assert.equal(semaphore.drainPermits(), 3)
    assert.equal(semaphore.availablePermits, 0)
    assert.equal(semaphore.drainPermits(), 0)
    semaphore.reducePermits(2)
    assert.equal(semaphore.drainPermits(), -2)
    assert.equal(semaphore.availablePermits, 0)
  })

  test(`[SM8] reducePermits takes permits away, also those that are not there: ${kind}`, async () => {
    const semaphore = new Semaphore(1, mode)
    semaphore.reducePermits(0)
    assert.equal(semaphore.availablePermits, 1)
    semaphore.reducePermits(1)
    assert.equal(semaphore.availablePermits, 0)
    semaphore.reducePermits(2)
    assert.equal(semaphore.availablePermits, -2)
    const call = await new Task().waitIn(() => semaphore.acquire())
    semaphore.release(2)
    await call.waits()
    semaphore.release()
    await call.ends()
  })

  test(`[SM9] there is a highest and a lowest number of permits: ${kind}`, () => {
    const semaphore = new Semaphore(MAX - 1, mode)
    semaphore.release()
    const full = { name: "IllegalStateError", message: "Maximum permit count exceeded" }
    assert.throws(() => semaphore.release(), full)
    assert.throws(() => semaphore.release(MAX), full)
    assert.equal(semaphore.availablePermits, MAX)
    const least = new Semaphore(MIN + 1, mode)
    least.reducePermits(1)
    const empty = { name: "IllegalStateError", message: "Permit count underflow" }
    assert.throws(() => least.reducePermits(1), empty)
    assert.throws(() => least.reducePermits(MAX), empty)
    assert.equal(least.availablePermits, MIN)
    assert.equal(least.tryAcquire(MAX), false)
  })

  test(`[SM10] negative numbers and fractions are refused by every method: ${kind}`, async () => {
    const semaphore = new Semaphore(5, mode)
    for (const wrong of [-1, MIN, 0.5, Number.NaN, MAX + 1]) {
      for (const call of [
        () => semaphore.acquireSync(wrong),
        () => semaphore.acquireUninterruptiblySync(wrong),
        () => semaphore.tryAcquire(wrong),
        () => semaphore.tryAcquireSync(wrong, 10),
        () => semaphore.release(wrong),
      ]) {
        const error = thrownBy(call)
        assert.ok(error instanceof RangeError)
        assert.match(error.message, /^Expected `permits` to be an integer [≥≤] .*, got /)
      }
      assert.throws(() => semaphore.reducePermits(wrong), {
        name: "RangeError",
        message: /^Expected `reduction` to be /,
      })
      for (const call of [
        () => semaphore.acquire(wrong),
        () => semaphore.acquireUninterruptibly(wrong),
        () => semaphore.tryAcquire(wrong, 10),
      ]) {
        assert.ok((await rejectionOf(call())) instanceof RangeError)
      }
    }
    assert.ok((await rejectionOf(semaphore.acquire("1" as unknown as number))) instanceof TypeError)
    assert.ok(thrownBy(() => semaphore.release(null as unknown as number)) instanceof TypeError)
    assert.equal(semaphore.availablePermits, 5)
    assert.equal(semaphore.hasQueuedThreads, false)
  })

  test(`[SM11] to acquire none, one waits only while there are less than none: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    await semaphore.acquire(0)
    semaphore.reducePermits(1)
    assert.equal(semaphore.tryAcquire(0), false)
    const call = await new Task().waitIn(() => semaphore.acquire(0))
    semaphore.release()
    await call.ends()
    assert.equal(semaphore.availablePermits, 0)
  })

  test(`[SM7][SM11] draining less than none lets those go on who want none: ${kind}`, async () => {
    const semaphore = new Semaphore(-3, mode)
    const call = await new Task().waitIn(() => semaphore.acquire(0))
    assert.equal(semaphore.drainPermits(), -3)
    await call.ends()
  })
}

test("[SM12] permits are released at the end of a block, however that ends", async () => {
  const semaphore = new Semaphore(3)
  for (const acquire of [
    () => semaphore.acquire(2),
    () => semaphore.acquireSync(2),
    () => semaphore.acquireUninterruptibly(2),
    () => semaphore.acquireUninterruptiblySync(2),
    () => semaphore.acquire(2, 1000),
  ]) {
    {
      using _permits = await acquire()
      assert.equal(semaphore.availablePermits, 1)
    }
    assert.equal(semaphore.availablePermits, 3)
    await assert.rejects(async () => {
      using _permits = await acquire()
      throw new Error("from inside")
    }, /from inside/)
    assert.equal(semaphore.availablePermits, 3)
  }
})

test("[SM12] permits are released once", async () => {
  const semaphore = new Semaphore(3)
  {
    using permits = await semaphore.acquire(2)
    permits.release()
    assert.equal(semaphore.availablePermits, 3)
    permits.release()
    assert.equal(semaphore.availablePermits, 3)
  }
  assert.equal(semaphore.availablePermits, 3)
  using first = await semaphore.acquire(1)
  using second = await semaphore.acquire(2)
  first.release()
  assert.equal(semaphore.availablePermits, 1) // each acquire has its own
  second.release()
})

test("[SM12] permits that could not be released, because there would be too many, can be released later", () => {
  const semaphore = new Semaphore(1)
  const permits = semaphore.acquireSync(1)
  semaphore.release(MAX)
  assert.throws(() => permits.release(), { name: "IllegalStateError" })
  semaphore.drainPermits()
  permits.release()
  assert.equal(semaphore.availablePermits, 1)
})

test("[SM13] it shows its permits", () => {
  for (const permits of [-1, 0, 3]) {
    const semaphore = new Semaphore(permits)
    assert.match(String(semaphore), /^Semaphore@\d+\[Permits = -?\d+\]$/)
    assert.ok(String(semaphore).endsWith(`[Permits = ${permits}]`))
  }
})
