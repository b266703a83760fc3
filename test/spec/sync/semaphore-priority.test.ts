/** Priorities of those who wait for a semaphore. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { CountDownLatch, RateLimiter, Semaphore } from "corepool"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { eventually, rejectionOf } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { type Call, Task } from "../lock/support.ts"

const JOBS = new URL("synchronizers.workers.js", import.meta.url)

/** A larger number shows rarer things. */
const STRESS = Number(process.env["STRESS"] ?? 1)

/** Acquires with each of these priorities, in this order, and tells in which order they are let in. */
async function orderOf(semaphore: Semaphore, priorities: readonly (number | undefined)[]): Promise<number[]> {
  const order: number[] = []
  const calls: Call<void>[] = []
  for (const [index, priority] of priorities.entries()) {
    const acquire = async (): Promise<void> => {
      await semaphore.acquire(1, priority === undefined ? undefined : { priority })
      order.push(index)
    }
    calls.push(await new Task().waitIn(acquire))
  }
  for (const _ of calls) {
    const before = order.length
    semaphore.release()
    await eventually(() => order.length > before)
  }
  return order
}

for (const mode of [{ fair: false }, { fair: true }]) {
  const kind = mode.fair ? "fair" : "not fair"

  test(`[SM38] the highest priority is let in first, and among equals the one that came first: ${kind}`, async () => {
    assert.deepEqual(await orderOf(new Semaphore(0, mode), [0, 1, 0, 1, 2]), [4, 1, 3, 0, 2])
    assert.deepEqual(await orderOf(new Semaphore(0, mode), [3, 2, 1]), [0, 1, 2])
    assert.deepEqual(await orderOf(new Semaphore(0, mode), [1, 2, 3]), [2, 1, 0])
    assert.deepEqual(await orderOf(new Semaphore(0, mode), [5, 5, 5]), [0, 1, 2])
  })

  test(`[SM38] without a priority it is 0, and there are lower ones: ${kind}`, async () => {
    const priorities = [-1, undefined, 1, 0, undefined, -(2 ** 31), 2 ** 31 - 1]
    assert.deepEqual(await orderOf(new Semaphore(0, mode), priorities), [6, 2, 1, 3, 4, 0, 5])
  })

  test(`[SM38] queuedThreads shows them in that order: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const tasks = [new Task(), new Task(), new Task()]
    for (const [index, task] of tasks.entries()) await task.waitIn(() => semaphore.acquire(1, { priority: index }))
    assert.deepEqual(
      semaphore.queuedThreads.map(({ id }) => id),
      tasks.map((task) => task.flow.id).reverse(),
    )
    semaphore.release(3)
  })

  test(`[SM39] an urgent one that asks for little passes one that asks for much: ${kind}`, async () => {
    const semaphore = new Semaphore(2, mode)
    const large = await new Task().waitIn(() => semaphore.acquire(3, { priority: 0 }))
    await new Task().call(() => semaphore.acquire(1, { priority: 1 })).ends()
    assert.equal(semaphore.availablePermits, 1)
    await large.waits()
    semaphore.release(2)
    await large.ends()
  })

  test(`[SM39] an urgent one that asks for much holds up the others: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const small = await new Task().waitIn(() => semaphore.acquire(1))
    const large = await new Task().waitIn(() => semaphore.acquire(3, { priority: 1 }))
    semaphore.release(2)
    await small.waits()
    await large.waits()
    semaphore.release(2)
    await large.ends()
    await small.ends()
  })

  test(`[SM40] an urgent one that gives up leaves the line as if it had not come: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const controller = new AbortController()
    const interrupted = new Task()
    const small = await new Task().waitIn(() => semaphore.acquire(1))
    const calls = [
      await new Task().waitIn(() => semaphore.acquire(5, { priority: 3, signal: controller.signal })),
      await interrupted.waitIn(() => semaphore.acquire(5, { priority: 2 })),
      new Task().call(() => semaphore.acquire(5, { priority: 1, timeout: 20 })),
    ] as const
    semaphore.release()
    await small.waits()
    controller.abort()
    await calls[0].failsWith("AbortError")
    interrupted.interrupt()
    await calls[1].failsWith("InterruptedError")
    await eventually(() => !calls[2].isPending)
    await calls[2].failsWith("TimeoutError")
    await small.ends()
    assert.equal(semaphore.queueLength, 0)
  })

  test(`[SM38] a thousand waits, urgent ones last: ${kind}`, async () => {
    const semaphore = new Semaphore(0, mode)
    const order: number[] = []
    const calls = []
    for (let index = 0; index < 1000; index++) {
      const priority = index < 990 ? 0 : index
      calls.push(semaphore.acquire(1, { priority }).then(() => order.push(priority)))
    }
    semaphore.release(1000)
    await Promise.all(calls)
    assert.deepEqual(order.slice(0, 10), [999, 998, 997, 996, 995, 994, 993, 992, 991, 990])
  })
}

test("[SM39] fair: an urgent newcomer does not wait for permits that are there", async () => {
  const semaphore = new Semaphore(1, { fair: true })
  const large = await new Task().waitIn(() => semaphore.acquire(2))
  const equal = await new Task().waitIn(() => semaphore.acquire(1))
  await new Task().call(() => semaphore.acquire(1, { priority: 1 })).ends()
  assert.equal(semaphore.availablePermits, 0)
  semaphore.release(2)
  await large.ends()
  semaphore.release(1)
  await equal.ends()
})

test("[SM41] a priority that is no integer of 32 bits is refused, also if the permits are there", async () => {
  const semaphore = new Semaphore(5)
  for (const priority of [1.5, NaN, Infinity, 2 ** 31, -(2 ** 31) - 1]) {
    const refusal = { name: "RangeError", message: /^Expected `priority` to be an integer/ }
    await assert.rejects(semaphore.acquire(1, { priority }), refusal)
    await assert.rejects(semaphore.tryAcquire(1, { priority }), refusal)
    assert.throws(() => semaphore.acquireSync(1, { priority }), refusal)
    assert.throws(() => semaphore.acquireUninterruptiblySync(1, { priority }), refusal)
    assert.throws(() => semaphore.tryAcquireSync(1, 0, { priority }), refusal)
  }
  for (const priority of ["1", null, 1n] as unknown as number[]) {
    await assert.rejects(semaphore.acquire(1, { priority }), { name: "TypeError" })
    assert.throws(() => semaphore.acquireSync(1, { priority }), { name: "TypeError" })
  }
  const unknown = { prio: 1 } as { priority?: number }
  await assert.rejects(semaphore.acquire(1, unknown), { name: "TypeError", message: /did you mean `priority`/ })
  assert.throws(() => semaphore.acquireSync(1, unknown), { name: "TypeError", message: /did you mean `priority`/ })
  assert.equal(semaphore.availablePermits, 5)
})

test("[SM41] where all go on at once, or in their order, a priority is an unknown option", async () => {
  const wait = { priority: 1 } as { timeout?: number }
  const latch = new CountDownLatch(1)
  assert.equal(((await rejectionOf(latch.await(wait))) as Error).name, "TypeError")
  assert.equal(
    ((await rejectionOf(new RateLimiter({ permits: 1, per: 1 }).acquire(1, wait))) as Error).name,
    "TypeError",
  )
})

test("[SM42] blocked threads and flows that await, of all threads, stand in one line by their priorities", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0, { fair: true })
  const order: string[] = []
  const wait = async (name: string, priority: number, form?: string): Promise<{ got: Promise<unknown> }> => {
    const length = semaphore.queueLength
    const call =
      form === undefined
        ? semaphore.acquire(1, { priority })
        : workers.run(JOBS, "acquire", semaphore, form, 1, 60_000, priority).result
    const got = call.then(() => order.push(name))
    await eventually(() => semaphore.queueLength === length + 1)
    return { got }
  }
  const last = await wait("last", -1, "acquireSync")
  const middle = await wait("middle", 0)
  const urgent = await wait("urgent", 1, "acquireUninterruptiblySync")
  const second = await wait("second", 1)
  const first = await wait("first", 2, "tryAcquireSync")
  for (const { got } of [first, urgent, second, middle, last]) {
    semaphore.release()
    await got
  }
  assert.deepEqual(order, ["first", "urgent", "second", "middle", "last"])
})

test("[SM42] an urgent thread that dies, or is interrupted, while it waits leaves the line", async () => {
  await using workers = new Workers()
  for (const form of ["acquireSync", "acquire"]) {
    const semaphore = new Semaphore(0, { fair: true })
    const call = await new Task().waitIn(() => semaphore.acquire(1))
    const doomed = workers.run(JOBS, "acquire", semaphore, form, 5, 60_000, 2)
    await eventually(() => semaphore.queueLength === 2)
    const hand = workers.run(JOBS, "acquire", semaphore, "acquireSync", 5, 60_000, 1)
    await eventually(() => semaphore.queueLength === 3)
    semaphore.release()
    await call.waits()
    await doomed.kill()
    await eventually(() => semaphore.queueLength === 2)
    await call.waits()
    threadContext().registry.interrupt((await hand.firstWord()) as number)
    await hand.result
    await eventually(() => !call.isPending)
    await call.ends()
    assert.equal(semaphore.queueLength, 0)
  }
})

test("[SM42] an urgent thread that dies at any moment stops no other thread", async () => {
  await using workers = new Workers()
  for (let time = 0; time < 4 * STRESS; time++) {
    const semaphore = new Semaphore(2, { fair: time % 2 === 0 })
    const doomed = workers.run(JOBS, "goRound", semaphore, Infinity, time % 4 < 2, true)
    await doomed.heard("under way")
    const others = [true, false].map((blocks) => workers.run(JOBS, "goRound", semaphore, 2000, blocks, true))
    await Promise.all(others.map((hand) => hand.heard("under way")))
    await doomed.kill()
    for (const hand of others) assert.equal(await hand.result, "done")
    assert.ok(semaphore.availablePermits >= 1, String(semaphore))
    assert.equal(semaphore.queueLength, 0)
  }
})
