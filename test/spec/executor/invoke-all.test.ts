/** invokeAll in detail, on pools; what holds for every executor is in test/contract/executor-service. */
import { type Callable, InterruptedError, RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { InlineExecutor, Lab, listeners, wrong } from "./support.ts"

test("[IA1] the futures are those of the tasks, whatever the order in which they end", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(3)
  const [first, second] = [lab.gate(), lab.gate()]
  const pending = pool.invokeAll([first.body, second.body, () => "third"])
  await first.entered()
  second.open("second")
  await turns()
  first.open("first")
  const futures = await pending
  assert.deepEqual(
    futures.map((future) => future.resultNow()),
    ["first", "second", "third"],
  )
})

test("[IA2] a task that somebody cancels meanwhile does not fail invokeAll", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const pending = pool.invokeAll([gate.body, () => "waits"])
  await gate.entered()
  const [waiting] = pool.queue as unknown as Iterable<{ cancel(): boolean }>
  waiting?.cancel()
  gate.open("ran")
  const futures = await pending
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "cancelled"],
  )
})

test("[IA3] no tasks are no error, even after shutdown", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  pool.shutdown()
  assert.deepEqual(await pool.invokeAll([]), [])
})

test("[IA4] what is not iterable is a TypeError", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  for (const tasks of [null, undefined, 1, {}, () => 1]) {
    for (const limit of [undefined, 1000]) {
      const error = await rejectionOf(pool.invokeAll(wrong<Callable<unknown>[]>(tasks), limit))
      assert.ok(error instanceof TypeError)
      assert.match(error.message, /^Expected `tasks` to be an iterable of functions, got /)
    }
  }
})

test("[IA5] without limit a task that is none is noticed when it is reached, and those before it are cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const accepted: unknown[] = []
  const tasks = [gate.interruptible, null, gate.interruptible]
  const pending = pool.invokeAll(wrong<Callable<unknown>[]>(tasks))
  accepted.push(pool.taskCount)
  assert.ok((await rejectionOf(pending)) instanceof TypeError)
  assert.deepEqual(accepted, [1])
  await eventually(() => pool.completedTaskCount === 1)
  assert.equal(gate.inside, 0)
})

test("[IA6] with a limit a task that is none is noticed before anything starts", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const error = await rejectionOf(pool.invokeAll(wrong<Callable<unknown>[]>([gate.body, null]), 1000))
  assert.ok(error instanceof TypeError)
  assert.equal(pool.taskCount, 0)
  await turns()
  assert.equal(gate.entries, 0)
})

test("[IA7] with a limit invokeAll returns as soon as everything is done", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const limit = 2 ** 40 // would outlast the test by decades
  const futures = await pool.invokeAll<unknown>([() => 1, () => turns()], limit)
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "success"],
  )
})

test("[IA8] what still waits for a thread when time is up is cancelled too and never runs", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  let runs = 0
  const futures = await pool.invokeAll<unknown>([() => "done", gate.interruptible, () => ++runs], 5)
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "cancelled", "cancelled"],
  )
  await eventually(() => pool.activeCount === 0 && pool.queue.isEmpty)
  assert.equal(runs, 0)
})

test("[IA9] a limit of zero or less starts nothing: all come back cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  let runs = 0
  for (const limit of [0, -1, -Infinity, { timeout: 0 }]) {
    const futures = await pool.invokeAll([() => ++runs, () => ++runs], limit)
    assert.deepEqual(
      futures.map((future) => future.state),
      ["cancelled", "cancelled"],
    )
  }
  await turns()
  assert.deepEqual([runs, pool.taskCount], [0, 0])
})

test("[IA10] no task is started after the limit", async () => {
  const executor = new InlineExecutor()
  const limit = 2
  let runs = 0
  // Holds the event loop, and with it the starting of the tasks, until the limit is over.
  const hog = (): void => {
    runs++
    for (const end = performance.now() + 2 * limit; performance.now() < end;);
  }
  const futures = await executor.invokeAll([hog, hog, hog], limit)
  assert.equal(runs, 1)
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "cancelled", "cancelled"],
  )
})

test("[IA11] an interrupt leaves the queue with nothing but dead tasks", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  let runs = 0
  const caller = lab.call(() => pool.invokeAll<unknown>([gate.interruptible, () => ++runs]))
  await gate.entered()
  caller.thread.interrupt()
  const outcome = await caller.outcome
  assert.ok(outcome.status === "rejected" && outcome.reason instanceof InterruptedError)
  await eventually(() => pool.completedTaskCount === 2)
  assert.equal(runs, 0)
})

test("[IA12] an aborted signal ends invokeAll with its reason and cancels the tasks", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const reason = new Error("enough")
  for (const timeout of [Infinity, 100_000]) {
    const gate = lab.gate()
    const controller = new AbortController()
    const { signal } = controller
    const pending = pool.invokeAll([gate.interruptible, gate.interruptible], { signal, timeout })
    await gate.entered(2)
    controller.abort(reason)
    assert.equal(await rejectionOf(pending), reason)
    await eventually(() => gate.inside === 0)
    assert.equal(listeners(signal), 0)
  }
})

test("[IA12] a signal that has aborted lets nothing start", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const reason = new Error("before")
  const signal = AbortSignal.abort(reason)
  let runs = 0
  assert.equal(await rejectionOf(pool.invokeAll([() => ++runs], { signal })), reason)
  assert.equal(await rejectionOf(pool.invokeAll([() => ++runs], { signal, timeout: 10 })), reason)
  await turns()
  assert.deepEqual([runs, pool.taskCount], [0, 0])
})

test("[IA13] a task that shutdownNow returns is given as cancelled, the running one is waited for", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const pending = pool.invokeAll([gate.body, () => 1, () => 2])
  await gate.entered()
  const unrun = pool.shutdownNow()
  assert.equal(unrun.length, 2)
  gate.open("ran")
  const futures = await pending
  assert.deepEqual(
    futures.map((future) => future.state),
    ["success", "cancelled", "cancelled"],
  )
})

test("[IA14] a limit that is no number of milliseconds is refused, and nothing starts", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const task = (): number => 1
  assert.ok((await rejectionOf(pool.invokeAll([task], NaN))) instanceof RangeError)
  assert.ok((await rejectionOf(pool.invokeAll([task], wrong("10")))) instanceof TypeError)
  assert.ok((await rejectionOf(pool.invokeAll([task], wrong(null)))) instanceof TypeError)
  assert.ok((await rejectionOf(pool.invokeAll([task], { signal: wrong({}) }))) instanceof TypeError)
  assert.equal(pool.taskCount, 0)
})

test("[IA15] tasks may come from any iterable; if that throws, the tasks before are cancelled and its error is heard", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(1)
  const gate = lab.gate()
  const error = new Error("source")
  function* good(): Generator<Callable<number>> {
    yield () => 1
    yield () => 2
  }
  function* bad(): Generator<Callable<unknown>> {
    yield gate.interruptible
    throw error
  }
  const futures = await pool.invokeAll(good())
  assert.deepEqual(
    futures.map((future) => future.resultNow()),
    [1, 2],
  )
  assert.equal(await rejectionOf(pool.invokeAll(bad())), error)
  await eventually(() => pool.activeCount === 0)
})

test("[IA16] a refusal on the way ends invokeAll with it, and the tasks before are cancelled", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const gate = lab.gate()
  function* tasks(): Generator<Callable<unknown>> {
    yield gate.interruptible
    pool.shutdown()
    yield gate.interruptible
  }
  assert.ok((await rejectionOf(pool.invokeAll(tasks()))) instanceof RejectedExecutionError)
  assert.equal(await pool.awaitTermination(), true)
  assert.equal(gate.inside, 0)
})

test("[IA17] a task may call invokeAll of the executor it runs in, if a thread is left for the others", async () => {
  await using lab = new Lab()
  const pool = lab.fixed(2)
  const sum = await pool.submit(async () => {
    const futures = await pool.invokeAll([() => 1, () => 2, () => 3])
    return futures.reduce((total, future) => total + future.resultNow(), 0)
  })
  assert.equal(sum, 6)
})
