/** Executors: factories and adapters. */
import {
  type Callable,
  Executors,
  type ExecutorService,
  IllegalStateError,
  LinkedBlockingQueue,
  type Runnable,
  SynchronousQueue,
  Thread,
  type ThreadFactory,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { collectGarbage } from "../../support/garbage.ts"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { all, Lab, wrong } from "./support.ts"

test("[XF1] newFixedThreadPool: that many threads, an unbounded queue, no keep-alive", async () => {
  await using lab = new Lab()
  const pool = lab.adopt(Executors.newFixedThreadPool(2, lab.factory))
  assert.ok(pool instanceof ThreadPoolExecutor)
  assert.ok(pool.queue instanceof LinkedBlockingQueue)
  assert.deepEqual(
    [pool.corePoolSize, pool.maximumPoolSize, pool.keepAliveTime, pool.queue.remainingCapacity, pool.threadFactory],
    [2, 2, 0, 2 ** 31 - 1, lab.factory],
  )
  assert.equal(await pool.submit(() => "runs"), "runs")
})

test("[XF2] newFixedThreadPool takes an integer of at least 1", async () => {
  await using lab = new Lab()
  for (const n of [0, -1, 1.5, NaN, Infinity, 2 ** 31]) {
    assert.throws(() => Executors.newFixedThreadPool(n, lab.factory), RangeError)
  }
  for (const n of [null, undefined, "2"]) {
    assert.throws(() => Executors.newFixedThreadPool(wrong(n), lab.factory), TypeError)
  }
})

test("[XF3] newSingleThreadExecutor: one task at a time, in order, also after one of them killed the thread", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newSingleThreadExecutor(lab.factory))
  const order: string[] = []
  let inside = 0
  const step = (name: string) => async (): Promise<void> => {
    assert.equal(++inside, 1)
    await turns(2)
    order.push(name)
    inside--
  }
  const death = new Error("death of a thread")
  executor.execute(step("a"))
  executor.execute(() => {
    order.push("death")
    throw death
  })
  executor.execute(step("b"))
  await executor.submit(step("c"))
  assert.deepEqual(order, ["a", "death", "b", "c"])
  assert.deepEqual(lab.takeUncaught(), [death])
  assert.equal(lab.threads.length, 2)
})

test("[XF4] newSingleThreadExecutor is no ThreadPoolExecutor and cannot be made to have more threads", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newSingleThreadExecutor(lab.factory))
  assert.equal(executor instanceof ThreadPoolExecutor, false)
  const bare = executor as Partial<ThreadPoolExecutor>
  assert.deepEqual(
    [bare.corePoolSize, bare.maximumPoolSize, bare.queue, bare.threadFactory],
    [undefined, undefined, undefined, undefined],
  )
})

test("[XF5] newCachedThreadPool: a thread for each task that finds none idle, for a minute", async () => {
  await using lab = new Lab()
  const pool = lab.adopt(Executors.newCachedThreadPool(lab.factory))
  assert.ok(pool instanceof ThreadPoolExecutor)
  assert.ok(pool.queue instanceof SynchronousQueue)
  assert.deepEqual([pool.corePoolSize, pool.maximumPoolSize, pool.keepAliveTime], [0, 2 ** 31 - 1, 60_000])
  const gate = lab.gate()
  const futures = [1, 2, 3].map(() => pool.submit(gate.body))
  await gate.entered(3)
  assert.equal(pool.poolSize, 3)
  gate.open()
  await Promise.all(futures)
  await turns()
  const thread = await pool.submit(() => Thread.currentThread())
  assert.ok(gate.threads.includes(thread))
  assert.equal(pool.poolSize, 3)
})

test("[XF6] what is no factory is a TypeError everywhere", () => {
  for (const factory of [null, {}, () => undefined, { newThread: () => undefined }]) {
    const given = wrong<ThreadFactory>(factory)
    assert.throws(() => Executors.newFixedThreadPool(1, given), TypeError)
    assert.throws(() => Executors.newSingleThreadExecutor(given), TypeError)
    assert.throws(() => Executors.newCachedThreadPool(given), TypeError)
    assert.throws(() => Executors.newThreadPerTaskExecutor(given), TypeError)
  }
  assert.throws(() => Executors.newThreadPerTaskExecutor(wrong(undefined)), TypeError)
})

test("[XF7] without a factory the threads are platform threads", async () => {
  const pools = [Executors.newFixedThreadPool(1), Executors.newSingleThreadExecutor(), Executors.newCachedThreadPool()]
  for (const pool of pools) {
    assert.equal(await pool.submit((a: number, b: number) => a + b, 1, 2), 3)
    await pool.close()
  }
  assert.equal(Executors.defaultThreadFactory().isVirtual, false)
})

test("[XF8] unconfigurableExecutorService passes everything on and shows nothing else", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const executor = Executors.unconfigurableExecutorService(pool)
  assert.equal(executor instanceof ThreadPoolExecutor, false)
  for (const member of ["corePoolSize", "maximumPoolSize", "queue", "handler", "threadFactory", "remove", "purge"]) {
    assert.equal(member in executor, false, member)
  }
  assert.equal(await executor.submit((n: number) => n + 1, 1), 2)
  const futures = await executor.invokeAll([() => 1, () => 2])
  assert.deepEqual(
    futures.map((future) => future.resultNow()),
    [1, 2],
  )
  assert.equal(await executor.invokeAny([() => 3]), 3)
  assert.deepEqual(await all(executor.map((n: number) => n * 2, [1, 2])), [2, 4])
  let ran = 0
  executor.execute((by: number) => (ran += by), 2)
  await eventually(() => ran === 2)
  assert.equal(pool.completedTaskCount, 7)
  executor.shutdown()
  assert.equal(await executor.awaitTermination(), true)
  assert.deepEqual([pool.isTerminated, executor.isShutdown, executor.isTerminated], [true, true, true])
})

test("[XF8] unconfigurableExecutorService takes executors only", () => {
  for (const executor of [null, undefined, {}, 5, () => 1]) {
    assert.throws(() => Executors.unconfigurableExecutorService(wrong<ExecutorService>(executor)), TypeError)
  }
})

test("[XF9] a view of a wrapper is a wrapper too", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newSingleThreadExecutor(lab.factory))
  const view = executor.with({ name: "view" })
  assert.equal("queue" in view, false)
  assert.equal(view.constructor, executor.constructor)
  assert.equal(await view.submit(() => Thread.currentThread().isVirtual), true)
})

test("[XF9] a wrapper's close is the executor's: it notices that it would wait for itself", async () => {
  await using lab = new Lab()
  const executor = lab.keep(Executors.newSingleThreadExecutor(lab.factory))
  const view = executor.with({ name: "view" })
  assert.ok((await rejectionOf(executor.submit(() => view.close()))) instanceof IllegalStateError)
})

test("[XF10] callable makes a task of a runnable and a result", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  let runs = 0
  const run = (): number => ++runs
  const bare: Callable<unknown> = Executors.callable(run)
  assert.equal(await bare(), undefined)
  assert.equal(await Executors.callable(run, "result")(), "result")
  assert.equal(await Executors.callable({ run }, "from an object")(), "from an object")
  assert.equal(runs, 3)
  const gate = lab.gate()
  const future = pool.submit(Executors.callable(gate.body, "afterwards"))
  await gate.entered()
  assert.equal(future.state, "running")
  gate.open("dropped")
  assert.equal(await future, "afterwards")
})

test("[XF10] a callable fails as its runnable does", async () => {
  const error = new Error("own")
  const throwing = Executors.callable(() => {
    throw error
  }, 1)
  assert.throws(throwing, error)
  assert.equal(await rejectionOf(Promise.resolve(Executors.callable(() => Promise.reject(error), 1)())), error)
})

test("[XF11] callable takes runnables only and is called after them", () => {
  for (const runnable of [null, undefined, 1, {}]) {
    assert.throws(() => Executors.callable(wrong<Runnable>(runnable)), TypeError)
    assert.throws(() => Executors.callable(wrong<Runnable>(runnable), 1), TypeError)
  }
  function sweep(): void {}
  assert.equal(Executors.callable(sweep).name, "sweep")
  assert.equal(Executors.callable(sweep, 1).name, "sweep")
})

test("[XF12] an executor that is forgotten without shutdown is garbage, idle threads and all", async () => {
  const forgotten = async (): Promise<WeakRef<ExecutorService>[]> => {
    const cached = Executors.newCachedThreadPool(virtualThreads())
    cached.keepAliveTime = 1 // until then its idle thread has a timer, which holds it
    const executors = [
      cached,
      Executors.newFixedThreadPool(2, virtualThreads()),
      Executors.newSingleThreadExecutor(virtualThreads()),
      Executors.newVirtualThreadPerTaskExecutor(),
    ]
    for (const executor of executors) await executor.submit(() => turns())
    return executors.map((executor) => new WeakRef(executor))
  }
  const references = await forgotten()
  await eventually(() => {
    collectGarbage()
    return references.every((reference) => reference.deref() === undefined)
  })
})
