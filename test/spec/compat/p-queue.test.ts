import { TimeoutError } from "corepool"
import { PQueue, PriorityQueue } from "corepool/compat"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import test from "node:test"
import { Gate, rejectionOf, turns } from "../../support/harness.ts"
import { Lab } from "../executor/support.ts"

test("[CT11] priorities, concurrency, and a begin inside add", async () => {
  const queue = new PQueue({ concurrency: 1 })
  const gate = new Gate()
  const order: string[] = []
  const first = queue.add(async () => {
    order.push("first")
    await gate.body()
  })
  assert.deepEqual(order, ["first"])
  const rest = ["b", "c", "a", "d"].map((name) =>
    queue.add(() => order.push(name), { priority: { a: 2, b: 1, c: 1 }[name] ?? 0, id: name }),
  )
  assert.deepEqual([queue.size, queue.pending, queue.sizeBy({ priority: 1 }), queue.isSaturated], [4, 1, 2, true])
  queue.setPriority("d", 3)
  assert.throws(() => queue.setPriority("none", 3), ReferenceError)
  gate.open()
  await Promise.all([first, ...rest])
  assert.deepEqual(order, ["first", "d", "a", "b", "c"])
})

test("[CT11] the queue of priorities keeps its order through removals", () => {
  const queue = new PriorityQueue()
  const runs = Array.from({ length: 300 }, (_, n) => Object.assign(async () => n, { n }))
  for (const run of runs) queue.enqueue(run, { priority: run.n % 3, id: String(run.n) })
  queue.remove("4")
  queue.remove(runs[5] as never)
  queue.setPriority("0", 9)
  const taken = Array.from({ length: 298 }, () => (queue.dequeue() as unknown as { n: number }).n)
  const expected = [
    0,
    ...[2, 1, 0].flatMap((p) => runs.map(({ n }) => n).filter((n) => n % 3 === p && ![0, 4, 5].includes(n))),
  ]
  assert.deepEqual(taken, expected)
  assert.deepEqual([queue.size, queue.dequeue()], [0, undefined])
})

for (const strict of [false, true]) {
  test(`[CT12] ${strict ? "strict" : "fixed"}: no more tasks begin in an interval than may`, async () => {
    const interval = 40
    const queue = new PQueue({ interval, intervalCap: 2, strict })
    let started = 0
    const limited = queue.onRateLimit()
    const begin = performance.now()
    const all = Promise.all([1, 2, 3, 4, 5].map(() => queue.add(() => started++)))
    assert.equal(started, 2)
    await limited
    assert.equal(queue.isRateLimited, true)
    await all
    const taken = performance.now() - begin
    await queue.onRateLimitCleared()
    // The fifth task begins in the third interval. A timer counts whole milliseconds, and a busy machine makes it only longer.
    assert.ok(taken >= 2 * interval - 2)
  })
}

test("[CT13] time-outs and signals", async () => {
  const queue = new PQueue({ concurrency: 1, timeout: 2 })
  const gate = new Gate()
  assert.ok((await rejectionOf(queue.add(gate.body))) instanceof TimeoutError)
  const controller = new AbortController()
  const { signal } = controller
  const running = queue.add(gate.body, { signal, timeout: 1_000_000 })
  const waiting = queue.add(() => assert.fail("runs"), { signal })
  const other = queue.add(() => "other")
  controller.abort("enough")
  assert.equal(await rejectionOf(running), "enough")
  assert.equal(await rejectionOf(waiting), "enough")
  assert.equal(await other, "other")
  assert.equal(getEventListeners(signal, "abort").length, 0)
  assert.equal(await rejectionOf(queue.add(() => 1, { signal })), "enough")
  gate.open()
})

test("[CT14] [CT15] control, waiting and events", async () => {
  const queue = new PQueue({ concurrency: 1, autoStart: false })
  const events: string[] = []
  for (const name of ["add", "active", "completed", "error", "next", "empty", "idle", "pendingZero"] as const) {
    queue.on(name, () => events.push(name))
  }
  const done = queue.add(() => "value")
  assert.deepEqual([queue.isPaused, queue.size, events], [true, 1, ["add"]])
  assert.equal(queue.start(), queue)
  assert.equal(await done, "value")
  await queue.onIdle()
  await turns()
  assert.deepEqual([...new Set(events)], ["add", "active", "empty", "completed", "pendingZero", "idle", "next"])
  queue.pause()
  void queue.add(() => assert.fail("runs"))
  const small = queue.onSizeLessThan(1)
  queue.clear()
  await Promise.all([small, queue.onEmpty(), queue.onPendingZero()])
  queue.start()
  const failure = queue.onError()
  const failing = queue.add(() => Promise.reject(new Error("task")))
  assert.equal(((await rejectionOf(failure)) as Error).message, "task")
  assert.equal(((await rejectionOf(failing)) as Error).message, "task")
  queue.concurrency = 2
  const gate = new Gate()
  const both = [queue.add(gate.body), queue.add(gate.body)]
  assert.deepEqual([queue.pending, queue.runningTasks.length], [2, 2])
  gate.open()
  await Promise.all(both)
  await turns()
})

test("[CT15] a listener that throws does no harm, and its error goes to the uncaught-exception handler", async () => {
  await using lab = new Lab()
  const queue = new PQueue()
  queue.once("completed", () => {
    throw new Error("of the listener")
  })
  const heard: unknown[] = []
  queue.on("completed", (value: unknown) => heard.push(value))
  const { outcome } = lab.call(() => queue.add(() => 1))
  assert.deepEqual(await outcome, { status: "fulfilled", value: 1 })
  assert.equal(await queue.add(() => 2), 2)
  assert.deepEqual(heard, [1, 2])
  assert.deepEqual(lab.takeUncaught().map(String), ["Error: of the listener"])
})

test("[CT16] wrong options are refused", async () => {
  for (const options of [
    { concurrency: 0 },
    { concurrency: undefined },
    { intervalCap: 0 },
    { interval: -1 },
    { interval: Infinity },
    { timeout: 0 },
    { strict: true },
    { strict: true, interval: 1 },
  ]) {
    assert.throws(() => new PQueue(options as object), TypeError)
  }
  assert.ok((await rejectionOf(new PQueue().add(() => 1, { timeout: -1 }))) instanceof TypeError)
  assert.throws(() => (new PQueue().concurrency = 0), TypeError)
  assert.throws(() => new PQueue().setPriority("x", NaN), TypeError)
})
