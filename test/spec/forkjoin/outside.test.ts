/** Tasks that are used outside of a pool, or are over before they are forked. Rules: docs/spec/forkjoin.md. */
import { CancellationError, ForkJoinPool, IllegalStateError, RejectedExecutionError, Thread } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf, thrownBy } from "../../support/harness.ts"
import { SharedGate } from "../../support/shared-words.ts"
import { Fib } from "./classes.ts"
import * as outside from "./outside-tasks.ts"

test("[FJ67] to fork or to submit a task that is over does nothing, in a pool and outside; join tells", async () => {
  const expected = ["CancellationError", "cancelled", "RangeError", "failed", 7, "success", 55, "success"]
  assert.deepEqual(outside.forkWhatIsOver(), expected)
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(outside.forkInside), expected)
  const done = new Fib(3)
  done.complete(9)
  assert.equal(pool.submit(done), done)
  assert.equal(await pool.invoke(done), 9)
  pool.shutdown()
  assert.ok(thrownBy(() => pool.submit(done)) instanceof RejectedExecutionError)
})

test("[FJ23] to fork a task that was forked, and is not over, is an IllegalStateError", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const held = pool.submit(new outside.HeldTask(gate.index))
  assert.ok(thrownBy(() => held.fork()) instanceof IllegalStateError)
  assert.ok(thrownBy(() => pool.submit(held)) instanceof IllegalStateError)
  gate.open()
  assert.equal(await held, "held")
})

test("[FJ70] who awaits a task outside of a pool gets the value, or the error, that it is completed with", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const [one, two, three, four] = [1, 2, 3, 4].map(() => new outside.HeldTask(gate.index)) as [
    outside.HeldTask,
    outside.HeldTask,
    outside.HeldTask,
    outside.HeldTask,
  ]
  const before = [one.get(), two.get(), three.get(), four.get()].map((promise) =>
    promise.catch((error: unknown) => error),
  )
  for (const task of [one, two, three, four]) pool.submit(task)
  await gate.reached() // the first of them runs, and the others wait
  const after = [one.get(), two.get(), three.get(), four.get()].map((promise) =>
    promise.catch((error: unknown) => error),
  )
  const error = new RangeError("by hand")
  one.complete("by hand")
  two.completeExceptionally(error)
  three.quietlyComplete()
  assert.equal(four.cancel(), true)
  for (const task of [one, two, three, four]) task.complete("too late")
  assert.deepEqual([one.state, two.state, three.state, four.state], ["success", "failed", "success", "cancelled"])
  for (const promises of [before, after]) {
    const [first, second, third, fourth] = await Promise.all(promises)
    assert.deepEqual([first, second, third], ["by hand", error, undefined])
    assert.ok(fourth instanceof CancellationError)
  }
  assert.deepEqual([one.join(), one.getSync(), one.resultNow()], ["by hand", "by hand", "by hand"])
  assert.equal(two.exceptionNow(), error)
  gate.open()
  assert.ok(await pool.awaitQuiescence())
  assert.equal(one.resultNow(), "by hand")
})

test("[FJ70] a completer that is completed outside of a pool goes on with its own completer, once", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  using gate = new SharedGate()
  const root = new outside.HeldCompleter(undefined, gate.index, 1)
  const part = new outside.HeldCompleter(root, gate.index, 0)
  const outcomes = Promise.all([root, part])
  pool.submit(part)
  await gate.reached()
  part.complete("part")
  assert.deepEqual([part.state, root.state, root.pendingCount], ["success", "running", 0])
  root.complete("root")
  assert.deepEqual(await outcomes, ["root", "part"])
  assert.deepEqual([part.calls, root.calls], [1, 1])
})

test("[FJ26] a completer that was submitted by itself counts for its own completer, and so does its failure", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  gate.open()
  const root = new outside.HeldCompleter(undefined, gate.index, 1)
  for (let i = 0; i < 2; i++) pool.submit(new outside.HeldCompleter(root, gate.index, 0))
  assert.equal(await root, "over")
  const other = new outside.HeldCompleter(undefined, gate.index, 0)
  pool.submit(new outside.FailingCompleter(other))
  assert.match(String(await rejectionOf(other)), /RangeError: no/)
})

test("[FJ17] join outside of a pool goes on in spite of an interrupt, which is kept; getSync does not", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const thread = Thread.currentThread()
  for (const [task, expected] of [
    [new Fib(20), 6765],
    [new outside.FailingCompleter(undefined), "RangeError"],
  ] as const) {
    pool.submit(task as Fib)
    thread.interrupt()
    assert.equal(outside.outcomeOf(task as Fib), expected)
    assert.equal(Thread.interrupted(), true)
    thread.interrupt()
    task.quietlyJoin()
    assert.equal(Thread.interrupted(), true)
  }
  using gate = new SharedGate()
  const held = pool.submit(new outside.HeldTask(gate.index))
  thread.interrupt()
  assert.equal((thrownBy(() => held.getSync()) as Error).name, "InterruptedError")
  assert.equal(Thread.interrupted(), false)
})
