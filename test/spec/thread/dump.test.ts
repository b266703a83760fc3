/** Thread dumps. Ids such as [TH42] refer to docs/spec/thread.md. */
import {
  CountDownLatch,
  CyclicBarrier,
  type DumpedThread,
  Executors,
  LinkedBlockingQueue,
  platformThreads,
  ReentrantLock,
  ReentrantReadWriteLock,
  Semaphore,
  StructuredTaskScope,
  Thread,
  type ThreadContainer,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { Thread as VirtualOnly } from "corepool/virtual"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, Gate } from "../../support/harness.ts"
import * as tasks from "./dump-tasks.ts"

function containers(): readonly ThreadContainer[] {
  return Thread.dump({ format: "json" }).threadContainers
}

function find(name: string): DumpedThread | undefined {
  return containers()
    .flatMap(({ threads }) => threads)
    .find((thread) => thread.name === name)
}

/** The thread of this name once it waits for something that looks so. */
async function waiting(name: string, object: RegExp): Promise<DumpedThread> {
  await eventually(() => find(name)?.waitsFor?.some((wait) => object.test(wait.object)) === true)
  return find(name) as DumpedThread
}

test("[TH42] a dump is a text, or an object that JSON can write", () => {
  const dump = Thread.dump({ format: "json" })
  assert.deepEqual(JSON.parse(JSON.stringify(dump)), dump)
  assert.equal(new Date(dump.time).toISOString(), dump.time)
  const [root] = dump.threadContainers
  assert.deepEqual([root?.container, root?.kind, root?.parent, root?.owner], ["<root>", "root", null, null])
  assert.deepEqual(root?.threads[0], {
    tid: 1,
    name: "main",
    virtual: false,
    state: "running",
    interrupted: false,
  })
  assert.match(Thread.dump(), /^Threads of corepool, \d{4}-.*\n\n<root>: \d+ threads\n {2}#1 "main" platform running/)
  assert.equal(typeof Thread.dump({ format: "text" }), "string")
})

test("[TH42] wrong options are refused, and corepool/virtual has no dumps", () => {
  assert.throws(() => Thread.dump({ format: "xml" } as never), RangeError)
  assert.throws(() => Thread.dump({ fromat: "json" } as never), /did you mean `format`/)
  assert.throws(() => Thread.dump(5 as never), TypeError)
  const isSame = (VirtualOnly as unknown) === Thread
  if (!isSame) assert.throws(() => VirtualOnly.dump(), { name: "UnsupportedOperationError" })
})

test("[TH43] virtual threads: idle, running, and what each waits for", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 6,
    maximumPoolSize: 6,
    threadFactory: virtualThreads({ name: "v" }),
    name: "virtual pool",
  })
  const lock = new ReentrantLock()
  const queue = new LinkedBlockingQueue<string>()
  const latch = new CountDownLatch(1)
  const guard = await lock.lock()
  const locking = pool.submit(async function locking() {
    ;(await lock.lock()).unlock()
  })
  const taking = pool.submit(() => queue.take())
  const sleeping = pool.submit(() => Thread.sleep(3_600_000))
  const getting = pool.submit(async () => void (await taking))
  const latching = pool.submit(() => latch.await())
  const other = new Gate()
  const running = pool.submit(() => other.body())
  const one = await waiting("v-1", /^ReentrantLock@\d+$/)
  assert.deepEqual([one.virtual, one.state, one.task, one.waitsFor?.[0]?.owner], [true, "waiting", "locking", "main"])
  assert.match((await waiting("v-2", /^LinkedBlockingQueue@\d+$/)).state, /waiting/)
  await waiting("v-3", /^sleep$/)
  assert.equal((await waiting("v-4", /^FutureTask@\d+/)).waitsFor?.[0]?.owner, "v-2")
  await waiting("v-5", /^CountDownLatch@\d+$/)
  assert.deepEqual([find("v-6")?.state, find("v-6")?.waitsFor], ["running", undefined])
  const container = containers().find((it) => it.container === "virtual pool")
  assert.deepEqual(
    [container?.kind, container?.threadCount, container?.queued, container?.parent],
    ["pool", 6, 0, "<root>"],
  )
  guard.unlock()
  await queue.put("x")
  latch.countDown()
  other.open()
  sleeping.cancel(true)
  await Promise.all([locking, taking, getting, latching, running])
  await eventually(() => [1, 2, 3, 4, 5, 6].every((n) => find(`v-${n}`)?.state === "idle"))
})

test("[TH44] platform threads that block or compute are read from shared memory", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 7,
    maximumPoolSize: 7,
    threadFactory: platformThreads({ name: "p" }),
  })
  const lock = new ReentrantLock()
  const writer = new ReentrantReadWriteLock()
  const semaphore = new Semaphore(0)
  const queue = new LinkedBlockingQueue<string>()
  const latch = new CountDownLatch(1)
  const inner = new ReentrantLock()
  const condition = inner.newCondition()
  const words = new Int32Array(new SharedArrayBuffer(8))
  const guard = await lock.lock()
  const writing = await writer.writeLock.lock()
  const futures = [
    pool.submit(tasks.lockBlocking, lock),
    pool.submit(tasks.writeBlocking, writer),
    pool.submit(tasks.acquireOne, semaphore),
    pool.submit(tasks.takeOne, queue),
    pool.submit(tasks.passLatch, latch),
    pool.submit(tasks.awaitCondition, inner, condition),
    pool.submit(tasks.compute, words),
  ]
  const one = await waiting("p-1", /^ReentrantLock@\d+$/)
  assert.deepEqual([one.virtual, one.task, one.waitsFor?.[0]?.owner], [false, "task `lockBlocking`", "main"])
  await eventually(() => find("p-1")?.state === "blocked")
  assert.equal((await waiting("p-2", /^ReentrantReadWriteLock@\d+$/)).waitsFor?.[0]?.owner, "main")
  await waiting("p-3", /^Semaphore@\d+$/)
  await waiting("p-4", /^LinkedBlockingQueue@\d+$/)
  const five = await waiting("p-5", /^CountDownLatch@\d+$/)
  assert.equal(five.state, "waiting")
  await waiting("p-6", /^Condition@\d+$/)
  await eventually(() => Atomics.load(words, 0) === 1)
  assert.deepEqual([find("p-7")?.state, find("p-7")?.task], ["running", "task `compute`"])
  assert.match(
    Thread.dump(),
    /"p-1" platform blocked: task `lockBlocking`\n {6}waits for ReentrantLock@\d+, which main has/,
  )
  guard.unlock()
  writing.unlock()
  semaphore.release()
  await queue.put("x")
  latch.countDown()
  await eventually(() => find("p-6")?.waitsFor?.length === 1)
  const last = await inner.lock()
  condition.signalAll()
  last.unlock()
  Atomics.store(words, 1, 1)
  await Promise.all(futures)
  await eventually(() => find("p-1")?.state === "idle" && find("p-1")?.waitsFor === undefined)
})

test("[TH44][TH46] a lock that a platform thread holds names that thread", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 2,
    maximumPoolSize: 2,
    threadFactory: platformThreads({ name: "d" }),
  })
  const [a, b] = [new ReentrantLock(), new ReentrantLock()]
  const both = new CyclicBarrier(2)
  const futures = [pool.submit(tasks.holdBoth, a, b, both), pool.submit(tasks.holdBoth, b, a, both)]
  await eventually(() => find("d-1")?.waitsFor?.[0]?.owner === "d-2" && find("d-2")?.waitsFor?.[0]?.owner === "d-1")
  const { deadlocks } = Thread.dump({ format: "json" })
  assert.deepEqual(deadlocks, [["d-1", "d-2"]])
  assert.match(Thread.dump(), /Deadlock: d-1 waits for d-2, d-2 waits for d-1$/)
  futures[0]?.cancel(true)
  assert.equal(await futures[1], "both")
  await eventually(() => Thread.dump({ format: "json" }).deadlocks.length === 0)
})

test("[TH43] a thread does not show the waits of a dead thread whose place it has got", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: platformThreads({ name: "r", uncaughtException() {} }),
  })
  const lock = new ReentrantLock()
  const guard = await lock.lock()
  await assert.rejects(pool.submit(tasks.dieWaiting, lock), { name: "ThreadDeathError" })
  guard.unlock() // which takes the waits of the dead thread out of the queue
  assert.equal(await pool.submit(tasks.sizeOf, pool), 1)
  await eventually(() => find("r-2")?.state === "idle")
  assert.equal(find("r-2")?.waitsFor, undefined)
})

test("[TH45] scopes are a tree: each under the group of the thread that has opened it", async () => {
  const gate = new Gate()
  const ready = new CountDownLatch(2)
  async function inside(): Promise<void> {
    await using inner = StructuredTaskScope.open(undefined, { name: "inner" })
    inner.fork(async function innermost() {
      ready.countDown()
      await gate.body()
    })
    await inner.join()
  }
  await using outer = StructuredTaskScope.open(undefined, { name: "outer" })
  outer.fork(inside)
  outer.fork(async function beside() {
    ready.countDown()
    await Thread.sleep(3_600_000).catch(() => undefined)
  })
  await ready.await()
  const all = containers()
  const tree = all
    .filter(({ kind }) => kind === "scope")
    .map(({ container, parent, owner }) => [container, parent, owner])
  assert.deepEqual(tree, [
    ["outer", "<root>", "main"],
    ["inner", "outer", all.find(({ container }) => container === "outer")?.threads[0]?.name],
  ])
  const forks = all.map((it) => it.forks?.map(({ task }) => task)).filter((it) => it !== undefined)
  assert.deepEqual(forks, [["inside", "beside"], ["innermost"]])
  const first = all.find(({ container }) => container === "outer")?.threads[0]
  assert.deepEqual([first?.state, first?.waitsFor], ["waiting", [{ object: "the forks of scope inner" }]])
  assert.match(Thread.dump(), /\n {2}scope outer, opened by main: 2 threads\n(.*\n)+ {4}scope inner, opened by/)
  gate.open()
  const left = outer.join()
  await eventually(() => containers().every(({ container }) => container !== "inner"))
  const sleeper = containers().find(({ container }) => container === "outer")?.threads[0]
  assert.equal(sleeper?.task, "beside")
  await assertCancelled(outer, left)
  assert.ok(containers().every(({ kind }) => kind !== "scope"))
})

async function assertCancelled(scope: StructuredTaskScope, joined: Promise<unknown>): Promise<void> {
  Thread.currentThread().interrupt()
  await assert.rejects(joined, { name: "InterruptedError" })
  await scope.close()
}

test("[TH45] forks on a pool name the thread that runs them", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads({ name: "f" }))
  const gate = new Gate()
  await using scope = StructuredTaskScope.open(undefined, { executor: pool, name: "on a pool" })
  scope.fork(async function first() {
    await gate.body()
  })
  scope.fork(async function second() {
    await gate.body()
  })
  await eventually(() => find("f-1")?.state === "running")
  const container = containers().find((it) => it.container === "on a pool")
  assert.deepEqual(container?.forks, [{ task: "first", thread: "f-1" }, { task: "second" }])
  gate.open()
  await scope.join()
})

test("[TH47] names and methods of the program are not called, and cannot break a dump", async () => {
  class Lock extends ReentrantLock {
    override get queueLength(): number {
      throw new Error("queueLength")
    }
    override toString(): string {
      throw new Error("toString")
    }
    static override get name(): string {
      throw new Error("name")
    }
  }
  class Pool extends ThreadPoolExecutor {
    override get poolSize(): number {
      throw new Error("poolSize")
    }
    override get queue(): never {
      throw new Error("queue")
    }
    override toString(): string {
      throw new Error("toString")
    }
  }
  const pool = new Pool({ corePoolSize: 2, maximumPoolSize: 2, threadFactory: virtualThreads({ name: "h" }) })
  const lock = new Lock()
  const guard = await lock.lock()
  const hostile = async (): Promise<void> => {
    const inner = await lock.lock()
    inner.unlock()
  }
  Object.defineProperty(hostile, "name", {
    get() {
      throw new Error("name")
    },
  })
  const future = pool.submit(hostile)
  const command = {
    run: () => Thread.sleep(3_600_000).catch(() => undefined),
    toString() {
      throw new Error("toString")
    },
  }
  pool.execute(command)
  await waiting("h-1", /@/)
  await waiting("h-2", /^sleep$/)
  assert.match(Thread.dump(), /"h-1" virtual waiting/)
  assert.match(String(future), /Not completed, task = /)
  guard.unlock()
  await future
  pool.shutdownNow()
  await pool.awaitTermination()
})

test("[TH48] a task on a platform thread can make a dump of what its thread knows", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    threadFactory: platformThreads({ name: "inside" }),
  })
  const names = await pool.submit(tasks.dumpHere)
  assert.equal(names[0], "inside-1")
  assert.ok(names.length >= 2, names.join()) // the thread that has made the pool
})
