/** The shape of workerpool. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import {
  PoolPromise,
  type PoolTask,
  TerminateError,
  WorkerPool,
  workerpool,
  type WorkerpoolOptions,
} from "corepool/compat"
import { eventually, rejectionOf } from "../../support/harness.ts"

const SCRIPT = fileURLToPath(new URL("pool-methods.js", import.meta.url))

/** A pool that is terminated at the end of a block. */
function pooled(options: WorkerpoolOptions = {}, script: string | undefined = SCRIPT): WorkerPool & AsyncDisposable {
  const pool = script === "" ? workerpool.pool(options) : workerpool.pool(script, options)
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.terminate(true) })
}

test("[CT30] exec calls a method of the script, or a function that is sent as text, in a thread", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  assert.equal(await pool.exec("add", [3, 4]), 7)
  assert.equal(await pool.exec((a: number, b: number) => a * b, [3, 4]), 12)
  assert.equal(await pool.exec("later", ["value"]), "value")
  assert.equal(await pool.exec("isMainThread"), false)
  assert.equal(workerpool.isMainThread, true)
  assert.equal(await pool.exec(async () => await Promise.resolve("text")), "text")
})

test("[CT30] a pool without a script runs functions", async () => {
  await using pool = pooled({ maxWorkers: 1 }, "")
  assert.equal(await pool.exec((n: number) => n + 1, [1]), 2)
  assert.deepEqual(await pool.exec("methods"), ["run", "methods"])
})

test("[CT30] proxy has all methods of the script", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  const proxy = await pool.proxy<{ add: (a: number, b: number) => number }>()
  assert.equal(await proxy.add(1, 2), 3)
  assert.ok("isMainThread" in proxy && "run" in proxy && "methods" in proxy)
})

test("[CT30] errors have their class, message and properties; an unknown method is one", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  const error = (await rejectionOf(pool.exec("fails"))) as Error & { code: string }
  assert.deepEqual([error.name, error.message, error.code], ["TypeError", "broken", "E_BROKEN"])
  await assert.rejects(pool.exec("nothing"), { message: 'Unknown method "nothing"' })
  assert.equal(await pool.exec("add", [1, 1]), 2)
})

test("[CT31] tasks begin in the order of the queue, on up to maxWorkers threads", async () => {
  await using pool = pooled({ maxWorkers: 2 })
  assert.deepEqual(pool.stats(), {
    totalWorkers: 0,
    busyWorkers: 0,
    idleWorkers: 0,
    pendingTasks: 0,
    activeTasks: 0,
  })
  const tasks = [1, 2, 3, 4].map((n) => pool.exec("later", [n]))
  const { totalWorkers, busyWorkers, pendingTasks } = pool.stats()
  assert.deepEqual([totalWorkers, busyWorkers, pendingTasks], [2, 2, 2])
  assert.deepEqual(await Promise.all(tasks), [1, 2, 3, 4])
  assert.deepEqual([pool.workers.length, pool.taskQueue.size()], [2, 0])
})

for (const [strategy, expected] of [
  ["fifo", [0, 1, 2, 3]],
  ["lifo", [0, 3, 2, 1]],
] as const) {
  test(`[CT31] the queue may be ${strategy}`, async () => {
    await using pool = pooled({ maxWorkers: 1, queueStrategy: strategy })
    const order: unknown[] = []
    await Promise.all([0, 1, 2, 3].map((n) => pool.exec("later", [n]).then((value) => order.push(value))))
    assert.deepEqual(order, expected)
  })
}

test("[CT31] or one of the program's own, which sees the metadata", async () => {
  const tasks: PoolTask[] = []
  const rank = ({ options }: PoolTask): number => options?.metadata as number
  const queueStrategy = {
    push: (task: PoolTask) => void tasks.push(task),
    pop: () => tasks.sort((a, b) => rank(a) - rank(b)).shift(),
    size: () => tasks.length,
    contains: (task: PoolTask) => tasks.includes(task),
    clear: () => void (tasks.length = 0),
  }
  await using pool = pooled({ maxWorkers: 1, queueStrategy })
  const order: unknown[] = []
  const run = (n: number): Promise<unknown> =>
    pool.exec("later", [n], { metadata: n }).then((value) => order.push(value))
  await Promise.all([5, 3, 1, 2].map(run))
  assert.deepEqual(order, [5, 1, 2, 3])
})

test("[CT31] at most maxQueueSize tasks wait, and there are minWorkers threads from the beginning", async () => {
  await using pool = pooled({ minWorkers: 1, maxWorkers: 1, maxQueueSize: 1 })
  assert.equal(pool.workers.length, 1)
  const tasks = [pool.exec("add", [1, 1]), pool.exec("add", [1, 1])]
  assert.throws(() => pool.exec("add", [1, 1]), { message: "Max queue size of 1 reached" })
  await Promise.all(tasks)
})

test("[CT32] cancel rejects at once, also through later promises; a thread that does not stop is replaced", async () => {
  await using pool = pooled({ maxWorkers: 1, workerTerminateTimeout: 10 })
  for (const method of ["spins", "never"]) {
    assert.equal(await pool.exec("add", [1, 1]), 2)
    const running = pool.exec(method).then(() => "never comes")
    void running.cancel()
    assert.ok((await rejectionOf(running)) instanceof PoolPromise.CancellationError)
    assert.equal(await pool.exec("add", [2, 2]), 4)
  }
})

test("[CT32] a cancelled task that waits never runs", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  const first = pool.exec("later", [1])
  const second = pool.exec("spins")
  const third = pool.exec("later", [3])
  assert.equal(second.pending, true)
  void second.cancel()
  assert.deepEqual(await Promise.all([first, third]), [1, 3])
  assert.ok((await rejectionOf(second)) instanceof PoolPromise.CancellationError)
  assert.equal(second.rejected, true)
})

test("[CT32] a time limit counts from the start of the task", async () => {
  await using pool = pooled({ maxWorkers: 1, workerTerminateTimeout: 10 })
  const late = pool.exec("never").timeout(5)
  const queued = pool.exec("add", [1, 1]).timeout(60_000)
  assert.ok((await rejectionOf(late)) instanceof PoolPromise.TimeoutError)
  assert.equal(await queued, 2)
  let isSettled = false
  await pool.exec("add", [1, 1]).always(() => void (isSettled = true))
  assert.equal(isSettled, true)
})

test("[CT32] abort listeners save the thread", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  const events: unknown[] = []
  const task = pool.exec("cleans", [], { on: (payload) => events.push(payload) })
  await eventually(() => events.length === 1)
  void task.cancel()
  assert.ok((await rejectionOf(task)) instanceof PoolPromise.CancellationError)
  assert.equal(pool.stats().busyWorkers, 1)
  assert.equal(await pool.exec("cleanedUp"), 1)
  await eventually(() => events.length === 2)
  assert.deepEqual(events, ["begun", "cleaned"])
})

test("[CT33] events come before the result, all of them", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  for (let round = 0; round < 20; round++) {
    const seen: unknown[] = []
    assert.equal(await pool.exec("emits", [3], { on: (payload) => seen.push(payload) }), "done")
    assert.deepEqual(seen, [{ n: 1 }, { n: 2 }, { n: 3 }])
  }
})

test("[CT33] what transfer names is moved, to the thread and back", async () => {
  await using pool = pooled({ maxWorkers: 1 })
  const bytes = new Uint8Array(16)
  assert.equal(await pool.exec("lengthOf", [bytes], { transfer: [bytes.buffer] }), 16)
  assert.equal(bytes.byteLength, 0)
  assert.deepEqual(await pool.exec("bytes", [3]), new Uint8Array([7, 7, 7]))
})

test("[CT34] terminate waits for running tasks, rejects waiting ones, and lets threads clean up", async () => {
  const ended: unknown[] = []
  const pool = workerpool.pool(SCRIPT, { maxWorkers: 1, onTerminateWorker: ({ script }) => ended.push(script) })
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const running = pool.exec("keep", [flag])
  const waiting = pool.exec("add", [1, 1])
  await pool.terminate()
  await running
  await assert.rejects(waiting, { message: "Pool terminated" })
  assert.equal(flag[0], 1)
  assert.deepEqual(ended, [SCRIPT])
  assert.equal(pool.workers.length, 0)
})

test("[CT34] with force it rejects running tasks; and a task that never ends makes it reject with a limit", async () => {
  const pool = workerpool.pool(SCRIPT, { maxWorkers: 1 })
  const running = pool.exec("never")
  await assert.rejects(pool.terminate(false, 5), { name: "TimeoutError" })
  await pool.terminate(true)
  assert.ok((await rejectionOf(running)) instanceof TerminateError)
  assert.equal(pool.workers.length, 0)
})

test("[CT34] a thread that dies fails its task, and the pool goes on", async () => {
  const ended: unknown[] = []
  await using pool = pooled({ maxWorkers: 1, onTerminateWorker: () => ended.push(0) })
  await assert.rejects(pool.exec("exits"), { message: /exited with code: 7/ })
  assert.equal(await pool.exec("add", [1, 1]), 2)
  assert.equal(ended.length, 1)
})

test("[CT34] a script that cannot be loaded fails the tasks, each with the reason", async () => {
  await using pool = pooled({ minWorkers: 1 }, `${SCRIPT}.missing`)
  for (let time = 0; time < 2; time++)
    await assert.rejects(pool.exec("add", [1, 1]), (error: Error) => String(error).includes("missing"))
})

test("[CT35] onCreateWorker may change what a thread is made with", async () => {
  let count = 0
  await using pool = pooled(
    { maxWorkers: 1, onCreateWorker: (arg) => ({ ...arg, workerThreadOpts: { env: { NUMBER: String(++count) } } }) },
    "",
  )
  assert.equal(await pool.exec(() => process.env["NUMBER"]), "1")
})

test("[CT35] an error of the hook fails the task that needs the thread, and no other", async () => {
  let count = 0
  const onCreateWorker = (): undefined => {
    if (++count === 1) throw new RangeError("of the hook")
    return undefined
  }
  await using pool = pooled({ maxWorkers: 1, onCreateWorker }, "")
  await assert.rejects(
    pool.exec(() => 1),
    { name: "RangeError", message: "of the hook" },
  )
  assert.equal(await pool.exec(() => 2), 2)
  const wrong = { workerThreadOpts: { foo: 1 } } as WorkerpoolOptions
  await using other = pooled(wrong, "")
  await assert.rejects(
    other.exec(() => 1),
    { name: "TypeError", message: /`foo`/ },
  )
})

test("[CT35] wrong options and arguments are TypeErrors that name them", async () => {
  for (const wrong of [
    { maxWorkers: 0 },
    { maxWorkers: 2.5 },
    { minWorkers: "many" },
    { workerType: "process" },
    { queueStrategy: "random" },
    { queueStrategy: {} },
    { onCreateWorker: 1 },
    { forkArgs: [] },
  ]) {
    const [name] = Object.keys(wrong)
    const refusal = { name: "TypeError", message: new RegExp(`\`${name as string}\``) }
    assert.throws(() => workerpool.pool(wrong as WorkerpoolOptions), refusal)
  }
  await using pool = pooled()
  assert.throws(() => pool.exec("add", 1 as unknown as []), { name: "TypeError" })
  assert.throws(() => pool.exec(1 as unknown as string), { name: "TypeError" })
  await assert.rejects(pool.proxy(1 as never), { message: "No arguments expected" })
})
