/** invokeAny in detail, on pools; what holds for every executor is in test/contract/executor-service. */
import {
  ArrayBlockingQueue,
  type Callable,
  CancellationError,
  DiscardPolicy,
  RejectedExecutionError,
  TimeoutError,
} from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { InlineExecutor, Lab, listeners, wrong } from "./support.ts"

test("[IN2] a task that still waits for a thread when another has succeeded never runs", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  let runs = 0
  assert.equal(await pool.invokeAny<unknown>([() => "first", gate.interruptible, () => ++runs]), "first")
  await eventually(() => pool.completedTaskCount === 3)
  assert.equal(runs, 0)
})

test("[IN2] a loser that ignores its interrupt is not waited for", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  assert.equal(await pool.invokeAny<unknown>([gate.body, () => "won"]), "won")
  assert.equal(gate.inside, 1)
})

test("[IN4] if all fail it is the error of the last one to fail", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const [slow, quick] = [new Error("slow"), new Error("quick")]
  const tasks = [
    async (): Promise<never> => {
      await turns()
      throw slow
    },
    (): Promise<never> => Promise.reject(quick),
  ]
  assert.equal(await rejectionOf(pool.invokeAny(tasks)), slow)
  assert.equal(await rejectionOf(pool.invokeAny(tasks.toReversed(), 100_000)), slow)
})

test("[IN5] what is not iterable is a TypeError, an empty list says so", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  for (const tasks of [null, undefined, 1, {}, () => 1]) {
    assert.ok((await rejectionOf(pool.invokeAny(wrong<[]>(tasks)))) instanceof TypeError)
    assert.ok((await rejectionOf(pool.invokeAny(wrong<[]>(tasks), 1000))) instanceof TypeError)
  }
  const error = await rejectionOf(pool.invokeAny([]))
  assert.ok(error instanceof RangeError)
  assert.match(error.message, /`tasks` to be a non-empty collection/)
})

test("[IN6] a task that is none is a TypeError when it is reached, and those before it are cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  for (const limit of [undefined, 100_000]) {
    const gate = lab.gate()
    const pending = pool.invokeAny(wrong<Callable<unknown>[]>([gate.interruptible, null]), limit)
    assert.ok((await rejectionOf(pending)) instanceof TypeError)
    await eventually(() => pool.activeCount === 0)
    assert.equal(gate.inside, 0)
  }
})

test("[IN7] tasks are started one by one while none has completed: where the first runs in the call, no other does", async () => {
  const executor = new InlineExecutor()
  const runs: string[] = []
  const task = (name: string) => (): string => {
    runs.push(name)
    return name
  }
  assert.equal(await executor.invokeAny([task("a"), task("b"), task("c")]), "a")
  assert.deepEqual(runs, ["a"])
})

test("[IN7] after a failure in the call the next one is started", async () => {
  const executor = new InlineExecutor()
  const runs: string[] = []
  const failing = (): never => {
    runs.push("failing")
    throw new Error("own")
  }
  assert.equal(await executor.invokeAny<string>([failing, () => "good", () => "unneeded"]), "good")
  assert.deepEqual([runs, executor.executed.length], [["failing"], 2])
})

test("[IN9] with no time at all the tasks are accepted and cancelled before they begin", async () => {
  for (const limit of [0, -1]) {
    await using lab = new Lab()
    const pool = lab.fixed(2)
    const gate = lab.gate()
    const tasks = [gate.interruptible, gate.interruptible]
    assert.ok((await rejectionOf(pool.invokeAny(tasks, limit))) instanceof TimeoutError)
    await eventually(() => pool.completedTaskCount === 2)
    assert.equal(gate.entries, 0)
  }
})

test("[IN9] with a limit of zero a task that has completed by then still wins", async () => {
  const executor = new InlineExecutor()
  assert.equal(await executor.invokeAny([() => "in the call"], 0), "in the call")
})

test("[IN10] with a limit, if all fail before it is over, it is the failure and no TimeoutError", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const limit = 2 ** 40 // would outlast the test by decades
  const error = new Error("own")
  assert.equal(await rejectionOf(pool.invokeAny([() => Promise.reject(error)], limit)), error)
})

test("[IN11] a refusal on the way ends invokeAny with it, and the tasks before are cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.create({ corePoolSize: 1, maximumPoolSize: 1, workQueue: new ArrayBlockingQueue(1) })
  const gate = lab.gate()
  const tasks = [gate.interruptible, gate.interruptible, gate.interruptible]
  assert.ok((await rejectionOf(pool.invokeAny(tasks))) instanceof RejectedExecutionError)
  await eventually(() => pool.completedTaskCount === 2)
  assert.equal(gate.inside, 0)
})

test("[IN13] an aborted signal ends invokeAny with its reason and cancels the tasks", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  const controller = new AbortController()
  const pending = pool.invokeAny([gate.interruptible, gate.interruptible], { signal: controller.signal })
  await gate.entered(2)
  const reason = new Error("enough")
  controller.abort(reason)
  assert.equal(await rejectionOf(pending), reason)
  await eventually(() => gate.inside === 0)
  assert.equal(listeners(controller.signal), 0)
})

test("[IN13] a signal that has aborted, and a limit that is none, let nothing start", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const reason = new Error("before")
  let runs = 0
  const tasks = [(): number => ++runs]
  assert.equal(await rejectionOf(pool.invokeAny(tasks, { signal: AbortSignal.abort(reason) })), reason)
  assert.ok((await rejectionOf(pool.invokeAny(tasks, NaN))) instanceof RangeError)
  assert.ok((await rejectionOf(pool.invokeAny(tasks, wrong("10")))) instanceof TypeError)
  assert.ok((await rejectionOf(pool.invokeAny(tasks, { signal: wrong("stop") }))) instanceof TypeError)
  await turns()
  assert.deepEqual([runs, pool.taskCount], [0, 0])
})

test("[IN14] each task runs at most once", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const runs = [0, 0, 0, 0, 0]
  const tasks = runs.map((_, index) => async (): Promise<number> => {
    runs[index] = (runs[index] ?? 0) + 1
    await turns(index)
    if (index % 2 === 0) throw new Error("even")
    return index
  })
  assert.equal(await pool.invokeAny(tasks), 1)
  await eventually(() => pool.activeCount === 0 && pool.queue.isEmpty)
  assert.ok(runs.every((count) => count <= 1))
})

test("[IN15] a task that the executor drops counts as a failure", async () => {
  await using lab = new Lab()
  const pool = lab.create({
    corePoolSize: 1,
    maximumPoolSize: 1,
    workQueue: new ArrayBlockingQueue(1),
    handler: DiscardPolicy,
  })
  const gate = lab.gate()
  pool.submit(gate.body)
  pool.submit(() => "fills the queue")
  const error = await rejectionOf(pool.invokeAny([() => 1, () => 2]))
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
})

test("[IN15] shutdownNow releases who waits in invokeAny", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  pool.submit(gate.body)
  await gate.entered()
  const pending = pool.invokeAny([() => 1, () => 2])
  pool.shutdownNow()
  assert.ok((await rejectionOf(pending)) instanceof CancellationError)
})

test("[IN16] a source of tasks is read no further than needed, and closed", async () => {
  const executor = new InlineExecutor()
  const trace: string[] = []
  function* tasks(): Generator<Callable<number>> {
    try {
      for (let n = 1; n <= 3; n++) {
        trace.push(`read ${n}`)
        yield () => n
      }
    } finally {
      trace.push("closed")
    }
  }
  assert.equal(await executor.invokeAny(tasks()), 1)
  assert.deepEqual(trace, ["read 1", "closed"])
})

test("[IN16] a source that fails ends it with its error and is not closed", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const error = new Error("source")
  let reads = 0
  let returned = 0
  const tasks: Iterable<Callable<unknown>> = {
    [Symbol.iterator]: () => ({
      next: () => {
        if (reads++ > 0) throw error
        return { done: false, value: gate.interruptible }
      },
      return: () => ({ done: true, value: ++returned }),
    }),
  }
  assert.equal(await rejectionOf(pool.invokeAny(tasks)), error)
  await eventually(() => pool.activeCount === 0)
  assert.deepEqual([returned, gate.inside], [0, 0])
})
