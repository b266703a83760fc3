import { IllegalStateError, Thread, virtualThreads } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { Gate, thrownBy, turns } from "../../support/harness.ts"
import { runProgram } from "../../support/child.ts"
import { create, Threads } from "./threads.ts"

test("[TH12] start() does not run the target inside the call", async () => {
  await using threads = new Threads()
  const order: string[] = []
  const thread = threads.create(() => order.push(`target, alive: ${thread.isAlive}`))
  assert.equal(thread.isAlive, false)
  thread.start()
  order.push(`started, alive: ${thread.isAlive}`)
  await thread.join()
  assert.deepEqual(order, ["started, alive: true", "target, alive: true"])
  assert.equal(thread.isAlive, false)
})

test("[TH13] a thread starts once", async () => {
  await using threads = new Threads()
  let ran = 0
  const thread = threads.start(() => ran++)
  assert.ok(thrownBy(() => thread.start()) instanceof IllegalStateError)
  await thread.join()
  const error = thrownBy(() => thread.start())
  assert.ok(error instanceof IllegalStateError)
  assert.equal(error.message, `${thread} was started already`)
  await turns()
  assert.equal(ran, 1)
  assert.ok(thrownBy(() => Thread.currentThread().start()) instanceof IllegalStateError)
})

test("[TH14] a thread lives until the promise of its target settles", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const thread = threads.start(gate.body)
  await gate.entered()
  await turns()
  assert.equal(thread.isAlive, true)
  gate.open()
  await thread.join()
  assert.equal(thread.isAlive, false)
})

test("[TH15] join() waits for the end, and all who join are released", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const thread = threads.start(gate.body)
  let released = 0
  const joins = Array.from({ length: 100 }, async (_, i) => {
    const ended = await (i % 2 === 0 ? thread.join() : thread.join(600_000))
    released++
    return ended
  })
  await turns()
  assert.equal(released, 0)
  gate.open()
  assert.deepEqual(new Set(await Promise.all(joins)), new Set([true]))
})

test("[TH15] join() with a limit gives false when the time is up; with zero it only looks", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const thread = threads.start(gate.body)
  assert.deepEqual([await thread.join(1), await thread.join(0), await thread.join(-Infinity)], [false, false, false])
  assert.equal(thread.isAlive, true)
  gate.open()
  assert.equal(await thread.join(), true)
  assert.equal(await thread.join(0), true)
})

test("[TH15] join() can be given up by a signal", async () => {
  await using threads = new Threads()
  const gate = new Gate()
  const thread = threads.start(gate.body)
  const controller = new AbortController()
  const join = thread.join({ signal: controller.signal })
  controller.abort(new Error("no patience"))
  await assert.rejects(join, /no patience/)
  gate.open()
})

test("[TH15] a thread that joins itself waits as long as it was told to", async () => {
  await using threads = new Threads()
  const { outcome } = threads.call(() => Thread.currentThread().join(1))
  assert.equal(await outcome, false)
})

test("[TH16] a thread that was never started, or has ended, is joined at once, also by an interrupted one", async () => {
  await using threads = new Threads()
  const fresh = threads.create(() => undefined)
  const ended = threads.start(() => undefined)
  await ended.join()
  const { outcome } = threads.call(async () => [await fresh.join(), await ended.join(), Thread.interrupted()], {
    interrupted: true,
  })
  assert.deepEqual(await outcome, [true, true, true])
})

test("[TH17] a thread that waits for nothing outside does not keep the process alive", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, LinkedBlockingQueue, Thread, virtualThreads } from "corepool"
    const queue = new LinkedBlockingQueue()
    virtualThreads().newThread(() => queue.take()).start()
    virtualThreads().newThread(() => Thread.sleep(Infinity)).start()
    Executors.newFixedThreadPool(2, virtualThreads()).execute(() => console.log("ran"))
  `)
  assert.deepEqual([code, stdout, stderr], [0, "ran\n", ""])
})

test("[TH17] a thread that sleeps, or waits with a limit, keeps the process alive until it has ended", async () => {
  const { code, stdout } = await runProgram(`
    import { LinkedBlockingQueue, Thread, virtualThreads } from "corepool"
    const queue = new LinkedBlockingQueue()
    virtualThreads().newThread(async () => {
      await Thread.sleep(2)
      console.log(await queue.poll(2))
    }).start()
  `)
  assert.deepEqual([code, stdout], [0, "undefined\n"])
})

/** Errors of every sort, thrown at once and later. */
const errors: unknown[] = [new Error("in vain"), "text", undefined]

for (const error of errors) {
  test(`[TH18] what ends a thread goes to the handler, in the dying thread and before the join: ${String(error)}`, async () => {
    const targets = [
      () => {
        throw error
      },
      () => Promise.reject(error),
      async () => {
        await Promise.resolve()
        throw error
      },
    ]
    for (const target of targets) {
      const order: unknown[] = []
      const factory = virtualThreads({
        uncaughtException: (dying, seen) => order.push(dying, seen, Thread.currentThread(), dying.isAlive),
      })
      const thread = create(factory, target)
      const joined = thread.join()
      thread.start()
      const join = thread.join().then(() => order.push("joined"))
      await Promise.all([joined, join])
      assert.deepEqual(order, [thread, error, thread, true, "joined"])
      assert.equal(thread.isAlive, false)
    }
  })
}

test("[TH18] a target that returns a revoked proxy ends its thread with the error of looking at it", async () => {
  await using threads = new Threads()
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const thread = threads.start(() => proxy)
  await thread.join()
  const [uncaught] = threads.takeUncaught()
  assert.equal(uncaught?.thread, thread)
  assert.ok(uncaught.error instanceof TypeError)
})

test("[TH19] without a handler the error is printed", async (t) => {
  const printed = t.mock.method(console, "error", () => undefined)
  const error = new Error("in vain")
  const thread = create(virtualThreads({ name: "io" }), () => {
    throw error
  })
  thread.start()
  await thread.join()
  assert.deepEqual(
    printed.mock.calls.map((call) => call.arguments),
    [['Exception in thread "io-1"', error]],
  )
})

test("[TH20] if the handler throws, both errors are printed and the thread ends", async (t) => {
  const printed = t.mock.method(console, "error", () => undefined)
  const [first, second] = [new Error("in vain"), new Error("the handler")]
  const factory = virtualThreads({
    name: "io",
    uncaughtException: () => {
      throw second
    },
  })
  const thread = create(factory, async () => {
    await Promise.resolve()
    throw first
  })
  thread.start()
  assert.equal(await thread.join(), true)
  assert.deepEqual(
    printed.mock.calls.map((call) => call.arguments),
    [
      ['Exception in thread "io-1"', first],
      ['Exception in thread "io-1"', second],
    ],
  )
})

test("[TH19][TH21] an error that ends a thread is printed and does not end the process", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { virtualThreads } from "corepool"
    process.on("unhandledRejection", () => console.log("unhandled"))
    process.on("uncaughtException", () => console.log("uncaught"))
    const factory = virtualThreads({ name: "io" })
    const threads = [
      factory.newThread(() => { throw new Error("at once") }),
      factory.newThread(async () => { await null; throw new Error("later") }),
    ]
    for (const thread of threads) thread.start()
    for (const thread of threads) await thread.join()
    setImmediate(() => console.log("end"))
  `)
  assert.deepEqual([code, stdout], [0, "end\n"])
  // What an error looks like is the runtime's choice. Bun shows a piece of the source first.
  assert.match(stderr, /Exception in thread "io-1" [^]*[Ee]rror: at once\n +at /)
  assert.match(stderr, /Exception in thread "io-2" [^]*[Ee]rror: later\n +at /)
})
