/** with(): the view itself, priority, name, transfer, nesting, execute, wrong options. */
import {
  ArrayBlockingQueue,
  CancellationError,
  Executors,
  type ExecutorService,
  ForkJoinPool,
  FutureTask,
  PriorityBlockingQueue,
  RejectedExecutionError,
  type TaskOptions,
  Thread,
  type ThreadPoolExecutor,
  TimeoutError,
  UnsupportedOperationError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { all, InlineExecutor, Lab, wrong } from "./support.ts"

function priorityPool(lab: Lab): ThreadPoolExecutor {
  return lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new PriorityBlockingQueue() })
}

test("[WO18] a view is the same executor: its end is the executor's end", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const view = pool.with({ name: "one" })
  const other = pool.with({})
  assert.equal(await view.submit((n: number) => n + 1, 1), 2)
  assert.equal(pool.completedTaskCount, 1)
  view.shutdown()
  assert.deepEqual([pool.isShutdown, view.isShutdown, other.isShutdown], [true, true, true])
  assert.throws(() => other.submit(() => 1), RejectedExecutionError)
  assert.equal(await other.awaitTermination(), true)
  assert.deepEqual([pool.isTerminated, view.isTerminated, other.isTerminated], [true, true, true])
  assert.deepEqual(view.shutdownNow(), [])
})

test("[WO19] a higher priority runs first, equal ones in the order of submission", async () => {
  await using lab = new Lab()
  const pool = priorityPool(lab)
  const gate = lab.gate()
  pool.with({ priority: 0 }).submit(gate.body)
  await gate.entered()
  const order: string[] = []
  const add = (name: string, priority: number): void => pool.with({ priority }).execute(() => order.push(name))
  add("low", -1)
  add("middle 1", 0)
  add("high 1", 10)
  add("middle 2", 0)
  add("high 2", 10)
  add("a hair higher", 10.5)
  add("middle 3", 0)
  gate.open()
  await eventually(() => order.length === 7)
  assert.deepEqual(order, ["a hair higher", "high 1", "high 2", "middle 1", "middle 2", "middle 3", "low"])
})

test("[WO19] priority holds for submit, invokeAll and map alike", async () => {
  await using lab = new Lab()
  const pool = priorityPool(lab)
  const gate = lab.gate()
  pool.with({ priority: 0 }).submit(gate.body)
  await gate.entered()
  const order: string[] = []
  const low = pool.with({ priority: 1 })
  const high = pool.with({ priority: 2 })
  const pending: PromiseLike<unknown>[] = [
    low.invokeAll([() => order.push("invokeAll"), () => order.push("invokeAll")]),
    low.submit(() => order.push("submit")),
    all(high.map((n: number) => order.push(`map ${n}`), [1, 2])),
  ]
  await eventually(() => pool.queue.size === 5)
  gate.open()
  await Promise.all(pending)
  assert.deepEqual(order, ["map 1", "map 2", "invokeAll", "invokeAll", "submit"])
})

test("[WO20] a priority on an executor that has no order is refused, in words that help", async () => {
  await using lab = new Lab()
  const executors: ExecutorService[] = [
    lab.fixed(1),
    lab.keep(Executors.newCachedThreadPool(lab.factory)),
    lab.keep(Executors.newSingleThreadExecutor(lab.factory)),
    lab.keep(Executors.newThreadPerTaskExecutor(lab.factory)),
    lab.keep(Executors.newScheduledThreadPool(1, lab.factory)),
    lab.keep(new ForkJoinPool({ parallelism: 1 })),
    new InlineExecutor(),
  ]
  for (const executor of executors) {
    const error = thrownBy(() => executor.with({ priority: 1 }))
    assert.ok(error instanceof UnsupportedOperationError)
    assert.match(error.message, /a ThreadPoolExecutor with a PriorityBlockingQueue .* This executor has another order/)
    assert.doesNotMatch(error.message, /give the pool/)
    assert.ok(thrownBy(() => executor.with({}).with({ priority: 1 })) instanceof UnsupportedOperationError)
  }
})

test("[WO21] in a queue that orders by priority a task without one has no place: TypeError", async () => {
  await using lab = new Lab()
  const pool = priorityPool(lab)
  const gate = lab.gate()
  pool.with({ priority: 0 }).submit(gate.body)
  await gate.entered()
  assert.throws(() => pool.submit(() => 1), TypeError)
  pool.with({ priority: 0 }).submit(() => 1)
  assert.throws(() => pool.submit(() => 1), TypeError)
  assert.equal(pool.queue.size, 1)
})

test("[WO22] a task is called by its name, in its future and in what is said of it", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1) })
  const gate = lab.gate()
  const named = pool.with({ name: "nightly report" })
  const running = named.submit(gate.body)
  const waiting = named.submit((n: number) => n, 1)
  assert.match(String(running), /^FutureTask@\d+\[Not completed, task = nightly report\]$/)
  assert.match(String(waiting), /\[Not completed, task = nightly report\]$/)
  const error = thrownBy(() => named.submit(() => 2))
  assert.ok(error instanceof RejectedExecutionError)
  assert.match(error.message, /nightly report/)
  function plain(): number {
    return 1
  }
  assert.equal(pool.remove(wrong(waiting)), true)
  assert.match(String(pool.submit(plain)), /\[Not completed, task = plain\]$/)
})

test("[WO23] a view of a view has the options of both; where both say something, the later one holds", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const first = new AbortController()
  const second = new AbortController()
  const outer = pool.with({ name: "outer", signal: first.signal })
  const inner = outer.with({ signal: second.signal }).with({ name: "inner" })
  const byOuter = outer.submit(gate.body)
  const byInner = inner.submit(gate.body)
  assert.match(String(byOuter), /task = outer\]$/)
  assert.match(String(byInner), /task = inner\]$/)
  first.abort()
  assert.deepEqual([byOuter.state, byInner.state], ["cancelled", "running"])
  second.abort()
  assert.equal(byInner.state, "cancelled")
})

test("[WO24] an executed command's error goes to the thread's handler, and the thread lives on", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const view = pool.with({ name: "command" })
  const thrown = new Error("thrown")
  const rejected = new Error("rejected")
  view.execute(() => {
    throw thrown
  })
  view.execute({ run: () => Promise.reject(rejected) })
  const thread = await pool.submit(() => Thread.currentThread())
  assert.deepEqual(lab.takeUncaughtWithThreads(), [
    { thread, error: thrown },
    { thread, error: rejected },
  ])
  assert.equal(lab.threads.length, 1)
})

test("[WO24] so does its running out of time; its cancellation is nobody's error", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.with({ timeout: 1 }).execute(gate.interruptible)
  const told: unknown[] = []
  await eventually(() => told.push(...lab.takeUncaught()) > 0)
  assert.equal(told.length, 1)
  assert.ok(told[0] instanceof TimeoutError)
  const controller = new AbortController()
  const other = lab.gate()
  pool.with({ signal: controller.signal }).execute(other.interruptible)
  await other.entered()
  controller.abort()
  await eventually(() => other.inside === 0)
  await turns()
  assert.deepEqual(lab.takeUncaught(), [])
})

test("[WO25] a command that never got a thread is told to the handler of the one that executed it", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  const caller = lab.call(() => {
    pool.with({ queueTimeout: 1 }).execute(() => 1)
    return turns()
  })
  const told: { thread: Thread; error: unknown }[] = []
  await eventually(() => told.push(...lab.takeUncaughtWithThreads()) > 0)
  assert.equal(told[0]?.thread, caller.thread)
  assert.ok(told[0].error instanceof TimeoutError)
})

test("[WO26] what shutdownNow returns is free of the view's limits, but keeps its name", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  const controller = new AbortController()
  const held = lab.gate()
  pool.with({ signal: controller.signal, queueTimeout: 1_000_000, name: "held" }).submit(held.body)
  const [task] = pool.shutdownNow()
  assert.ok(task instanceof FutureTask)
  controller.abort()
  assert.equal(task.state, "running")
  assert.match(String(task), /task = held\]$/)
  lab.fixed(1).execute(task)
  await held.entered()
  held.open("elsewhere")
  assert.equal(await task, "elsewhere")
})

test("[WO27] virtual threads share everything: what is to be transferred is passed on as it is", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const buffer = new ArrayBuffer(8)
  const same = await pool.with({ transfer: [buffer] }).submit((given: ArrayBuffer) => given === buffer, buffer)
  assert.deepEqual([same, buffer.byteLength], [true, 8])
})

test("[WO28] options that cannot be meant are refused by with itself", async () => {
  await using lab = new Lab()
  const pool = priorityPool(lab)
  const refuse = (options: unknown, kind: typeof TypeError | typeof RangeError): void => {
    for (const executor of [pool, pool.with({})]) {
      const error = thrownBy(() => executor.with(wrong<TaskOptions>(options)))
      assert.ok(error instanceof kind, `${JSON.stringify(options)}: ${String(error)}`)
      assert.match(error.message, /^Expected `/)
    }
  }
  for (const options of [null, undefined, 5, "fast"]) refuse(options, TypeError)
  for (const timeout of [0, -1, NaN, -Infinity]) refuse({ timeout }, RangeError)
  for (const queueTimeout of [0, -1, NaN, -Infinity]) refuse({ queueTimeout }, RangeError)
  for (const priority of [NaN, Infinity, -Infinity]) refuse({ priority }, RangeError)
  refuse({ timeout: "10" }, TypeError)
  refuse({ queueTimeout: "10" }, TypeError)
  refuse({ priority: "high" }, TypeError)
  refuse({ signal: {} }, TypeError)
  refuse({ name: 7 }, TypeError)
  refuse({ transfer: new ArrayBuffer(1) }, TypeError)
})

test("[WO29] an aborted view of a shut-down executor gives a cancelled future: nothing was to run anyway", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  pool.shutdown()
  const future = pool.with({ signal: AbortSignal.abort() }).submit(() => 1)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
})
