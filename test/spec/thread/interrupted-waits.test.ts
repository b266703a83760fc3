import { Executors, FutureTask, InterruptedError, LinkedBlockingQueue, Thread } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, Gate, rejectionOf, turns } from "../../support/harness.ts"
import { Threads } from "./threads.ts"
import { stage, waits } from "./waits.ts"

for (const [name, wait] of Object.entries(waits)) {
  test(`[TH25] an interrupt ends a wait: ${name}`, async () => {
    await using threads = new Threads()
    await using on = stage(threads)
    let waiting = false
    const { thread, outcome } = threads.call(async () => {
      const pending = wait(on)
      waiting = true
      const error = await rejectionOf(pending)
      const flag = Thread.currentThread().isInterrupted
      // It can wait again.
      const again = new LinkedBlockingQueue<string>()
      again.add("e")
      return [error, flag, await again.take()] as const
    })
    await eventually(() => waiting)
    await turns()
    thread.interrupt()
    const [error, flag, element] = await outcome
    assert.ok(error instanceof InterruptedError)
    assert.deepEqual([flag, element], [false, "e"])
  })

  test(`[TH26] a raised flag ends a wait before it begins: ${name}`, async () => {
    await using threads = new Threads()
    await using on = stage(threads)
    const { outcome } = threads.call(
      async () => [await rejectionOf(wait(on)), Thread.currentThread().isInterrupted] as const,
      { interrupted: true },
    )
    const [error, flag] = await outcome
    assert.ok(error instanceof InterruptedError)
    assert.equal(flag, false)
  })
}

test("[TH27] one interrupt ends all waits that a thread is in", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const future = new FutureTask(() => 1)
  const { thread, outcome } = threads.call(async () => {
    const results = await Promise.allSettled([queue.take(), future, future.get(600_000), Thread.sleep(600_000)])
    return { results, flag: Thread.currentThread().isInterrupted }
  })
  await turns()
  thread.interrupt()
  const { results, flag } = await outcome
  for (const result of results) assert.ok(result.status === "rejected" && result.reason instanceof InterruptedError)
  assert.equal(flag, false)
  // Nothing is left behind: the next element is there for whoever comes.
  queue.add("e")
  assert.equal(queue.size, 1)
})

test("[TH27] a flag raised before several waits costs only the first", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const { outcome } = threads.call(() => Promise.allSettled([queue.take(), queue.take(), queue.take()]), {
    interrupted: true,
  })
  await turns()
  queue.addAll(["a", "b"])
  const [first, second, third] = await outcome
  assert.ok(first.status === "rejected" && first.reason instanceof InterruptedError)
  assert.deepEqual(
    [second, third],
    [
      { status: "fulfilled", value: "a" },
      { status: "fulfilled", value: "b" },
    ],
  )
})

test("[TH28] a wait that was served keeps its result; the interrupt is there for the next one", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const { thread, outcome } = threads.call(async () => {
    const element = await queue.take()
    const flag = Thread.currentThread().isInterrupted
    return [element, flag, await rejectionOf(queue.take())]
  })
  await turns()
  queue.add("e")
  thread.interrupt()
  const [element, flag, error] = await outcome
  assert.deepEqual([element, flag], ["e", true])
  assert.ok(error instanceof InterruptedError)
})

test("[TH28] what is put in the same breath after an interrupt is not swallowed by the broken wait", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const broken = threads.call(() => queue.take())
  await turns()
  const other = threads.call(() => queue.take())
  await turns()
  broken.thread.interrupt()
  queue.add("e")
  assert.ok((await rejectionOf(broken.outcome)) instanceof InterruptedError)
  assert.equal(await other.outcome, "e")
})

test("[TH35] close() turns an interrupt into shutdownNow, waits on, and raises the flag again", async () => {
  await using threads = new Threads()
  const pool = Executors.newFixedThreadPool(2, threads.factory)
  const [yielding, stubborn] = [new Gate(), new Gate()]
  const interrupted = pool.submit(yielding.interruptible)
  const finished = pool.submit(stubborn.body)
  await Promise.all([yielding.entered(), stubborn.entered()])
  const { thread, outcome } = threads.call(async () => {
    await pool.close()
    return [pool.isTerminated, Thread.interrupted()]
  })
  await turns()
  thread.interrupt()
  assert.ok((await rejectionOf(interrupted)) instanceof InterruptedError)
  assert.equal(pool.isTerminated, false)
  stubborn.open("its own value")
  assert.deepEqual(await outcome, [true, true])
  assert.equal(await finished, "its own value")
})
