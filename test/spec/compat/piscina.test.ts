import { FixedQueue, Piscina, type PiscinaOptions, type PiscinaTask, queueOptionsSymbol } from "corepool/compat"
import assert from "node:assert/strict"
import { EventEmitter, once } from "node:events"
import test from "node:test"
import { eventually, rejectionOf } from "../../support/harness.ts"

const filename = new URL("./handlers.js", import.meta.url).href

/** A pool that ends with its block. */
function newPool(options: PiscinaOptions = {}): Piscina & AsyncDisposable {
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1, idleTimeout: Infinity, ...options })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() })
}

/** Word 0 lets `hold` go on, word 1 counts the tasks that have begun. */
function newWords(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(8))
}

function begun(words: Int32Array, count = 1): Promise<void> {
  return eventually(() => Atomics.load(words, 1) >= count)
}

function letGo(words: Int32Array): void {
  Atomics.store(words, 0, 1)
  Atomics.notify(words, 0)
}

test("[CT17] run calls the export of the module, by default the default one, with the value", async () => {
  await using pool = newPool()
  assert.equal(await pool.run({ a: 4, b: 6 }), 10)
  assert.equal(await pool.run({ a: 4, b: 6 }, { name: "multiply" }), 24)
  const error = await rejectionOf(pool.run("of the task", { name: "fail" }))
  assert.ok(error instanceof RangeError)
  assert.equal(error.message, "of the task")
  assert.equal(await pool.run(1, { filename: new URL("./late-handler.js", import.meta.url).href }), 2)
  assert.match(String(await rejectionOf(pool.run(1, { name: "none" }))), /No handler function "none" exported from/)
  assert.equal(pool.completed, 5)
})

test("[CT17] a thread knows what it is, and has the arguments and the data of the pool", async () => {
  await using pool = newPool({ workerData: { n: 1 }, argv: ["x", 7] })
  assert.deepEqual(await pool.run(undefined, { name: "whereAmI" }), {
    isWorkerThread: true,
    again: true,
    workerData: { n: 1 },
    arguments: ["x", "7"],
  })
  assert.equal(Piscina.isWorkerThread, false)
  assert.equal(Piscina.workerData, undefined)
})

test("[CT18] tasks wait when all threads have one, and threads are added up to the maximum before that", async () => {
  await using pool = newPool({ minThreads: 1, maxThreads: 2, maxQueue: 1 })
  const words = newWords()
  assert.equal(pool.threads.length, 1)
  const held = [1, 2].map(() => pool.run(words, { name: "hold" }))
  assert.equal(pool.threads.length, 2)
  assert.deepEqual([pool.queueSize, pool.idleThreads], [0, 0])
  const waiting = pool.run({ a: 1, b: 2 })
  assert.equal(pool.queueSize, 1)
  assert.match(String(await rejectionOf(pool.run({ a: 1, b: 2 }))), /Task queue is at limit/)
  await begun(words, 2)
  letGo(words)
  assert.equal(new Set(await Promise.all(held)).size, 2)
  assert.equal(await waiting, 3)
  assert.deepEqual([pool.queueSize, pool.idleThreads], [0, 2])
})

test("[CT18] threads beyond the minimum leave when they are idle", async () => {
  await using pool = newPool({ minThreads: 0, maxThreads: 1, idleTimeout: 1 })
  assert.equal(pool.threads.length, 0)
  let ended = 0
  pool.on("workerDestroy", () => ended++)
  assert.equal(await pool.run({ a: 1, b: 1 }), 2)
  await eventually(() => ended === 1) // neither an idle thread nor its time limit keeps the process alive
  assert.equal(pool.threads.length, 0)
  assert.equal(await pool.run({ a: 1, b: 2 }), 3)
})

test("[CT18] without a queue a task is rejected if all threads are busy", async () => {
  await using pool = newPool({ maxQueue: 0 })
  const words = newWords()
  const held = pool.run(words, { name: "hold" })
  assert.match(String(await rejectionOf(pool.run(1))), /No task queue available and all Workers are busy/)
  letGo(words)
  await held
})

test("[CT18] a queue of the user's own decides which task is next, and sees the options of each", async () => {
  const seen: unknown[] = []
  class Last extends FixedQueue {
    override push(task: PiscinaTask): void {
      seen.push(task[queueOptionsSymbol])
      this.unshift(task)
    }
  }
  await using pool = newPool({ taskQueue: new Last() })
  const words = newWords()
  const held = pool.run(words, { name: "hold" })
  const rest = [1, 2, 3].map((n) => pool.run({ n, [queueOptionsSymbol]: { n } }, { name: "note" }))
  assert.deepEqual(seen, [{ n: 1 }, { n: 2 }, { n: 3 }])
  letGo(words)
  await Promise.all([held, ...rest])
  assert.deepEqual(await pool.run(undefined, { name: "notes" }), [3, 2, 1])
})

test("[CT19] a signal takes a waiting task out of the queue", async () => {
  await using pool = newPool()
  const words = newWords()
  const held = pool.run(words, { name: "hold" })
  const abort = new AbortController()
  const waiting = pool.run({ a: 1, b: 2 }, { signal: abort.signal })
  assert.equal(pool.queueSize, 1)
  const reason = new Error("no more")
  abort.abort(reason)
  assert.equal(pool.queueSize, 0)
  const error = await rejectionOf(waiting)
  assert.match(String(error), /AbortError: The task has been aborted/)
  assert.equal((error as Error).cause, reason)
  letGo(words)
  await held
})

test("[CT19] a signal ends the thread of a running task, and another one takes its place", async () => {
  await using pool = newPool()
  const words = newWords()
  const emitter = new EventEmitter()
  const spinning = pool.run(words, { name: "spin", signal: emitter })
  const waiting = pool.run({ a: 1, b: 2 })
  await begun(words)
  const [thread] = pool.threads
  emitter.emit("abort")
  assert.match(String(await rejectionOf(spinning)), /The task has been aborted/)
  assert.notEqual(pool.threads[0], thread)
  assert.equal(await waiting, 3)
  assert.equal(emitter.listenerCount("abort"), 0)
})

test("[CT19] an aborted signal keeps a task from running", async () => {
  await using pool = newPool()
  const buffer = new ArrayBuffer(8)
  const running = pool.run(buffer, { name: "length", signal: AbortSignal.abort(), transferList: [buffer] })
  assert.match(String(await rejectionOf(running)), /The task has been aborted/)
  assert.equal(buffer.byteLength, 8)
})

test("[CT20] a task whose thread ends is rejected with the reason, and the thread is replaced", async () => {
  await using pool = newPool()
  const [thread] = pool.threads
  assert.match(String(await rejectionOf(pool.run(3, { name: "exit" }))), /worker exited with code: 3/)
  assert.equal(pool.threads.length, 1)
  assert.notEqual(pool.threads[0], thread)
  assert.equal(await pool.run({ a: 1, b: 2 }), 3)
})

test("[CT20] an error of a thread without a task is an error event", async () => {
  await using pool = newPool()
  const errors: Error[] = []
  pool.on("error", (error: Error) => errors.push(error))
  assert.equal(await pool.run("left behind", { name: "leaveError" }), "done")
  await eventually(() => errors.length > 0)
  assert.deepEqual(errors.map(String), ["Error: left behind"])
  assert.equal(await pool.run({ a: 1, b: 2 }), 3)
})

test("[CT20] threads that end before they can have tasks are not replaced without end", async () => {
  const deadly = `data:text/javascript,${encodeURIComponent("process.exit(5)")}`
  await using pool = newPool({ execArgv: ["--import", deadly], minThreads: 2, maxThreads: 2 })
  const errors: Error[] = []
  let made = 0
  pool.on("error", (error: Error) => errors.push(error))
  pool.on("workerCreate", () => made++)
  await eventually(() => pool.threads.length === 0)
  assert.deepEqual(
    errors.map(String),
    Array.from({ length: 2 }, () => "Error: worker exited with code: 5"),
  )
  assert.match(String(await rejectionOf(pool.run({ a: 1, b: 2 }))), /worker exited with code: 5/)
  assert.equal(pool.threads.length, 0)
  assert.equal(made, 2)
})

test("[CT21] what is marked to be moved is moved, in both directions", async () => {
  await using pool = newPool()
  const buffers = [1, 2].map((size) => new ArrayBuffer(size))
  assert.equal(await pool.run(Piscina.move(buffers[0]), { name: "length" }), 1)
  assert.equal(await pool.run(buffers[1], { name: "length", transferList: [buffers[1] as ArrayBuffer] }), 2)
  assert.deepEqual(
    buffers.map((buffer) => buffer.byteLength),
    [0, 0],
  )
  assert.equal(((await pool.run(5, { name: "give" })) as ArrayBuffer).byteLength, 5)
  assert.equal(await pool.run(undefined, { name: "rest" }), 0)
})

test("[CT22] close runs the tasks that are there and refuses others; destroy rejects them", async () => {
  const pool = newPool()
  const words = newWords()
  const held = pool.run(words, { name: "hold" })
  const waiting = pool.run({ a: 1, b: 2 })
  const closed = once(pool, "close")
  const closing = pool.close()
  assert.match(String(await rejectionOf(pool.run({ a: 1, b: 2 }))), /The task has been aborted/)
  letGo(words)
  await Promise.all([held, closing, closed])
  assert.equal(await waiting, 3)
  assert.equal(pool.threads.length, 0)

  const other = newPool()
  const both = ["spin", "hold"].map((name) => rejectionOf(other.run(newWords(), { name })))
  await other.destroy()
  for (const error of await Promise.all(both)) assert.match(String(error), /Terminating worker thread/)
  assert.equal(other.threads.length, 0)
})

test("[CT22] close with force rejects waiting tasks, and close gives up after closeTimeout", async () => {
  const pool = newPool({ closeTimeout: 1 })
  const error = once(pool, "error")
  const both = ["spin", "hold"].map((name) => rejectionOf(pool.run(newWords(), { name })))
  await pool.close({ force: true })
  assert.match(String(await both[0]), /Terminating worker thread/)
  assert.match(String(await both[1]), /The task has been aborted/)
  assert.match(String((await error)[0]), /did not close in time/)
})

test("[CT23] events, messages and times tell what happens", async () => {
  await using pool = newPool({ maxQueue: 5 })
  const created = once(pool, "workerCreate")
  const full = once(pool, "needsDrain")
  const drained = once(pool, "drain")
  const messages: unknown[] = []
  pool.on("message", (message) => messages.push(message))
  const tasks = [1, 2, 3].map((n) => pool.run({ a: n, b: n }))
  assert.equal(pool.needsDrain, true)
  assert.deepEqual(await Promise.all(tasks), [2, 4, 6])
  await Promise.all([created, full, drained])
  assert.equal(pool.needsDrain, false)
  await pool.run("hello", { name: "say" })
  await eventually(() => messages.length > 0)
  assert.deepEqual(messages, ["hello"])
  assert.ok((pool.runTime?.max ?? 0) > 0)
  assert.ok((pool.waitTime?.["p99"] ?? 0) > 0)
  assert.ok(pool.utilization > 0 && pool.utilization < 1)
  pool.histogram.resetRunTime()
  assert.ok(Number.isNaN(pool.histogram.runTime?.mean))
  assert.equal(newPool({ recordTiming: false, minThreads: 0 }).runTime, null)
})

test("[CT23] a load balancer chooses the thread", async () => {
  const asked: number[] = []
  const open = newWords()
  letGo(open)
  await using pool = newPool({
    minThreads: 2,
    maxThreads: 2,
    workerHistogram: true,
    loadBalancer: (_, workers) => {
      asked.push(workers.length)
      const last = workers.at(-1)
      return last?.currentUsage === 0 ? last : null
    },
  })
  const threads = await Promise.all([1, 2, 3].map(() => pool.run(open, { name: "hold" })))
  assert.equal(new Set(threads).size, 1)
  assert.ok(asked.every((count) => count === 2))
})

test("[CT24] wrong options are TypeErrors that name them", async () => {
  const wrong = (options: object, message: RegExp): void => {
    assert.throws(() => new Piscina(options), message)
  }
  wrong({ minThreads: -1 }, /options.minThreads must be a non-negative integer/)
  wrong({ maxThreads: 0 }, /options.maxThreads must be a positive integer/)
  wrong({ minThreads: 2, maxThreads: 1 }, /must not conflict/)
  wrong({ taskQueue: {} }, /options.taskQueue must be a TaskQueue object/)
  wrong({ workerData: () => 0 }, /(?:could|can) not be cloned/)
  await using pool = newPool({ minThreads: 0 })
  const refused = async (options: object, message: RegExp): Promise<void> => {
    assert.match(String(await rejectionOf(pool.run(0, options))), message)
  }
  await refused({ transferList: 1 }, /transferList argument must be an Array/)
  await refused({ filename: 1 }, /filename argument must be a string/)
  await refused({ signal: 1 }, /signal argument must be an object/)
  assert.match(String(await rejectionOf(new Piscina({ minThreads: 0 }).run(0))), /filename must be provided/)
  assert.equal(newPool({ maxQueue: "auto", maxThreads: 3, minThreads: 0 }).options.maxQueue, 9)
})
