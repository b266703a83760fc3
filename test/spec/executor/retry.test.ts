/** with({ retry }). */
import {
  CancellationError,
  ExecutorCompletionService,
  Executors,
  FutureTask,
  type Future,
  PriorityBlockingQueue,
  RejectedExecutionError,
  SynchronousQueue,
  ThreadPoolExecutor,
  TimeoutError,
  virtualThreads,
} from "corepool"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { AsyncLocalStorage } from "node:async_hooks"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { InlineExecutor, Lab, SerialExecutor, wrong } from "./support.ts"

/** Fails `failures` times and then returns the number of the attempt. */
function failing(failures: number, error: (attempt: number) => unknown = (attempt) => new Error(`no ${attempt}`)) {
  let attempts = 0
  return () => {
    if (++attempts <= failures) throw error(attempts)
    return attempts
  }
}

test("[RY1] [RY2] a task that fails is tried again after delays that grow, up to the longest", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const times: number[] = []
  const pool = lab.fixed(1)
  const future = pool.with({ retry: { attempts: 5, delay: 100, factor: 3, maxDelay: 500, clock } }).submit(() => {
    times.push(clock.now)
    if (times.length < 5) throw new Error("again")
    return "done"
  })
  await clock.advance(10_000)
  assert.equal(await future, "done")
  assert.deepEqual(times, [0, 100, 400, 900, 1400])
  assert.equal(future.attempts, 5)
})

test("[RY1] [RY3] the last attempt's error is the future's, and `attempts` counts", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  const future = pool.with({ retry: { attempts: 3, clock } }).submit(failing(9))
  assert.equal(future.attempts, 1)
  await clock.advance(99)
  assert.equal(future.attempts, 1)
  await clock.advance(1)
  assert.equal(future.attempts, 2)
  await clock.advance(200)
  assert.equal(((await rejectionOf(future)) as Error).message, "no 3")
  assert.equal(future.attempts, 3)
  assert.equal(clock.nextTime, undefined)
  const plain: Future<number> = pool.submit(() => 1)
  assert.equal(plain.attempts, undefined)
})

test("[RY4] between two attempts no thread is occupied and the queue is empty", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  const future = pool.with({ retry: { clock } }).submit(failing(1))
  await turns()
  assert.equal(pool.activeCount, 0)
  assert.equal(pool.queue.size, 0)
  assert.equal(await pool.submit(() => "meanwhile"), "meanwhile")
  await clock.advance(100)
  assert.equal(await future, 2)
})

test("[RY5] `when` decides; its error, or a value that is no boolean, goes to the guard and ends the attempts", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  const seen: unknown[] = []
  const some = pool.with({ retry: { clock, when: (error) => seen.push(error) < 2 } }).submit(failing(9))
  await clock.advance(1000)
  assert.equal(((await rejectionOf(some)) as Error).message, "no 2")
  assert.equal(seen.length, 2)
  const broken = pool.with({ retry: { clock, when: () => assert.fail("when") } }).submit(failing(9))
  assert.equal(((await rejectionOf(broken)) as Error).message, "no 1")
  const promising = pool.with({ retry: { clock, when: wrong(async () => true) } }).submit(failing(9))
  assert.equal(((await rejectionOf(promising)) as Error).message, "no 1")
  const told = lab.takeUncaught().map(String)
  assert.equal(told.length, 2)
  assert.match(told[0] as string, /when/)
  assert.match(told[1] as string, /`when\(error\)` to be a boolean/)
  const cancelling: Future<number> = pool.with({ retry: { clock, when: () => cancelling.cancel() } }).submit(failing(9))
  assert.ok((await rejectionOf(cancelling)) instanceof CancellationError)
  assert.equal(clock.nextTime, undefined)
})

test("[RY6] CancellationError and RejectedExecutionError of a task end the attempts at once", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  for (const error of [new CancellationError("c"), new RejectedExecutionError("r", () => 1)]) {
    const future = pool.with({ retry: { clock } }).submit(failing(9, () => error))
    assert.equal(await rejectionOf(future), error)
    assert.equal(future.attempts, 1)
  }
})

test("[RY7] a cancel between, in or before attempts ends them all, with interrupt if asked for", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  const between = pool.with({ retry: { clock } }).submit(failing(9))
  await turns()
  assert.equal(between.cancel(), true)
  assert.equal(clock.nextTime, undefined)
  const gate = lab.gate()
  let interrupted = false
  const running = pool.with({ retry: { clock } }).submit(async () => {
    await gate.interruptible().catch(() => (interrupted = true))
    throw new Error("not seen")
  })
  const waiting = pool.with({ retry: { clock } }).submit(() => assert.fail("runs"))
  assert.equal(waiting.cancel(), true)
  await turns()
  assert.equal(running.cancel(true), true)
  await eventually(() => interrupted)
  assert.equal(await pool.submit(() => "next"), "next")
  assert.equal(clock.nextTime, undefined)
  const controller = new AbortController()
  const aborted = pool.with({ retry: { clock }, signal: controller.signal }).submit(failing(9))
  await turns()
  controller.abort("enough")
  assert.equal(((await rejectionOf(aborted)) as Error).cause, "enough")
  assert.equal(clock.nextTime, undefined)
})

test("[RY8] `timeout` covers all attempts and delays, `attemptTimeout` each attempt, `queueTimeout` the first start", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const all = pool.with({ timeout: 5, retry: { attempts: 2, delay: 1_000_000 } }).submit(failing(9))
  const error = await rejectionOf(all)
  assert.ok(error instanceof TimeoutError)
  assert.equal(all.attempts, 1)
  const gate = lab.gate()
  let runs = 0
  const each = pool.with({ retry: { attempts: 2, delay: 0, attemptTimeout: 2 } }).submit(async () => {
    if (++runs === 1) await gate.interruptible()
    return runs
  })
  assert.equal(await each, 2)
  const slow = lab.gate()
  pool.submit(slow.body)
  const late = pool.with({ queueTimeout: 1, retry: {} }).submit(() => 1)
  assert.ok((await rejectionOf(late)) instanceof TimeoutError)
  assert.equal(pool.queue.size, 0)
  slow.open()
})

test("[RY9] a first attempt that the executor refuses is refused to the caller; for a later one the last error counts", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.keep(
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new SynchronousQueue(),
      threadFactory: virtualThreads(),
    }),
  )
  const retrying = pool.with({ retry: { clock } })
  const future = retrying.submit(failing(9))
  await turns()
  const gate = lab.gate()
  pool.submit(gate.body)
  assert.throws(() => retrying.submit(() => 1), RejectedExecutionError)
  await clock.advance(100)
  assert.equal(((await rejectionOf(future)) as Error).message, "no 1")
  assert.equal(future.attempts, 1)
  gate.open()
})

for (const [kind, make] of [
  ["fixed", (lab: Lab) => lab.fixed(1)],
  ["cached", (lab: Lab) => lab.keep(Executors.newCachedThreadPool(virtualThreads()))],
  ["scheduled", (lab: Lab) => lab.keep(Executors.newScheduledThreadPool(1, virtualThreads()))],
  ["thread per task", (lab: Lab) => lab.keep(Executors.newVirtualThreadPerTaskExecutor())],
  ["delegated", (lab: Lab) => lab.keep(Executors.unconfigurableExecutorService(lab.fixed(1)))],
] as const) {
  test(`[RY10] ${kind}: after shutdown() tasks have their further attempts, and the end comes after them`, async () => {
    await using lab = new Lab()
    const clock = new ManualClock()
    const pool = make(lab)
    const future = pool.with({ retry: { clock } }).submit(failing(2))
    await turns()
    pool.shutdown()
    pool.shutdown()
    assert.equal(pool.isShutdown, true)
    assert.equal(pool.isTerminated, false)
    assert.equal(await pool.awaitTermination(0), false)
    assert.throws(() => pool.submit(() => 1), RejectedExecutionError)
    assert.throws(() => pool.execute(() => 1), RejectedExecutionError)
    assert.throws(() => pool.with({ retry: { clock } }).submit(() => 1), RejectedExecutionError)
    const closed = pool.close()
    await clock.advance(1000)
    assert.equal(await future, 3)
    await closed
    assert.equal(pool.isTerminated, true)
  })

  test(`[RY11] ${kind}: shutdownNow() cancels tasks between two attempts, and no attempt begins after it`, async () => {
    await using lab = new Lab()
    const clock = new ManualClock()
    const pool = make(lab)
    const between = pool.with({ retry: { clock } }).submit(failing(9))
    await turns()
    const gate = lab.gate()
    const running = pool.with({ retry: { clock } }).submit(() => gate.interruptible())
    await turns()
    pool.shutdown()
    pool.shutdownNow()
    assert.equal(between.state, "cancelled")
    await rejectionOf(running)
    assert.equal(running.attempts, 1)
    assert.equal(await pool.awaitTermination(), true)
    assert.equal(clock.nextTime, undefined)
  })
}

test("[RY11] `when` may stop the executor: there is no further attempt", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.fixed(1)
  const when = (): boolean => pool.shutdownNow().length === 0
  const future = pool.with({ retry: { clock, when } }).submit(failing(9))
  assert.equal(((await rejectionOf(future)) as Error).message, "no 1")
  assert.equal(future.attempts, 1)
  assert.equal(clock.nextTime, undefined)
})

test("[RY10] an executor of the user's own that is shut down refuses the next attempt: the last error counts", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const executor = lab.keep(new SerialExecutor(virtualThreads()))
  const future = executor.with({ retry: { clock } }).submit(failing(9))
  await turns()
  executor.shutdown()
  await clock.advance(1000)
  assert.equal(((await rejectionOf(future)) as Error).message, "no 1")
})

test("[RY12] retries hold for invokeAll, invokeAny, map, execute and a completion service", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const view = pool.with({ retry: { delay: 0 } })
  const futures = await view.invokeAll([failing(1), failing(2)])
  assert.deepEqual(
    futures.map((future) => [future.resultNow(), future.attempts]),
    [
      [2, 2],
      [3, 3],
    ],
  )
  assert.equal(await view.invokeAny([failing(2)]), 3)
  const tries = new Map<number, number>()
  const results: number[] = []
  for await (const value of view.map(
    (item: number) => {
      tries.set(item, (tries.get(item) ?? 0) + 1)
      if (tries.get(item) === 1) throw new Error("once")
      return item * 2
    },
    [1, 2, 3],
  ))
    results.push(value)
  assert.deepEqual(results, [2, 4, 6])
  const service = new ExecutorCompletionService<number>(view)
  const future = service.submit(failing(2))
  const completion = await service.take()
  assert.equal(completion.future, future)
  assert.equal(future.resultNow(), 3)
  let runs = 0
  view.execute(() => {
    runs++
    throw new Error("reported once")
  })
  let reported = 0
  await eventually(() => (reported += lab.takeUncaught().length) > 0)
  assert.equal(runs, 3)
  assert.equal(reported, 1)
  const own = new FutureTask(failing(1))
  view.execute(own)
  assert.equal(((await rejectionOf(own)) as Error).message, "no 1")
})

test("[RY13] wrong options are refused with their names", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const refused = (retry: unknown, message: RegExp) => assert.throws(() => pool.with({ retry: wrong(retry) }), message)
  refused(3, /`retry` to be an object/)
  refused({ attempts: 0 }, /`attempts` to be an integer ≥ 1, got 0/)
  refused({ attempts: "3" }, /`attempts`/)
  refused({ delay: -1 }, /`delay` to be a number of milliseconds ≥ 0/)
  refused({ delay: Infinity }, /`delay` to be a finite number of milliseconds/)
  refused({ factor: 0.5 }, /`factor` to be a finite number ≥ 1/)
  refused({ factor: Infinity }, /`factor`/)
  refused({ maxDelay: NaN }, /`maxDelay`/)
  refused({ jitter: 1 }, /`jitter` to be a boolean/)
  refused({ when: true }, /`when` to be a function/)
  refused({ attemptTimeout: 0 }, /`attemptTimeout`/)
  refused({ clock: {} }, /`clock` to be a Clock/)
  refused({ delays: 1 }, /Unknown option `delays` of `retry`: did you mean `delay`/)
  assert.throws(() => pool.with({ retry: {}, transfer: [] }), /`transfer` to be left out with `retry`/)
})

test("[RY14] attempts have the priority and the name of the task, and the context of its submission", async () => {
  await using lab = new Lab()
  const clock = new ManualClock()
  const pool = lab.keep(
    new ThreadPoolExecutor({
      corePoolSize: 1,
      maximumPoolSize: 1,
      workQueue: new PriorityBlockingQueue(),
      threadFactory: virtualThreads(),
    }),
  )
  const order: string[] = []
  const retried = pool.with({ priority: 5, name: "patient", retry: { clock } }).submit(() => {
    order.push("retried")
    if (order.length === 1) throw new Error("once")
  })
  await turns()
  const gate = lab.gate()
  const blocker = pool.with({ priority: 9 }).submit(gate.body)
  const low = pool.with({ priority: 1 }).submit(() => order.push("low"))
  await clock.advance(100)
  assert.match(String(pool.queue.peek()), /patient/)
  gate.open()
  await Promise.all([blocker, low, retried])
  assert.deepEqual(order, ["retried", "retried", "low"])

  const store = new AsyncLocalStorage<string>()
  const seen: unknown[] = []
  const inline = lab.keep(new InlineExecutor()) // runs tasks inside the call of execute
  const future = store.run("request", () =>
    inline.with({ retry: { clock } }).submit(() => {
      if (seen.push(store.getStore()) < 3) throw new Error("again")
    }),
  )
  await clock.advance(1000)
  await future
  assert.deepEqual(seen, ["request", "request", "request"])
})

test("[RY12] retries hold for a completion service on a view of a delegate", async () => {
  await using executor = Executors.newSingleThreadExecutor(virtualThreads())
  const service = new ExecutorCompletionService<number>(executor.with({ retry: { attempts: 3, delay: 1 } }))
  let runs = 0
  service.submit(() => {
    if (++runs < 3) throw new Error("again")
    return runs
  })
  const { future } = await service.take()
  assert.deepEqual([future.resultNow(), future.attempts], [3, 3])
})
