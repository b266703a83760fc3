/** ExecutorCompletionService for threads that block. */
import {
  CountDownLatch,
  ExecutorCompletionService,
  Executors,
  ForkJoinPool,
  IllegalStateError,
  InterruptedError,
  platformThreads,
  Thread,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { turns } from "../../support/harness.ts"

const POOLS = {
  fixed: () => Executors.newFixedThreadPool(2, platformThreads()),
  "fork/join": () => new ForkJoinPool({ parallelism: 2 }),
}

/** A task that ends when it is told to. */
async function held(latch: CountDownLatch, value: string): Promise<string> {
  await latch.await()
  return value
}

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[CS15] takeSync blocks for the next task that ends, in whatever order they were submitted: ${kind}`, async () => {
    await using pool = open()
    const service = new ExecutorCompletionService<string>(pool)
    const latch = new CountDownLatch(1)
    const slow = service.submit(held, latch, "slow")
    const quick = service.submit((value: string) => value, "quick")
    assert.deepEqual(service.takeSync(), { status: "fulfilled", value: "quick", future: quick })
    assert.equal(service.pollSync(1), undefined)
    assert.equal(service.pollSync(0), undefined)
    latch.countDown()
    assert.deepEqual(service.takeSync(), { status: "fulfilled", value: "slow", future: slow })
    assert.throws(() => service.takeSync(), IllegalStateError)
    assert.equal(service.pollSync(1), undefined)
  })

  test(`[CS15] failures and cancellations are taken too: ${kind}`, async () => {
    await using pool = open()
    const service = new ExecutorCompletionService<string>(pool)
    service.submit(() => {
      throw new RangeError("its own")
    })
    const failed = service.pollSync(1e6)
    assert.ok(failed?.status === "rejected" && failed.reason instanceof RangeError)
    const latch = new CountDownLatch(1)
    const future = service.submit(held, latch, "never")
    future.cancel(true)
    assert.equal(service.takeSync().future, future)
  })
}

test("[CS15] many tasks are taken, each once", async () => {
  await using pool = Executors.newFixedThreadPool(2)
  const service = new ExecutorCompletionService<number>(pool)
  for (let i = 0; i < 500; i++) service.submit((n: number) => n, i)
  const values = Array.from({ length: 500 }, () => {
    const taken = service.takeSync()
    return taken.status === "fulfilled" ? taken.value : -1
  })
  assert.deepEqual(
    values.toSorted((a, b) => a - b),
    values.map((_, i) => i),
  )
})

test("[CS15] one who awaits was there first, and is served before", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const service = new ExecutorCompletionService<string>(pool)
  const awaiting = service.take()
  const first = service.submit((value: string) => value, "first")
  const second = service.submit((value: string) => value, "second")
  assert.equal(service.takeSync().future, second)
  assert.equal((await awaiting).future, first)
})

test("[CS15] an interrupt ends the wait, and takes nothing away", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const service = new ExecutorCompletionService<string>(pool)
  const latch = new CountDownLatch(1)
  const future = service.submit(held, latch, "value")
  Thread.currentThread().interrupt()
  assert.throws(() => service.takeSync(), InterruptedError)
  latch.countDown()
  assert.equal(service.takeSync().future, future)
})

test("[CS15] on virtual threads only what is done can be taken", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const service = new ExecutorCompletionService<string>(pool)
  const latch = new CountDownLatch(1)
  const future = service.submit(held, latch, "value")
  for (const ask of [() => service.takeSync(), () => service.pollSync(1)]) {
    assert.throws(ask, UnsupportedOperationError)
  }
  assert.equal(service.pollSync(0), undefined)
  latch.countDown()
  await future
  await turns()
  assert.equal(service.takeSync().future, future)
  assert.throws(() => service.pollSync("1" as never), TypeError)
})

test("[CS16] poll() sees what has ended in another thread, without a turn of the event loop", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const service = new ExecutorCompletionService<string>(pool)
  const latch = new CountDownLatch(1)
  const future = service.submit((done: CountDownLatch) => {
    done.countDown()
    return "value"
  }, latch)
  latch.awaitSync()
  let taken = service.poll()
  while (taken === undefined) taken = service.poll() // the task has yet to return
  assert.deepEqual(taken, { status: "fulfilled", value: "value", future })
})
