import {
  AbstractQueuedSynchronizer,
  ArrayBlockingQueue,
  AtomicInteger,
  AtomicLong,
  CountDownLatch,
  CyclicBarrier,
  DelayQueue,
  Exchanger,
  ExecutorCompletionService,
  Executors,
  ForkJoinPool,
  FutureTask,
  LinkedBlockingDeque,
  LinkedBlockingQueue,
  LinkedTransferQueue,
  Phaser,
  PriorityBlockingQueue,
  RecursiveTask,
  ReentrantLock,
  ReentrantReadWriteLock,
  Semaphore,
  SynchronousQueue,
  Thread,
  ThreadPoolExecutor,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { inspect } from "node:util"
import { runProgram } from "../../support/child.ts"
import { Pools } from "../../support/pools.ts"

/** Without the number, which depends on what was shown before. */
function look(value: unknown, options: object = {}): string {
  return inspect(value, { colors: false, ...options }).replaceAll(/@\d+/g, "")
}

class Sum extends RecursiveTask<number> {
  n: number
  constructor(n: number) {
    super()
    this.n = n
  }
  protected override compute(): number {
    return this.n + 1
  }
}

class Gate extends AbstractQueuedSynchronizer {}

test("[IS1] futures show their state, and the task, the value or the error", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const failed = pool.submit(() => {
    throw new RangeError("too\nhot")
  })
  await failed.catch(() => undefined)
  const cancelled = new FutureTask(() => 1)
  cancelled.cancel()
  const value = new FutureTask(() => ({ a: [1] }))
  void value.run()
  assert.equal(look(new FutureTask(function fib() {})), "FutureTask { state: 'running', task: 'fib' }")
  assert.equal(look(value), "FutureTask { state: 'success', value: { a: [ 1 ] } }")
  assert.equal(look(failed), "FutureTask { state: 'failed', error: [RangeError: too hot] }")
  assert.equal(look(cancelled), "FutureTask { state: 'cancelled' }")
})

test("[IS1] futures of platform threads, schedules and forked tasks show the same", async () => {
  await using platform = Executors.newFixedThreadPool(1)
  await using schedules = Executors.newScheduledThreadPool(1, virtualThreads())
  const future = platform.submit(() => 7)
  assert.equal(await future, 7)
  assert.equal(look(future), "FutureTask { state: 'success', value: 7 }")
  const series = schedules.scheduleAtFixedRate(function tick() {}, 60_000, 60_000)
  assert.match(look(series), /^ScheduledTask { state: 'running', task: 'tick', isPeriodic: true, nextRunAt: \d.*Z }$/)
  const cron = schedules.scheduleCron(function nightly() {}, "0 0 * * *")
  assert.match(look(cron), /^CronSeries { state: 'running', task: 'nightly', isPeriodic: true, nextRunAt: \d.*Z }$/)
  const forked = new Sum(5)
  assert.equal(look(forked), "Sum { state: 'running', n: 5 }")
  forked.invoke()
  assert.equal(look(forked), "Sum { state: 'success', value: 6, n: 5 }")
})

test("[IS1] executors show their state and sizes", async () => {
  await using pools = new Pools()
  const gate = pools.gate()
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const sizes = (active: number, queued: number): string =>
    `poolSize: 1, activeCount: ${active}, queued: ${queued}, completedTaskCount: 0 }`
  for (let i = 0; i < 3; i++) pool.submit(gate.body)
  await gate.entered()
  assert.equal(look(pool), `ThreadPoolExecutor { state: 'running', ${sizes(1, 2)}`)
  assert.equal(
    look(Executors.unconfigurableExecutorService(pool)),
    `DelegatedExecutorService { state: 'running', ${sizes(1, 2)}`,
  )
  assert.equal(
    look(pool.with({ timeout: 5 })),
    `ExecutorView { executor: ThreadPoolExecutor { state: 'running', ${sizes(1, 2)}, options: { timeout: 5 } }`,
  )
  assert.match(
    look(new ExecutorCompletionService(pool)),
    /^ExecutorCompletionService { executor: .*, pending: 0, completed: 0 }$/,
  )
  pool.shutdown()
  assert.equal(look(pool), `ThreadPoolExecutor { state: 'shutting down', ${sizes(1, 2)}`)
  gate.open()
  await pool.awaitTermination()
  assert.match(look(pool), /^ThreadPoolExecutor { state: 'terminated', poolSize: 0, .*completedTaskCount: 3 }$/)
  await using perTask = Executors.newVirtualThreadPerTaskExecutor()
  assert.equal(look(perTask), "ThreadPerTaskExecutor { state: 'running', threadCount: 0 }")
  await using forks = new ForkJoinPool({ parallelism: 1 })
  assert.match(look(forks), /^ForkJoinPool { state: 'running', parallelism: 1, poolSize: 0, .*stealCount: 0 }$/)
})

test("[IS1] queues, locks, synchronizers, numbers, threads and clocks are one line each", async () => {
  const lock = new ReentrantLock({ fair: true })
  const pair = new ReentrantReadWriteLock()
  using _held = await lock.lock()
  using _written = await pair.writeLock.lock()
  const closed = new LinkedBlockingQueue<number>(4)
  closed.add(1)
  closed.close()
  const lines: [object, string][] = [
    [new ArrayBlockingQueue(3), "ArrayBlockingQueue { size: 0, remainingCapacity: 3 }"],
    [closed, "LinkedBlockingQueue { size: 1, remainingCapacity: 0, isClosed: true }"],
    [new SynchronousQueue(), "SynchronousQueue { size: 0, remainingCapacity: 0 }"],
    [new PriorityBlockingQueue(), "PriorityBlockingQueue { size: 0 }"],
    [new DelayQueue(), "DelayQueue { size: 0 }"],
    [new LinkedBlockingDeque(), "LinkedBlockingDeque { size: 0 }"],
    [new LinkedTransferQueue(), "LinkedTransferQueue { size: 0 }"],
    [lock, "ReentrantLock { isLocked: true, holder: 'thread main', holdCount: 1, queueLength: 0, isFair: true }"],
    [
      pair,
      "ReentrantReadWriteLock { isWriteLocked: true, writer: 'thread main', readLockCount: 0, queueLength: 0, isFair: false }",
    ],
    [pair.readLock, "ReadLock { readLockCount: 0, queueLength: 0 }"],
    [pair.writeLock, "WriteLock { isLocked: true, holder: 'thread main', queueLength: 0 }"],
    [lock.newCondition(), "Condition {}"],
    [new Semaphore(3), "Semaphore { availablePermits: 3, queueLength: 0, isFair: false }"],
    [new CountDownLatch(2), "CountDownLatch { count: 2, queueLength: 0 }"],
    [new CyclicBarrier(2), "CyclicBarrier { parties: 2, numberWaiting: 0, isBroken: false }"],
    [new Phaser(1), "Phaser { phase: 0, registeredParties: 1, arrivedParties: 0, isTerminated: false }"],
    [new Exchanger(), "Exchanger {}"],
    [new AtomicInteger(5), "AtomicInteger { value: 5 }"],
    [new AtomicLong(6), "AtomicLong { value: 6 }"],
    [new Gate(), "Gate { state: 0, queueLength: 0 }"],
    [new ManualClock(), "ManualClock { now: 0, date: 2000-01-01T00:00:00.000Z, pending: 0 }"],
  ]
  for (const [object, line] of lines) assert.equal(look(object), line)
  assert.match(
    look(Thread.currentThread()),
    /^Thread { id: \d+, name: 'main', isVirtual: false, isAlive: true, isInterrupted: false }$/,
  )
})

test("[IS2] a subclass has its own name and its fields", async () => {
  class ImagePool extends ThreadPoolExecutor {
    region = "eu"
    get secret(): never {
      throw new Error("not to be read")
    }
  }
  const options = { corePoolSize: 1, maximumPoolSize: 1, threadFactory: virtualThreads(), name: "images" }
  await using pool = new ImagePool(options)
  assert.match(look(pool), /^ImagePool { name: 'images', state: 'running', .*, region: 'eu' }$/)
})

test("[IS3] depth, colours and compact are those of the caller", () => {
  const task = new FutureTask(() => ({ a: { b: { c: { d: 1 } } } }))
  void task.run()
  assert.equal(look(task, { depth: 0 }), "FutureTask { state: 'success', value: [Object] }")
  assert.equal(look({ task }, { depth: -1 }), "[Object]")
  assert.equal(look({ in: { task } }, { depth: 1 }), "{ in: { task: [FutureTask] } }")
  assert.match(look(task, { depth: null }), /{ a: { b: { c: { d: 1 } } } }/)
  assert.ok(inspect(new FutureTask(() => 1), { colors: true }).includes("state: \u001B[32m'running'\u001B[39m"))
  assert.equal(look(new AtomicInteger(1), { compact: false }), "AtomicInteger {\n  value: 1\n}")
})

test("[IS3] a long value is cut and stays in one line", () => {
  const list = Array.from({ length: 1000 }, (_, n) => ({ n, text: "a\nb".repeat(100) }))
  const task = new FutureTask(() => ({ list, text: "x".repeat(100_000) }))
  void task.run()
  const failed = new FutureTask(() => {
    throw new Error("y".repeat(100_000))
  })
  void failed.run()
  for (const future of [task, failed]) {
    const text = look(future, { colors: true })
    assert.ok(!text.includes("\n"))
    assert.ok(text.length < 300, text)
  }
})

test("[IS4] whatever a task gave and whatever a subclass does, looking does not throw", () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const fail = (): never => {
    throw new Error("hostile")
  }
  const hostile: unknown[] = [
    proxy,
    { get a() { return fail() } },
    { [inspect.custom]: fail },
    { [Symbol.toStringTag]: { toString: fail } },
    Object.create(null),
    Symbol("s"),
  ] // prettier-ignore
  for (const value of hostile) {
    const given = new FutureTask(() => [value])
    const thrown = new FutureTask(() => {
      throw value
    })
    void given.run()
    void thrown.run()
    assert.match(look(given), /^FutureTask { state: 'success', value: /)
    assert.match(look(thrown), /^FutureTask { state: 'failed', error: /)
  }
  class Broken extends FutureTask<number> {
    readonly own = 1
    override get state(): never {
      return fail()
    }
  }
  assert.equal(look(new Broken(() => 1)), "Broken { own: 1 }")
  const nameless = new FutureTask(() => 1)
  Object.defineProperty(nameless, "constructor", { value: { get name() { return fail() } } }) // prettier-ignore
  assert.equal(look(nameless), "Object { state: 'running', task: 'anonymous function' }")
})

test("[IS1] console.log shows the same line", async () => {
  const { code, stdout, stderr } = await runProgram(`
    import { Executors, FutureTask, Semaphore, virtualThreads } from "corepool"
    console.log(new Semaphore(2))
    console.log(new FutureTask(function fib() {}))
    console.log(Executors.newFixedThreadPool(1, virtualThreads()))
  `)
  assert.deepEqual([code, stderr], [0, ""])
  // Deno has the other quotes.
  assert.deepEqual(stdout.trim().replaceAll('"', "'").split("\n"), [
    "Semaphore@1 { availablePermits: 2, queueLength: 0, isFair: false }",
    "FutureTask@1 { state: 'running', task: 'fib' }",
    "ThreadPoolExecutor@1 { state: 'running', poolSize: 0, activeCount: 0, queued: 0, completedTaskCount: 0 }",
  ])
})
