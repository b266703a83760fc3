/** Queues, policies, hooks and sizes of pools of platform threads. */
import {
  AbortPolicy,
  ArrayBlockingQueue,
  CallerRunsPolicy,
  CancellationError,
  DelayQueue,
  DiscardOldestPolicy,
  DiscardPolicy,
  Executors,
  type Future,
  FutureTask,
  LinkedBlockingDeque,
  NotSerializableError,
  platformThreads,
  PriorityBlockingQueue,
  RejectedExecutionError,
  type Runnable,
  SynchronousQueue,
  type Thread,
  ThreadPoolExecutor,
  UnsupportedOperationError,
  virtualThreads,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { setEnvironmentData } from "node:worker_threads"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as tasks from "./tasks.ts"

test("[PL20] a bounded queue: threads up to the core, the queue, threads up to the maximum, the handler", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 2,
    workQueue: new ArrayBlockingQueue(2),
  })
  using gate = new SharedGate()
  const accepted = Array.from({ length: 4 }, () => pool.submit(tasks.pass, gate.index))
  assert.deepEqual([pool.poolSize, pool.queue.size, pool.queue.remainingCapacity], [2, 2, 0])
  assert.ok(thrownBy(() => pool.submit(tasks.pass, gate.index)) instanceof RejectedExecutionError)
  gate.open()
  assert.equal((await Promise.all(accepted)).length, 4)
  assert.equal(pool.largestPoolSize, 2)
})

/** Which tasks of a burst are accepted. */
function burst(count: number, submit: () => Future<unknown>): { answers: string[]; accepted: Future<unknown>[] } {
  const accepted: Future<unknown>[] = []
  const answers = Array.from({ length: count }, () => {
    try {
      accepted.push(submit())
      return "ok"
    } catch (error) {
      return (error as Error).name
    }
  })
  return { answers, accepted }
}

test("[PL20] a burst finds the idle threads and the room in the queue, on virtual threads and on platform threads", async () => {
  const options = { corePoolSize: 2, maximumPoolSize: 2 }
  for (const size of [1, 3]) {
    const expected = [...Array<string>(2 + size).fill("ok"), "RejectedExecutionError", "RejectedExecutionError"]
    await using virtual = new ThreadPoolExecutor({
      ...options,
      workQueue: new ArrayBlockingQueue(size),
      threadFactory: virtualThreads(),
    })
    await using pool = new ThreadPoolExecutor({ ...options, workQueue: new ArrayBlockingQueue(size) })
    for (const it of [virtual, pool]) it.prestartAllCoreThreads()
    await pool.submit(tasks.add, 1, 2)
    for (let round = 0; round < 20; round++) {
      await turns() // a virtual thread that has ended its task may give the event loop a turn before it waits for the next one
      using gate = new SharedGate()
      const open = new Promise((resolve) => setImmediate(resolve))
      const here = burst(expected.length, () => virtual.submit(() => open))
      const there = burst(expected.length, () => pool.submit(tasks.pass, gate.index))
      assert.deepEqual(here.answers, expected)
      assert.deepEqual(there.answers, expected)
      gate.open()
      await Promise.all([...here.accepted, ...there.accepted])
      await eventually(() => virtual.activeCount === 0)
    }
  }
})

test("[PL20] a hand-over: an idle thread or a new one", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 0,
    maximumPoolSize: 2,
    workQueue: new SynchronousQueue(),
  })
  using gate = new SharedGate()
  const futures = [pool.submit(tasks.pass, gate.index), pool.submit(tasks.pass, gate.index)]
  assert.ok(thrownBy(() => pool.submit(tasks.add, 1, 2)) instanceof RejectedExecutionError)
  assert.deepEqual([pool.poolSize, pool.queue.size], [2, 0])
  gate.open()
  await Promise.all(futures)
  for (let i = 0; i < 20; i++) {
    await eventually(() => pool.activeCount === 0)
    let result: Future<number> | undefined
    // A thread that has ended its task is not idle before it waits for the next one.
    await eventually(() => {
      try {
        result = pool.submit(tasks.add, i, 1)
        return true
      } catch {
        return false
      }
    })
    assert.equal(await result, i + 1)
  }
  assert.equal(pool.poolSize, 2)
})

test("[PL20] priorities: the highest first, equal ones as they came", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new PriorityBlockingQueue(),
  })
  using gate = new SharedGate()
  const first = pool.submit(tasks.pass, gate.index)
  const order: string[] = []
  const rest = [1, 5, -2.5, 5, 1e9].map((priority, i) =>
    pool
      .with({ priority })
      .submit(tasks.same, `${priority}#${i}`)
      .then((name) => order.push(String(name))),
  )
  assert.equal(pool.queue.size, 5)
  gate.open()
  await Promise.all([first, ...rest])
  assert.deepEqual(order, ["1000000000#4", "5#1", "5#3", "1#0", "-2.5#2"])
})

test("[PL20] the four policies", async () => {
  using gate = new SharedGate()
  const open = (handler: typeof AbortPolicy): ThreadPoolExecutor =>
    new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1), handler })
  const pools = [AbortPolicy, CallerRunsPolicy, DiscardPolicy, DiscardOldestPolicy].map(open)
  const [abort, callerRuns, discard, discardOldest] = pools as [
    ThreadPoolExecutor,
    ThreadPoolExecutor,
    ThreadPoolExecutor,
    ThreadPoolExecutor,
  ]
  const queued = pools.map((pool) => {
    pool.submit(tasks.pass, gate.index)
    return pool.submit(tasks.threadName)
  })
  assert.ok(thrownBy(() => abort.submit(tasks.threadName)) instanceof RejectedExecutionError)
  assert.equal(callerRuns.submit(tasks.threadName).resultNow(), "main")
  assert.equal(discard.submit(tasks.threadName).isCancelled, true)
  const newest = discardOldest.submit(tasks.threadName)
  assert.ok((await rejectionOf(queued[3] as Future<string>)) instanceof CancellationError)
  gate.open()
  assert.match(await newest, /thread-1$/)
  for (const future of queued.slice(0, 3)) assert.match(await future, /thread-1$/)
  await Promise.all(pools.map((pool) => pool.close()))
})

test("[RJ9] with nothing to discard DiscardOldestPolicy gives up, and the pool is as before", async () => {
  let depth = 0
  let deepest = 0
  class Diver extends ThreadPoolExecutor {
    override execute<A extends unknown[]>(command: ((...args: A) => unknown) | Runnable, ...args: A): void {
      deepest = Math.max(deepest, ++depth)
      try {
        super.execute(command, ...args)
      } finally {
        depth--
      }
    }
  }
  await using pool = new Diver({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    handler: DiscardOldestPolicy,
  })
  using gate = new SharedGate()
  const first = pool.submit(tasks.pass, gate.index)
  await gate.reached()
  const before = String(pool)
  const { answers } = burst(20, () => pool.submit(tasks.add, 1, 2))
  assert.deepEqual(new Set(answers), new Set(["RangeError"]))
  assert.equal((thrownBy(() => pool.execute(() => undefined)) as Error).message, "Maximum call stack size exceeded")
  assert.equal(deepest, 2)
  assert.equal(String(pool), before)
  gate.open()
  await first
  let later: Future<number> | undefined
  await eventually(() => {
    later = burst(1, () => pool.submit(tasks.add, 1, 2)).accepted[0] as Future<number> | undefined
    return later !== undefined
  })
  assert.equal(await later, 3)
  pool.shutdownNow()
  assert.equal(await pool.awaitTermination(10_000), true)
})

test("[RJ9] DiscardOldestPolicy does not drop what a thread is about to take from a queue that holds nothing", async () => {
  await using pool = new ThreadPoolExecutor({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new SynchronousQueue(),
    handler: DiscardOldestPolicy,
  })
  assert.equal(await pool.submit(tasks.add, 0, 0), 0)
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 10)) // a thread that sleeps takes a while to come for its task
    const [future] = burst(1, () => pool.submit(tasks.add, i, 1)).accepted
    assert.equal(pool.queue.poll(), undefined)
    if (future !== undefined) assert.equal(await future.get(10_000), i + 1)
  }
})

test("[PL21] the queue shows what waits, and what is taken out does not run", async () => {
  const workQueue = new ArrayBlockingQueue<Runnable>(10)
  await using pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue })
  assert.equal(pool.queue, workQueue)
  using gate = new SharedGate()
  const counter = new SharedCount()
  const running = pool.submit(tasks.pass, gate.index)
  const waiting = Array.from({ length: 5 }, () => pool.submit(tasks.count, counter.index)) as unknown as Runnable[]
  const command = (): void => undefined
  pool.execute(command)
  assert.deepEqual(workQueue.toArray(), [...waiting, command])
  assert.deepEqual([...workQueue], [...waiting, command])
  assert.equal(workQueue.peek(), waiting[0])
  assert.equal(workQueue.poll(), waiting[0])
  assert.equal(pool.remove(waiting[1] as Runnable), true)
  assert.equal(pool.remove(waiting[1] as Runnable), false)
  assert.equal(workQueue.remove(waiting[2]), true)
  const drained: Runnable[] = []
  assert.equal(workQueue.drainTo(drained, 1), 1)
  assert.deepEqual(drained, [waiting[3]])
  assert.deepEqual([workQueue.size, workQueue.remainingCapacity], [2, 8])
  gate.open()
  await running
  await pool.close()
  assert.equal(counter.value, 1)
  assert.equal((waiting[4] as unknown as Future<number>).resultNow(), 1)
  // What was taken out is a task like any other.
  await using other = Executors.newFixedThreadPool(1)
  other.execute(waiting[0] as Runnable)
  assert.equal(await (waiting[0] as unknown as Future<number>), 2)
})

test("[PL22] queues that platform threads cannot take from are refused", () => {
  const open = (workQueue: unknown) => () =>
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: workQueue as PriorityBlockingQueue<Runnable>,
    })
  for (const queue of [new DelayQueue(), new PriorityBlockingQueue(() => 0)]) {
    assert.ok(thrownBy(open(queue)) instanceof UnsupportedOperationError)
  }
})

test("[PL69] a deque is a queue in the order of submission, with two ends to take from", async () => {
  const deque = new LinkedBlockingDeque<Runnable>(4)
  await using pool = new ThreadPoolExecutor({ corePoolSize: 1, maximumPoolSize: 1, workQueue: deque })
  const counter = new SharedCount()
  const running = pool.submit(tasks.spinUntilInterrupted, counter.index)
  await eventually(() => counter.value === 1)
  const waiting = [1, 2, 3, 4].map((n) => pool.submit(tasks.add, n, n))
  assert.throws(() => pool.submit(tasks.add, 5, 5), RejectedExecutionError)
  assert.deepEqual(deque.toArray(), waiting)
  assert.deepEqual([deque.peekFirst(), deque.peekLast()], [waiting[0], waiting[3]])
  assert.deepEqual([deque.pollLast(), deque.pollFirst()], [waiting[3], waiting[0]])
  assert.equal(deque.removeLast(), waiting[2])
  assert.throws(() => deque.offerFirst(() => 1), UnsupportedOperationError)
  await assert.rejects(
    deque.putFirst(() => 1),
    UnsupportedOperationError,
  )
  assert.deepEqual(deque.toArray(), [waiting[1]])
  running.cancel(true)
  assert.equal(await waiting[1], 4)
  for (const taken of [waiting[0], waiting[2], waiting[3]]) taken?.cancel()
})

test("[PL23] shutdownNow interrupts what runs and hands back what waits", async () => {
  const pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: Infinity }))
  const counter = new SharedCount()
  const running = pool.submit(tasks.spinUntilInterrupted, counter.index)
  const waiting = pool.submit(tasks.add, 1, 2)
  const command = (): void => undefined
  pool.execute(command)
  await eventually(() => counter.value === 1)
  const [renewed, same] = pool.shutdownNow()
  assert.equal(same, command)
  assert.ok((await rejectionOf(waiting)) instanceof CancellationError)
  assert.equal(await running, "interrupted")
  assert.equal(await pool.awaitTermination(60_000), true)
  await using other = Executors.newFixedThreadPool(1)
  other.execute(renewed as Runnable)
  assert.equal(await (renewed as FutureTask<unknown>), 3)
  assert.ok(thrownBy(() => pool.submit(tasks.add, 1, 2)) instanceof RejectedExecutionError)
})

class Hooked extends ThreadPoolExecutor {
  readonly events: string[] = []
  throws: "beforeExecute" | "afterExecute" | undefined
  thrown: unknown = new Error("before")

  protected override beforeExecute(thread: Thread, task: Runnable): void {
    this.events.push(`before ${thread.name} ${task instanceof FutureTask ? task.state : "command"}`)
    if (this.throws === "beforeExecute") throw this.thrown
  }

  protected override afterExecute(task: Runnable, error?: unknown): void {
    this.events.push(
      `after ${task instanceof FutureTask ? task.state : "command"} ${(error as Error | undefined)?.message}`,
    )
    if (this.throws === "afterExecute") throw new Error("after")
  }

  protected override terminated(): void {
    this.events.push("terminated")
  }
}

function hooked(): { pool: Hooked; uncaught: string[] } {
  const uncaught: string[] = []
  const threadFactory = platformThreads({
    name: "w",
    uncaughtException: (thread, error) => uncaught.push(`${thread.name} ${(error as Error).message}`),
  })
  return { pool: new Hooked({ corePoolSize: 1, maximumPoolSize: 1, threadFactory }), uncaught }
}

test("[PL24] hooks run around each task, in the owner's thread, also while it blocks", async () => {
  const { pool, uncaught } = hooked()
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  assert.equal(pool.submit(tasks.add, 2, 2).getSync(), 4)
  await rejectionOf(pool.submit(tasks.fail, "own"))
  pool.execute(tasks.fail, "command")
  await pool.close()
  assert.deepEqual(pool.events, [
    ...["before w-1 running", "after success undefined"],
    ...["before w-1 running", "after success undefined"],
    ...["before w-1 running", "after failed undefined"],
    ...["before w-1 command", "after command command"],
    "terminated",
  ])
  assert.deepEqual(uncaught, ["w-1 command"])
})

test("[PL24] hooks run around a task too whose result is posted, and not written down", async () => {
  const { pool } = hooked()
  assert.equal((await pool.submit(() => new SharedArrayBuffer(8))).byteLength, 8)
  await pool.close()
  assert.deepEqual(pool.events, ["before w-1 running", "after success undefined", "terminated"])
})

test("[PL24] a hook that throws ends the worker; beforeExecute fails the task", async () => {
  const { pool, uncaught } = hooked()
  pool.throws = "beforeExecute"
  assert.equal(((await rejectionOf(pool.submit(tasks.add, 1, 2))) as Error).message, "before")
  await eventually(() => pool.events.length === 1 && uncaught.length === 1)
  pool.throws = "afterExecute"
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  await eventually(() => uncaught.length === 2)
  pool.throws = undefined
  assert.equal(await pool.submit(tasks.threadName), "w-3")
  await pool.close()
  assert.deepEqual(uncaught, ["w-1 before", "w-2 after"])
})

test("[PL24][PL37] beforeExecute fails the task also with what cannot be sent", async () => {
  const { pool, uncaught } = hooked()
  pool.throws = "beforeExecute"
  pool.thrown = Object.assign(() => undefined, { message: "a function" })
  assert.ok((await rejectionOf(pool.submit(tasks.add, 1, 2))) instanceof NotSerializableError)
  await eventually(() => uncaught.length === 1)
  pool.throws = undefined
  assert.equal(await pool.submit(tasks.threadName), "w-2")
  await pool.close()
  assert.deepEqual(uncaught, ["w-1 a function"])
})

test("[PL24][PL27] hooks run around a task too that another one runs, because it waits for it, blocking or not", async () => {
  const { pool } = hooked()
  setEnvironmentData("pool", pool.handle)
  assert.equal(await pool.submit(tasks.sumOfChildren, 2), 3)
  assert.equal(await pool.submit(tasks.awaitChildren, 2), 1)
  await pool.close()
  const names = pool.events.map((event) => event.split(" ")[0])
  assert.deepEqual(
    ["before", "after"].map((hook) => names.filter((name) => name === hook).length),
    [6, 6],
  )
})

test("[PL24][PL27] if one throws then, the task that waits goes on", async () => {
  const { pool, uncaught } = hooked()
  setEnvironmentData("pool", pool.handle)
  const throws = (): string | undefined => (pool.events.length === 2 ? "beforeExecute" : undefined)
  Object.defineProperty(pool, "throws", { get: throws })
  assert.match(String(await rejectionOf(pool.submit(tasks.sumOfChildren, 1))), /before/)
  assert.equal(await pool.submit(tasks.threadName), "w-1")
  await pool.close()
  assert.deepEqual(uncaught, ["w-1 before"])
})

test("[PL25] sizes and times can be changed while the pool runs", async () => {
  await using pool = Executors.newFixedThreadPool(1)
  using gate = new SharedGate()
  const futures = Array.from({ length: 4 }, () => pool.submit(tasks.pass, gate.index))
  await gate.reached()
  assert.equal(pool.poolSize, 1)
  pool.maximumPoolSize = 4
  pool.corePoolSize = 3
  await gate.reached(3)
  assert.equal(pool.poolSize, 3)
  gate.open()
  await Promise.all(futures)
  pool.corePoolSize = 1
  pool.keepAliveTime = 1
  await eventually(() => pool.poolSize === 1)
  pool.allowCoreThreadTimeOut = true
  await eventually(() => pool.poolSize === 0)
  assert.equal(await pool.submit(tasks.add, 1, 2), 3)
  assert.equal(pool.prestartAllCoreThreads() <= 1, true)
})
