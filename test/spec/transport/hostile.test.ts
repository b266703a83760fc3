/** Values that resist being looked at. Rules: docs/spec/transport.md. */
import {
  AtomicInteger,
  CancellationError,
  type ExecutorService,
  Executors,
  ForkJoinPool,
  type Future,
  NotSerializableError,
  platformThreads,
  tasksOf,
  ThreadDeathError,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { ForkRecords } from "#src/forkjoin/worker/fork-records.js"
import { BY_ARRIVAL } from "#src/platform/memory/layout.js"
import { PoolMemory } from "#src/platform/memory/pool-memory.js"
import { TaskRecords } from "#src/platform/memory/task-records.js"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy } from "../../support/harness.ts"
import { KINDS, spoilers } from "./hostile-tasks.ts"

const tasks = tasksOf<typeof import("./hostile-tasks.ts")>(new URL("hostile-tasks.js", import.meta.url))

const EXECUTORS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1),
  scheduled: () => Executors.newScheduledThreadPool(1),
  "fork/join": () => new ForkJoinPool({ parallelism: 1 }),
  cached: () => Executors.newCachedThreadPool(),
  "thread per task": () => Executors.newThreadPerTaskExecutor(platformThreads()),
  virtual: () => Executors.newFixedThreadPool(1, virtualThreads()),
}

const SOME_KINDS = ["unreadable stack", "revoked proxy", "spiteful error", "unreadable member"] as const

/** How many tasks it has completed, if it counts. */
function countOf(executor: ExecutorService): number | undefined {
  return (executor as { completedTaskCount?: number }).completedTaskCount
}

for (const [name, open] of Object.entries(EXECUTORS)) {
  test(`[TX23][TP110] ${name}: whatever tasks throw and return, all futures settle`, async () => {
    const executor = open()
    const { throwIt, throwLater, returnIt, returnLater } = tasks
    // A thread for each takes its time.
    const kinds = name === "thread per task" ? SOME_KINDS : KINDS
    const futures: Future<unknown>[] = []
    for (const kind of kinds) {
      for (const fn of [throwIt, throwLater, returnIt, returnLater]) {
        const future = executor.submit(fn, kind)
        futures.push(future)
        // Not what it is settled with: on virtual threads that cannot be looked at.
        await future.get().then(
          () => undefined,
          () => undefined,
        )
      }
    }
    assert.ok(futures.every(({ isDone }) => isDone))
    assert.equal(await executor.submit(tasks.double, 4), 8)
    await executor.close()
    const count = countOf(executor)
    if (count !== undefined) assert.equal(count, futures.length + 1)
  })
}

test("[TX23][CD21] what can be read of an error arrives", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const errorOf = async (kind: (typeof KINDS)[number]): Promise<Error> => {
    const error = await rejectionOf(pool.submit(tasks.throwIt, kind))
    assert.ok(error instanceof Error)
    return error
  }
  for (const kind of ["unreadable stack", "unreadable name", "unreadable field", "error of itself"] as const) {
    const { name, message, constructor } = await errorOf(kind)
    assert.deepEqual([kind, name, message, constructor], [kind, "Error", "it", Error])
  }
  assert.match(String((await errorOf("unreadable stack")).stack), /^Error: it\n.*-thread-1 \(corepool\)$/)
  const unreadable = await errorOf("unreadable message")
  assert.match(unreadable.message, /message .* cannot be read/)
  assert.equal(unreadable.name, "Error")
  assert.ok((await errorOf("unreadable errors")) instanceof AggregateError)
})

test("[TX18][TX23] what cannot be sent at all is a NotSerializableError that says what it can", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  for (const [kind, message] of [
    ["proxy of an error", /\(it\) cannot be sent.*proxy/],
    ["revoked error", /cannot be sent.*proxy/],
    ["spiteful proxy", /cannot be sent.*proxy/],
    ["spiteful inside", /cannot be sent.*`a\[0\]` is a proxy/],
    ["unreadable member", /cannot be sent.*bitten/],
    ["getter that throws a proxy", /cannot be sent/],
  ] as const) {
    const error = await rejectionOf(pool.submit(tasks.throwIt, kind))
    assert.ok(error instanceof NotSerializableError)
    assert.match(error.message, message)
  }
  const { cause } = (await rejectionOf(pool.submit(tasks.returnIt, "unreadable member"))) as Error
  assert.ok(cause instanceof RangeError)
  assert.equal(cause.message, "bitten")
})

test("[TX23] a thread that a task has spoilt tells errors and results all the same", async () => {
  for (const what of Object.keys(spoilers)) {
    const pool = Executors.newFixedThreadPool(1)
    const error = await rejectionOf(pool.submit(tasks.spoilAndThrow, what))
    assert.ok(error instanceof Error)
    assert.equal(error.message, "it", what)
    assert.deepEqual(await pool.submit(tasks.spoilAndReturn, what, { a: [1, { b: 2 }] }), { a: [1, { b: 2 }] }, what)
    const second = await rejectionOf(pool.submit(tasks.throwIt, "unreadable field"))
    assert.equal((second as Error).message, "it", what)
    await pool.close()
    assert.equal(pool.completedTaskCount, 3)
  }
})

test("[TX23] a command that throws such a thing ends its thread, and is told", async () => {
  const told: unknown[] = []
  const uncaughtException = (_: unknown, error: unknown): unknown => told.push(error)
  for (const factory of [platformThreads({ uncaughtException }), virtualThreads({ uncaughtException })]) {
    told.length = 0
    const pool = Executors.newFixedThreadPool(1, factory)
    for (const kind of SOME_KINDS) pool.execute(tasks.throwIt, kind)
    assert.equal(await pool.submit(tasks.double, 4), 8)
    await pool.close()
    assert.equal(told.length, SOME_KINDS.length)
    assert.equal(pool.completedTaskCount, SOME_KINDS.length + 1)
  }
})

test("[TX23] also with hooks", async () => {
  class Hooked extends ThreadPoolExecutor {
    readonly ended: unknown[] = []
    override afterExecute(_: unknown, error: unknown): void {
      this.ended.push(error)
    }
  }
  const uncaughtException = (): void => undefined
  for (const threadFactory of [platformThreads({ uncaughtException }), virtualThreads({ uncaughtException })]) {
    const pool = new Hooked({ corePoolSize: 1, maximumPoolSize: 1, threadFactory })
    for (const kind of SOME_KINDS) {
      pool.execute(tasks.throwIt, kind)
      await pool
        .submit(tasks.returnIt, kind)
        .get()
        .catch(() => undefined)
    }
    await pool.close()
    assert.equal(pool.ended.length, 2 * SOME_KINDS.length)
  }
})

// ------------------------------------------------------------------ code that runs meanwhile

for (const [name, open] of Object.entries(EXECUTORS).filter(([key]) => /fixed|scheduled|fork/.test(key))) {
  test(`[TX24] ${name}: a getter of a result may use the pool`, async () => {
    await using executor = open()
    assert.deepEqual(await executor.submit(tasks.calling, executor), { sum: 7 })
  })
}

test("[TX24] a task whose result is never written down can be cancelled, and its thread is terminated", async () => {
  for (const fn of [tasks.endless, tasks.endlessEncoding]) {
    await using pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 1 }))
    const entered = new AtomicInteger()
    const future = pool.submit(fn, entered)
    await eventually(() => entered.get() === 1)
    assert.equal(future.isDone, false)
    assert.equal(future.cancel(true), true)
    assert.ok((await rejectionOf(future)) instanceof CancellationError)
    assert.equal(await pool.submit(tasks.double, 4), 8)
  }
})

test("[TX24] a getter that ends the thread fails the task", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.ok((await rejectionOf(pool.submit(tasks.endsThread))) instanceof ThreadDeathError)
  assert.equal(await pool.submit(tasks.double, 4), 8)
})

// ------------------------------------------------------------------ arguments

function bite(): never {
  throw new RangeError("bitten")
}

const hostile: readonly unknown[] = [
  Object.defineProperty({}, "a", { get: bite, enumerable: true }),
  new Proxy({}, { get: bite, getPrototypeOf: bite, ownKeys: bite }),
  new Proxy(new Int32Array(2), { get: bite, getPrototypeOf: bite }),
  {
    view: Object.defineProperty({ bytes: new Int32Array(new SharedArrayBuffer(8)) }, "length", {
      get: bite,
      enumerable: true,
    }),
  },
  [new Uint8Array(10_000), () => 1],
]

test("[TX25] refused arguments leave nothing behind", async () => {
  for (const [name, open] of Object.entries(EXECUTORS)) {
    if (name === "virtual") continue
    const executor = open()
    for (const value of hostile) {
      assert.ok(
        thrownBy(() => executor.submit(tasks.double as (value: unknown) => unknown, value)) instanceof
          NotSerializableError,
      )
    }
    assert.equal(await executor.submit(tasks.double, 4), 8)
    await executor.close()
    const count = countOf(executor)
    if (count !== undefined) assert.equal(count, 1, name)
  }
})

test("[PL56] a view with a getter of the program's own in the place of a built-in one arrives as what it is", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  const words = new Int32Array(new SharedArrayBuffer(8)).fill(7)
  for (const name of ["buffer", "byteOffset", "byteLength", "length"]) {
    const view = Object.defineProperty(new Int32Array(words.buffer), name, { get: bite })
    assert.deepEqual(await pool.submit((it: Int32Array) => it, view), words, name)
  }
})

test("[TX25] so does a fork that refuses its arguments", () => {
  const memory = PoolMemory.create(-1, BY_ARRIVAL, 1)
  const records = new ForkRecords(
    memory,
    new TaskRecords(memory),
    1,
    () => undefined,
    () => undefined,
  )
  for (const value of hostile) {
    const slot = records.take()
    assert.ok(thrownBy(() => records.write(slot, 1, 0, [value])) instanceof Error)
    assert.equal(records.take(), slot)
    assert.equal(records.write(slot, 1, 0, [1]), true)
    records.putBack(slot)
  }
})
