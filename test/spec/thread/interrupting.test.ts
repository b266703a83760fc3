import { FutureTask, InterruptedError, LinkedBlockingQueue, Thread } from "corepool"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { test } from "node:test"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"
import { Pools } from "../../support/pools.ts"
import { Threads } from "./threads.ts"

test("[TH22] interrupt() raises the flag, isInterrupted leaves it, Thread.interrupted() clears it", async () => {
  await using threads = new Threads()
  const { outcome } = threads.call(() => {
    const self = Thread.currentThread()
    const seen = [self.isInterrupted, Thread.interrupted()]
    self.interrupt()
    seen.push(self.isInterrupted, self.isInterrupted, Thread.interrupted(), self.isInterrupted, Thread.interrupted())
    return seen
  })
  assert.deepEqual(await outcome, [false, false, true, true, true, false, false])
})

test("[TH22] Thread.interrupted() is about the current thread only", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const { thread, outcome } = threads.call(async () => {
    await gate.body()
    return Thread.interrupted()
  })
  await gate.entered()
  thread.interrupt()
  assert.equal(Thread.interrupted(), false)
  assert.equal(thread.isInterrupted, true)
  gate.open()
  assert.equal(await outcome, true)
})

test("[TH23] the signal aborts with the interrupt and is replaced once the flag was cleared", async () => {
  await using threads = new Threads()
  const { outcome } = threads.call(() => {
    const self = Thread.currentThread()
    const first = self.signal
    assert.equal(self.signal, first)
    assert.equal(first.aborted, false)

    self.interrupt()
    assert.equal(first.aborted, true)
    assert.ok(first.reason instanceof InterruptedError)
    assert.equal(self.signal, first)

    Thread.interrupted()
    const second = self.signal
    assert.notEqual(second, first)
    assert.deepEqual([first.aborted, second.aborted], [true, false])
    self.interrupt()
    assert.equal(second.aborted, true)
  })
  await outcome
})

test("[TH23] a signal first asked for while the flag is raised has aborted already", async () => {
  await using threads = new Threads()
  const { outcome } = threads.call(
    () => {
      const { signal } = Thread.currentThread()
      const before = [signal.aborted, signal.reason instanceof InterruptedError]
      Thread.interrupted()
      return [...before, Thread.currentThread().signal.aborted]
    },
    { interrupted: true },
  )
  assert.deepEqual(await outcome, [true, true, false])
})

test("[TH23] a wait that is broken off clears the flag, and so the next signal is fresh", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const { thread, outcome } = threads.call(async () => {
    const first = Thread.currentThread().signal
    await rejectionOf(queue.take())
    return [first.aborted, Thread.currentThread().signal.aborted]
  })
  await turns()
  thread.interrupt()
  assert.deepEqual(await outcome, [true, false])
})

test("[TH24] a second interrupt while the flag is raised has no effect of its own", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  let aborts = 0
  const { thread, outcome } = threads.call(async () => {
    Thread.currentThread().signal.addEventListener("abort", () => aborts++)
    await gate.body()
    return [Thread.interrupted(), Thread.interrupted()]
  })
  await gate.entered()
  for (let i = 0; i < 3; i++) thread.interrupt()
  gate.open()
  assert.deepEqual(await outcome, [true, false])
  assert.equal(aborts, 1)
})

test("[TH29] an interrupt before the start is kept", async () => {
  await using threads = new Threads()
  const seen: unknown[] = []
  const thread = threads.create(async () => {
    seen.push(Thread.currentThread().isInterrupted)
    seen.push((await rejectionOf(Thread.sleep(600_000))) instanceof InterruptedError)
    seen.push(Thread.currentThread().isInterrupted)
  })
  thread.interrupt()
  assert.equal(thread.isInterrupted, true)
  thread.start()
  await thread.join()
  assert.deepEqual(seen, [true, true, false])
})

test("[TH30] interrupting a thread that has ended has no effect", async () => {
  await using threads = new Threads()
  const thread = threads.start(() => undefined)
  await thread.join()
  const { signal } = thread
  thread.interrupt()
  assert.deepEqual([thread.isInterrupted, signal.aborted, thread.isAlive], [false, false, false])
})

test("[TH31] an interrupt does not reach the threads that one started, waits for, or is waited for by", async () => {
  await using threads = new Threads()
  const queue = new LinkedBlockingQueue<string>()
  const child: { call?: ReturnType<typeof threads.call<string>> } = {}
  const parent = threads.call(async () => {
    child.call = threads.call(() => queue.take())
    await child.call.outcome
    await queue.take()
  })
  const waiter = threads.call(() => parent.thread.join())
  await turns()
  const future = new FutureTask(() => 1)
  const mine = future.get()
  parent.thread.interrupt()
  await turns()
  // The parent was in a promise's await, which is no wait of corepool: its flag stays until its next wait.
  assert.deepEqual([parent.thread.isInterrupted, child.call?.thread.isInterrupted], [true, false])
  assert.deepEqual([waiter.thread.isInterrupted, Thread.currentThread().isInterrupted], [false, false])
  queue.add("e")
  assert.equal(await child.call?.outcome, "e")
  assert.ok((await rejectionOf(parent.outcome)) instanceof InterruptedError)
  assert.equal(await waiter.outcome, true)
  await future.run()
  assert.equal(await mine, 1)
})

test("[TH32] code that waits for something else is reached by the signal", async () => {
  await using threads = new Threads()
  const { thread, outcome } = threads.call(async () => {
    const { signal } = Thread.currentThread()
    return await rejectionOf(sleep(600_000, undefined, { signal }))
  })
  await turns()
  thread.interrupt()
  const error = await outcome
  assert.ok(error instanceof Error)
  assert.equal(error.name, "AbortError")
  assert.ok(error.cause instanceof InterruptedError)
})

test("[TH33] main can be interrupted like any thread", async () => {
  const main = Thread.currentThread()
  const sleeping = Thread.sleep(600_000)
  main.interrupt()
  assert.ok((await rejectionOf(sleeping)) instanceof InterruptedError)
  assert.equal(main.isInterrupted, false)
  main.interrupt()
  assert.equal(main.signal.aborted, true)
  assert.ok((await rejectionOf(Thread.sleep(1))) instanceof InterruptedError)
  assert.equal(main.signal.aborted, false)
})

test("[TH33] a thread can interrupt itself while it is in a wait", async () => {
  await using threads = new Threads()
  const { outcome } = threads.call(async () => {
    const sleeping = Thread.sleep(600_000)
    Thread.currentThread().interrupt()
    return [await rejectionOf(sleeping), Thread.interrupted()] as const
  })
  const [error, flag] = await outcome
  assert.ok(error instanceof InterruptedError)
  assert.equal(flag, false)
})

test("[TH34] every task of a pool has a signal of its own, on the same worker", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  const heard: number[] = []
  const leave = (n: number): [Thread, AbortSignal] => {
    const self = Thread.currentThread()
    self.signal.addEventListener("abort", () => heard.push(n))
    return [self, self.signal]
  }
  const tasks = Array.from({ length: 20 }, (_, n) => pool.submit(leave, n))
  const seen = await Promise.all(tasks)
  assert.equal(new Set(seen.map(([thread]) => thread)).size, 1)
  assert.equal(new Set(seen.map(([, signal]) => signal)).size, 20)
  for (const [, signal] of seen) assert.equal(getEventListeners(signal, "abort").length, 1)

  const gate = pools.gate()
  const last = pool.submit(gate.body)
  await gate.entered()
  last.cancel(true)
  assert.deepEqual(heard, [])
})

test("[TH34] an interrupt that one task did not notice is not the next one's", async () => {
  await using pools = new Pools()
  const pool = pools.fixed(1)
  await pool.submit(() => Thread.currentThread().interrupt())
  assert.deepEqual(await pool.submit(() => [Thread.interrupted(), Thread.currentThread().signal.aborted]), [
    false,
    false,
  ])
})
