/** ExecutorCompletionService. */
import {
  AbstractExecutorService,
  ArrayBlockingQueue,
  type Callable,
  CancellationError,
  type Completion,
  DiscardPolicy,
  type Executor,
  ExecutorCompletionService,
  type Future,
  FutureTask,
  InterruptedError,
  RejectedExecutionError,
  ThreadPoolExecutor,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { Lab, listeners, wrong } from "./support.ts"

test("[CS1] it needs an executor: anything with an execute method", async () => {
  for (const executor of [null, undefined, {}, () => 1]) {
    assert.throws(() => new ExecutorCompletionService(wrong(executor)), TypeError)
  }
  const executor: Executor = {
    execute(command, ...args) {
      if (typeof command === "function") command(...args)
      else command.run()
    },
  }
  const service = new ExecutorCompletionService<number>(executor)
  const future = service.submit((a: number, b: number) => a + b, 1, 2)
  assert.deepEqual(service.poll(), { status: "fulfilled", value: 3, future })
})

test("[CS2] what is no task is a TypeError and nothing is delivered", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<number>(lab.fixed(1))
  for (const task of [null, undefined, 1, {}, { run: () => 1 }]) {
    assert.throws(() => service.submit(wrong<Callable<number>>(task)), TypeError)
  }
  await turns()
  assert.equal(service.poll(), undefined)
})

test("[CS3] tasks are delivered in the order in which they end", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<unknown>(lab.fixed(3))
  const gates = [lab.gate(), lab.gate(), lab.gate()]
  const futures = gates.map((gate) => service.submit(gate.body))
  const delivered: unknown[] = []
  for (const index of [1, 2, 0]) {
    gates[index]?.open(index)
    const completion = await service.take()
    assert.equal(completion.future, futures[index])
    delivered.push(completion.status === "fulfilled" && completion.value)
  }
  assert.deepEqual(delivered, [1, 2, 0])
})

test("[CS4] what is delivered is done, and is the very future that submit returned", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<string>(lab.fixed(1))
  const future = service.submit(() => "value")
  const completion = await service.take()
  assert.equal(completion.future, future)
  assert.equal(completion.future.isDone, true)
  assert.deepEqual(completion, { status: "fulfilled", value: "value", future })
})

test("[CS5] poll gives nothing while nothing is done, at once or when its time is up", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<unknown>(lab.fixed(1))
  const gate = lab.gate()
  const future = service.submit(gate.body)
  await gate.entered()
  assert.equal(service.poll(), undefined)
  for (const limit of [0, -1, -Infinity, 1, { timeout: 1 }]) assert.equal(await service.poll(limit), undefined)
  const waiting = service.poll(100_000)
  gate.open("done")
  assert.deepEqual(await waiting, { status: "fulfilled", value: "done", future })
  assert.equal(service.poll(), undefined)
})

test("[CS6] successes, failures and cancellations are all delivered, each once", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<number>(lab.fixed(4))
  const error = new Error("odd")
  const futures = Array.from({ length: 20 }, (_, n) =>
    service.submit(() => {
      if (n % 2 === 1) throw error
      return n
    }),
  )
  for (const future of futures.slice(-3)) future.cancel()
  const seen = new Map<Future<number>, Completion<number>>()
  for (const _ of futures) {
    const completion = await service.take()
    assert.equal(seen.has(completion.future), false)
    seen.set(completion.future, completion)
  }
  assert.equal(service.poll(), undefined)
  for (const [n, future] of futures.entries()) {
    const completion = seen.get(future)
    if (n >= 17) assert.ok(completion?.status === "rejected" && completion.reason instanceof CancellationError)
    else if (n % 2 === 1) assert.deepEqual(completion, { status: "rejected", reason: error, future })
    else assert.deepEqual(completion, { status: "fulfilled", value: n, future })
  }
})

test("[CS7] an executor with futures of its own kind makes those", async () => {
  await using lab = new Lab()
  class Marked<T> extends FutureTask<T> {
    ended = 0
    protected override done(): void {
      this.ended++
    }
  }
  class Marking extends ThreadPoolExecutor {
    protected override newTaskFor<T>(callable: Callable<T>): FutureTask<T> {
      return new Marked(callable)
    }
  }
  const pool = lab.adopt(new Marking({ corePoolSize: 1, maximumPoolSize: 1, threadFactory: lab.factory }))
  assert.ok(pool instanceof AbstractExecutorService)
  const service = new ExecutorCompletionService<string>(pool)
  const future = service.submit(() => "value")
  const completion = await service.take()
  assert.ok(future instanceof Marked)
  assert.equal(completion.future, future)
  assert.deepEqual([future.ended, future.resultNow()], [1, "value"])
})

test("[CS8] a task cancelled while it waits is delivered when its turn comes, one cancelled while it runs when it ends", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const service = new ExecutorCompletionService<unknown>(pool)
  const gate = lab.gate()
  let runs = 0
  const running = service.submit(gate.body)
  const waiting = service.submit(() => ++runs)
  await gate.entered()
  assert.deepEqual([running.cancel(), waiting.cancel()], [true, true])
  await turns()
  assert.equal(service.poll(), undefined)
  gate.open()
  assert.equal((await service.take()).future, running)
  assert.equal((await service.take()).future, waiting)
  assert.equal(runs, 0)
})

test("[CS9] a task that the executor drops is delivered at once, as cancelled, and says why", async () => {
  await using lab = new Lab()
  const pool = lab.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(1),
    handler: DiscardPolicy,
  })
  const service = new ExecutorCompletionService<unknown>(pool)
  const gate = lab.gate()
  const running = service.submit(gate.body)
  const waiting = service.submit(() => "waits")
  const dropped = service.submit(() => "dropped")
  await gate.entered()
  const expect = (completion: Completion<unknown> | undefined, future: Future<unknown>): void => {
    assert.equal(completion?.future, future)
    assert.ok(completion.status === "rejected" && completion.reason instanceof CancellationError)
    assert.ok(completion.reason.cause instanceof RejectedExecutionError)
  }
  expect(service.poll(), dropped)
  assert.equal(service.poll(), undefined)
  pool.shutdownNow()
  expect(service.poll(), waiting)
  gate.open("ran")
  assert.deepEqual(await service.take(), { status: "fulfilled", value: "ran", future: running })
})

test("[CS9] what shutdownNow returns of it is the work itself, which can be run elsewhere", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const service = new ExecutorCompletionService<unknown>(pool)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  let runs = 0
  service.submit(() => ++runs)
  const [work] = pool.shutdownNow()
  assert.ok(work !== undefined)
  assert.equal(service.poll()?.status, "rejected")
  lab.fixed(1).execute(work)
  await eventually(() => runs === 1)
  assert.equal(service.poll(), undefined)
})

test("[CS10] a refused task is not delivered", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const service = new ExecutorCompletionService<number>(pool)
  pool.shutdown()
  assert.throws(() => service.submit(() => 1), RejectedExecutionError)
  await turns()
  assert.equal(service.poll(), undefined)
})

test("[CS11] a wait that is given up, by time, interrupt or signal, takes nothing away from the next", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<unknown>(lab.fixed(1))
  const gate = lab.gate()
  const future = service.submit(gate.body)
  await gate.entered()
  const interrupted = lab.call(() => service.take())
  const controller = new AbortController()
  const aborted = service.take({ signal: controller.signal })
  const timed = service.poll(1)
  await turns()
  const last = service.take()
  interrupted.thread.interrupt()
  const reason = new Error("enough")
  controller.abort(reason)
  assert.equal(await rejectionOf(aborted), reason)
  const outcome = await interrupted.outcome
  assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
  assert.equal(await timed, undefined)
  gate.open("for the last")
  assert.deepEqual(await last, { status: "fulfilled", value: "for the last", future })
  assert.equal(listeners(controller.signal), 0)
})

test("[CS12] who waits longest is served first", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<number>(lab.fixed(1))
  const served: string[] = []
  const waits = ["a", "b", "c"].map(async (name) => {
    await service.take()
    served.push(name)
  })
  for (let n = 0; n < 3; n++) service.submit(() => n)
  await Promise.all(waits)
  assert.deepEqual(served, ["a", "b", "c"])
})

test("[CS13] two services over one executor do not see each other's tasks, nor those of others", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const [one, two] = [new ExecutorCompletionService<string>(pool), new ExecutorCompletionService<string>(pool)]
  one.submit(() => "one")
  await pool.submit(() => "neither")
  two.submit(() => "two")
  const first = await one.take()
  const second = await two.take()
  assert.deepEqual(
    [first.status === "fulfilled" && first.value, second.status === "fulfilled" && second.value],
    ["one", "two"],
  )
  assert.deepEqual([one.poll(), two.poll()], [undefined, undefined])
})

test("[CS14] using every good result, as they come", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<number | undefined>(lab.fixed(3))
  const solvers: Callable<number | undefined>[] = [
    () => 1,
    () => undefined,
    () => Promise.reject(new Error("no")),
    () => 4,
  ]
  for (const solve of solvers) service.submit(solve)
  const used: number[] = []
  for (const _ of solvers) {
    const completion = await service.take()
    if (completion.status === "fulfilled" && completion.value !== undefined) used.push(completion.value)
  }
  assert.deepEqual(new Set(used), new Set([1, 4]))
})

test("[CS14] using the first good result and cancelling the rest", async () => {
  await using lab = new Lab()
  const service = new ExecutorCompletionService<unknown>(lab.fixed(4))
  const gate = lab.gate()
  const solvers: Callable<unknown>[] = [
    () => Promise.reject(new Error("no")),
    () => undefined,
    gate.interruptible,
    () => "found",
  ]
  const futures = solvers.map((solve) => service.submit(solve))
  let result: unknown
  while (result === undefined) {
    const completion = await service.take()
    if (completion.status === "fulfilled") result = completion.value
  }
  for (const future of futures) future.cancel(true)
  assert.equal(result, "found")
  await eventually(() => gate.inside === 0)
})
