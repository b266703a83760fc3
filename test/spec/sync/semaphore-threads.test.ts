/** Semaphores between threads: blocked ones and ones that await. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { CountDownLatch, Semaphore, type Shared } from "corepool"
import { sharedWords } from "#src/memory/atomics.js"
import { threadContext } from "#src/memory/thread/this-thread.js"
import { eventually } from "../../support/harness.ts"
import { Workers } from "../../support/workers.ts"
import { Task, timeLimit } from "../lock/support.ts"
import { goInAndOut } from "./synchronizers.workers.ts"

const JOBS = new URL("synchronizers.workers.js", import.meta.url)

/** A larger number shows rarer things. */
const STRESS = Number(process.env["STRESS"] ?? 1)

test("[SM28] a semaphore that was posted is the same one", async () => {
  await using workers = new Workers()
  for (const fair of [false, true]) {
    const semaphore = new Semaphore(-1, { fair })
    const call = await new Task().waitIn(() => semaphore.acquire())
    assert.deepEqual(await workers.run(JOBS, "lookAtSemaphore", semaphore).result, {
      before: -1,
      isFair: fair,
      queueLength: 1,
    })
    await eventually(() => !call.isPending)
    await call.ends()
    const seen = (await workers.run(JOBS, "lookAtSemaphore", semaphore.handle).result) as { before: number }
    assert.equal(seen.before, 0)
    assert.equal(semaphore.availablePermits, 2)
  }
})

test("[SM28] what is no semaphore is refused", () => {
  for (const wrong of [null, 1, {}, new CountDownLatch(1), new CountDownLatch(1).handle]) {
    assert.throws(() => Semaphore.from(wrong as Shared), {
      name: "TypeError",
      message: /^Expected `handle` to be the handle of a Semaphore, got /,
    })
  }
})

test("[SM29] a blocked thread goes on when another one releases", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0)
  for (const form of ["acquireSync", "acquireUninterruptiblySync", "tryAcquireSync"]) {
    const hand = workers.run(JOBS, "acquire", semaphore, form, 2)
    await eventually(() => semaphore.queueLength === 1)
    semaphore.release()
    semaphore.release()
    const { outcome } = (await hand.result) as { outcome: unknown }
    assert.equal(outcome, form === "tryAcquireSync" ? true : "got")
    assert.equal(semaphore.availablePermits, 0)
  }
})

test("[SM29] also the main thread", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0)
  const hand = workers.run(JOBS, "releaseWhenAsked", semaphore, 1)
  await hand.heard("ready")
  using _permits = semaphore.acquireSync()
  assert.equal(semaphore.availablePermits, 0)
  await hand.result
})

test("[SM29] tryAcquireSync blocks at most so long", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(1)
  const hand = workers.run(JOBS, "acquire", semaphore, "tryAcquireSync", 2, 15)
  assert.deepEqual(await hand.result, { outcome: false, isInterrupted: false })
  assert.equal(semaphore.queueLength, 0)
  const limit = timeLimit(15)
  assert.equal(semaphore.tryAcquireSync(2, 15), false)
  assert.equal(limit.isOver, true)
})

test("[SM24][SM29] an interrupt ends the wait of a blocked thread", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0)
  for (const form of ["acquireSync", "tryAcquireSync"]) {
    const hand = workers.run(JOBS, "acquire", semaphore, form, 1)
    await eventually(() => semaphore.queueLength === 1)
    await hand.heard("asking")
    threadContext().registry.interrupt((await hand.firstWord()) as number)
    assert.deepEqual(await hand.result, { outcome: "InterruptedError", isInterrupted: false })
    assert.equal(semaphore.queueLength, 0)
  }
})

test("[SM26][SM29] but not of one that ignores it", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0)
  const hand = workers.run(JOBS, "acquire", semaphore, "acquireUninterruptiblySync", 1)
  await eventually(() => semaphore.queueLength === 1)
  await hand.heard("asking")
  threadContext().registry.interrupt((await hand.firstWord()) as number)
  semaphore.release()
  assert.deepEqual(await hand.result, { outcome: "got", isInterrupted: true })
})

test("[SM30] blocked threads and flows that await stand in one line", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0, { fair: true })
  const order: string[] = []
  const wait = async (name: string, form?: string): Promise<unknown> => {
    const length = semaphore.queueLength
    const got = (
      form === undefined ? semaphore.acquire() : workers.run(JOBS, "acquire", semaphore, form, 1).result
    ).then(() => order.push(name))
    await eventually(() => semaphore.queueLength === length + 1)
    return { got }
  }
  const pending = [
    await wait("blocked", "acquireSync"),
    await wait("here"),
    await wait("awaits", "acquire"),
    await wait("here again"),
    await wait("blocked too", "tryAcquireSync"),
  ] as { got: Promise<unknown> }[]
  for (const { got } of pending) {
    semaphore.release()
    await got
  }
  assert.deepEqual(order, ["blocked", "here", "awaits", "here again", "blocked too"])
})

for (const fair of [false, true]) {
  test(`[SM31] never too many are inside, and all permits come back: ${fair ? "fair" : "not fair"}`, async () => {
    await using workers = new Workers()
    const semaphore = new Semaphore(3, { fair })
    const inside = sharedWords(1)
    const rounds = 1500 * STRESS
    const most = await Promise.all([
      ...[1, 2, 3].map(() => workers.run(JOBS, "goInAndOut", semaphore, inside, rounds).result as Promise<number>),
      goInAndOut(semaphore, inside, rounds),
    ])
    assert.ok(Math.max(...most) <= 3, `${most.join(", ")} inside`)
    assert.equal(semaphore.availablePermits, 3)
    assert.equal(semaphore.queueLength, 0)
  })
}

test("[SM32] a thread that nobody could wake is not blocked", async () => {
  const semaphore = new Semaphore(0)
  const call = await new Task().waitIn(() => semaphore.acquire())
  for (const acquire of [() => semaphore.acquireSync(), () => semaphore.acquireUninterruptiblySync()]) {
    assert.throws(acquire, { name: "IllegalStateError", message: /^This thread would block for ever: / })
  }
  const limit = timeLimit(15)
  assert.equal(semaphore.tryAcquireSync(1, 15), false)
  assert.equal(limit.isOver, true)
  assert.equal(semaphore.queueLength, 1)
  semaphore.release()
  await call.ends()
})

test("[SM33] a thread that dies while it waits leaves the line", async () => {
  await using workers = new Workers()
  for (const form of ["acquireSync", "acquire"]) {
    const semaphore = new Semaphore(1, { fair: true })
    const doomed = workers.run(JOBS, "acquire", semaphore, form, 5)
    await eventually(() => semaphore.queueLength === 1)
    const call = await new Task().waitIn(() => semaphore.acquire())
    const other = workers.run(JOBS, "acquire", semaphore, "acquireSync", 1)
    await eventually(() => semaphore.queueLength === 3)
    await doomed.kill()
    await eventually(() => !call.isPending)
    await call.ends()
    semaphore.release()
    await other.result
    assert.equal(semaphore.queueLength, 0)
    assert.equal(semaphore.availablePermits, 0)
  }
})

test("[SM33] also if it ends itself", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(0, { fair: true })
  const doomed = workers.run(JOBS, "exitWhileWaiting", semaphore)
  assert.equal(await doomed.gone, 3)
  semaphore.release()
  await semaphore.acquire(1, 60_000)
  assert.equal(semaphore.queueLength, 0)
})

test("[SM33][SM34] a thread that dies at any moment stops nobody", async () => {
  await using workers = new Workers()
  for (let time = 0; time < 4 * STRESS; time++) {
    const semaphore = new Semaphore(2, { fair: time % 2 === 0 })
    const doomed = workers.run(JOBS, "goRound", semaphore, Infinity, time % 4 < 2)
    await doomed.heard("under way")
    const others = [true, false].map((blocks) => workers.run(JOBS, "goRound", semaphore, 2000, blocks))
    await Promise.all(others.map((hand) => hand.heard("under way")))
    await doomed.kill()
    for (const hand of others) assert.equal(await hand.result, "done")
    // It took one permit along, or none.
    assert.ok(semaphore.availablePermits >= 1, String(semaphore))
    assert.equal(semaphore.queueLength, 0)
  }
})

test("[SM34] the permits of a thread that dies stay taken, until somebody releases them", async () => {
  await using workers = new Workers()
  const semaphore = new Semaphore(3)
  const doomed = workers.run(JOBS, "keepPermits", semaphore, 2)
  await doomed.heard("got")
  await doomed.kill()
  assert.equal(semaphore.availablePermits, 1)
  const call = await new Task().waitIn(() => semaphore.acquire(3))
  semaphore.release(2)
  await call.ends()
})
