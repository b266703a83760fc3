/** What a task does to the built-in objects of its thread, and what becomes of the tasks after it. */
import assert from "node:assert/strict"
import test from "node:test"
import {
  CancellationError,
  Executors,
  type ExecutorService,
  ForkJoinPool,
  type Future,
  NotSerializableError,
  platformThreads,
  ThreadDeathError,
} from "corepool"
import { eventually } from "../../support/harness.ts"
import * as tasks from "./breaking-tasks.ts"

const threads = () => platformThreads({ terminateAfter: 1, uncaughtException: () => undefined })

const POOLS: Readonly<Record<string, () => ExecutorService>> = {
  fixed: () => Executors.newFixedThreadPool(1, threads()),
  scheduled: () => Executors.newScheduledThreadPool(1, threads()),
  "fork/join": () => new ForkJoinPool({ parallelism: 1, threadFactory: threads() }),
}

const MAP = new Map([["key", { since: new Date(0), bytes: new Uint8Array([1, 2]) }]])
const WORDS = new Int32Array(20_000).fill(7)

/** One of each kind, submitted at once, with what it is to give; `failing` throws an error of its own. */
function submitAll(pool: ExecutorService): { good: readonly [Future<unknown>, unknown][]; failing: Future<unknown> } {
  return {
    good: [
      [pool.submit(tasks.increment, 1), 2],
      [pool.submit(tasks.later, 2), 2],
      [pool.submit(tasks.wrap, "x"), { value: "x", list: [1, "two", { three: 3 }] }],
      [pool.submit(tasks.same, MAP), MAP],
      [pool.submit(tasks.same, WORDS), WORDS],
    ],
    failing: pool.submit(tasks.readNull),
  }
}

/** All is as if no task had broken anything. */
async function assertWell(pool: ExecutorService, what: string): Promise<void> {
  const { good, failing } = submitAll(pool)
  for (const [future, expected] of good) assert.deepEqual(await future, expected, what)
  await assert.rejects(() => failing.get(), { name: "TypeError", message: /null/ }, what)
}

/** The same, but for tasks whose thread has died. */
async function assertTrue(pool: ExecutorService, what: string): Promise<void> {
  const { good, failing } = submitAll(pool)
  for (const [future, expected] of good) {
    const outcome = await outcomeOf(future)
    if (!(outcome instanceof ThreadDeathError)) assert.deepEqual(outcome, expected, what)
  }
  const error = await outcomeOf(failing)
  assert.ok(
    error instanceof ThreadDeathError || (error instanceof TypeError && /null/.test(error.message)),
    `${what}: ${String(error)}`,
  )
}

async function outcomeOf(future: Future<unknown>): Promise<unknown> {
  try {
    return await future
  } catch (error) {
    // A thread may have died without being able to say why.
    if (error instanceof ThreadDeathError) assert.doesNotMatch(error.message, /undefined$/)
    return error
  }
}

for (const way of ["delete", "undefined", "throw"] as const) {
  test(`[PL55] tasks run as ever in a thread in which a global object is no more, whichever it is: ${way}`, async () => {
    await using pool = Executors.newFixedThreadPool(1, threads())
    const paths = await pool.submit(tasks.globalPaths)
    assert.ok(paths.includes("Uint8Array") && paths.includes("process") && paths.includes("globalThis"))
    const thread = await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId)
    for (const path of paths) {
      const breaks = pool.submit(tasks.breakAt, path, way)
      await assertWell(pool, path)
      await breaks
      await assertWell(pool, path)
      await pool.submit(tasks.restore)
    }
    assert.equal(await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId), thread)
  })

  for (const [kind, open] of Object.entries(POOLS)) {
    test(`[PL55] tasks run as ever in a thread that has no global object left, and an endless one can be cancelled: ${way}, ${kind}`, async () => {
      await using pool = open()
      await pool.submit(tasks.restore) // the module is loaded
      const breaks = pool.submit(tasks.breakAll, way)
      await assertWell(pool, "at once")
      await breaks
      const words = new Int32Array(new SharedArrayBuffer(8))
      const endless = pool.submit(tasks.endless, words)
      const after = pool.submit(tasks.wrap, [])
      await eventually(() => Atomics.load(words, 0) === 1)
      assert.equal(endless.cancel(true), true)
      await assert.rejects(() => endless.get(), CancellationError)
      assert.deepEqual(await after, { value: [], list: [1, "two", { three: 3 }] })
      await assertWell(pool, "in another thread")
      Atomics.store(words, 1, 1)
    })
  }
}

const OBJECTS =
  "Object Function Array Number String Symbol Date Promise RegExp Error JSON Math ArrayBuffer Uint8Array Int32Array.^ Map Set WeakMap WeakSet WeakRef Reflect Atomics Buffer SharedArrayBuffer"

for (const object of OBJECTS.split(" ")) {
  test(`[PL56] a task that breaks a method of ${object} costs others at most their thread, whichever it is`, async () => {
    await using pool = Executors.newFixedThreadPool(1, threads())
    const paths = await pool.submit(tasks.methodPaths, object)
    for (const [path, way] of paths.flatMap((it) => [[it, "undefined"] as const, [it, "throw"] as const])) {
      const what = `${path}: ${way}`
      const breaks = pool.submit(tasks.breakAt, path, way)
      await assertTrue(pool, what)
      await assertTrue(pool, what)
      assert.ok(!((await outcomeOf(breaks)) instanceof CancellationError), what)
      // The thread is its old self, or another one is in its place, or another one is going to be.
      await outcomeOf(pool.submit(tasks.restore))
      await outcomeOf(pool.submit(tasks.restore))
      assert.equal(await pool.submit(tasks.increment, 1), 2, what)
    }
  })
}

for (const [kind, open] of Object.entries(POOLS)) {
  test(`[PL56] a thread in which a method is broken while it sleeps wakes, or another one takes its place: ${kind}`, async () => {
    await using pool = open()
    const paths = await pool.submit(tasks.methodPaths, "Map")
    for (const path of [...paths, ...(await pool.submit(tasks.methodPaths, "Set"))]) {
      const isBroken = new Int32Array(new SharedArrayBuffer(4))
      await pool.submit(tasks.breakLater, path, "throw", isBroken)
      await eventually(() => Atomics.load(isBroken, 0) === 1)
      await assertTrue(pool, path)
      await outcomeOf(pool.submit(tasks.restore))
      await outcomeOf(pool.submit(tasks.restore))
    }
  })

  test(`[PL56] a pool ends whose thread sleeps, and cannot wake because a method is broken: ${kind}`, async () => {
    for (const path of ["Set.prototype.delete", "Map.prototype.delete", "Map.prototype.get"]) {
      const pool = open()
      const isBroken = new Int32Array(new SharedArrayBuffer(4))
      await pool.submit(tasks.breakLater, path, "throw", isBroken)
      await eventually(() => Atomics.load(isBroken, 0) === 1)
      await pool.close()
    }
  })
}

const VIEWS = [
  ...["buffer", "byteLength", "byteOffset", "length"].map((it) => `Int32Array.^.prototype.${it}`),
  ...["buffer", "byteLength", "byteOffset"].map((it) => `DataView.prototype.${it}`),
  "ArrayBuffer.prototype.byteLength",
]

test("[PL56] buffers and views arrive as they are, or not at all, if a task has overwritten a getter of theirs", async () => {
  await using pool = Executors.newFixedThreadPool(1, threads())
  for (const [path, way] of VIEWS.flatMap((it) => [[it, "value"] as const, [it, "function"] as const])) {
    const what = `${path}: ${way}`
    const { buffer } = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8])
    const values = [buffer, new DataView(buffer, 2, 3), new Uint16Array(buffer, 4, 2), WORDS, WORDS.buffer]
    const breaks = pool.submit(tasks.breakAt, path, way)
    for (const value of values) {
      const outcome = await outcomeOf(pool.submit(tasks.same, value))
      if (!(outcome instanceof ThreadDeathError)) assert.deepEqual(outcome, value, what)
    }
    assert.ok(!((await outcomeOf(breaks)) instanceof CancellationError), what)
    await outcomeOf(pool.submit(tasks.restore))
    await outcomeOf(pool.submit(tasks.restore))
  }
})

for (const method of ["apply", "bind", "call", "toString"]) {
  test(`[PL56] a task submits a function written in place from a thread in which another task has taken Function.prototype.${method} away`, async () => {
    await using pool = Executors.newFixedThreadPool(1, threads())
    await using other = Executors.newFixedThreadPool(1, threads())
    await pool.submit(tasks.breakAt, `Function.prototype.${method}`, "undefined")
    assert.equal(await pool.submit((to, n) => to.submit((inner: number) => inner + 1, n).getSync(), other, 1), 2)
  })
}

test("[PL56] functions written in place run in a thread without `process.env`", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  assert.equal(await pool.submit(() => delete (process as { env?: unknown }).env), true)
  assert.equal(await pool.submit((x: number) => x + 1, 2), 3)
  await pool.submit(() => {
    Object.defineProperty(process, "env", {
      get() {
        throw new Error("no environment")
      },
    })
  })
  assert.equal(await pool.submit((x: number) => x + 2, 2), 4)
})

test("[PL56] the error of a task whose thread was broken by another task says what has failed", async () => {
  await using pool = Executors.newFixedThreadPool(1, threads())
  await pool.submit(tasks.breakAt, "Object.keys", "undefined")
  const error = await outcomeOf(pool.submit(tasks.wrap, 1))
  assert.ok(error instanceof ThreadDeathError)
  assert.match(error.message, /keys/)
  assert.ok(error.cause instanceof Error)
  assert.match(error.cause.message, /keys/)
  await assertWell(pool, "in another thread")
})

test("[PL56] a thread lives on in which methods were replaced by others that work, whatever fails there", async () => {
  await using pool = Executors.newFixedThreadPool(1, threads())
  const id = await pool.submit(() => {
    const { map } = Array.prototype
    // oxlint-disable-next-line no-extend-native -- as a polyfill does
    Array.prototype.map = function (...args: unknown[]) {
      return Reflect.apply(map, this, args) as never
    }
    return process.getBuiltinModule("node:worker_threads").threadId
  })
  await assert.rejects(() => pool.submit(() => () => 1).get(), NotSerializableError)
  await assert.rejects(
    () =>
      pool
        .submit(() => {
          throw () => 1 // oxlint-disable-line typescript/only-throw-error -- it cannot be sent
        })
        .get(),
    NotSerializableError,
  )
  assert.equal(await pool.submit(() => process.getBuiltinModule("node:worker_threads").threadId), id)
})
