/** Tasks as objects, completers and invokeAll. Rules: docs/spec/forkjoin.md. */
import { CountedCompleter, ForkJoinPool, invokeAll, TaskNotPortableError } from "corepool"
import assert from "node:assert/strict"
import test from "node:test"
import { rejectionOf } from "../../support/harness.ts"
import { SharedCount, SharedGate } from "../../support/shared-words.ts"
import * as classes from "./classes.ts"
import * as tasks from "./tasks.ts"

test("[FJ20] a task object gives what compute returns, whoever runs it", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    assert.equal(await pool.invoke(new classes.Fib(16)), 987)
    assert.equal(pool.invokeSync(new classes.Fib(15)), 610)
    assert.equal(await pool.submit(new classes.Fib(14)), 377)
  }
})

test("[FJ20] fields to which compute assigns are assigned in the thread that has the task", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  const action = new classes.FibAction(16)
  await pool.invoke(action)
  assert.equal(action.result, 987)
  assert.equal(action.isCompletedNormally, true)
})

test("[FJ21] a thief has a copy: public fields, and neither private ones nor other tasks", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const where = await pool.invoke(classes.sendTraveller, gate.index)
  assert.deepEqual(where, ["there", [1], 7, true])
})

test("[FJ22] a class that others cannot find is refused, with what to write", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  const error = await rejectionOf(pool.invoke(new classes.Homebody()))
  assert.ok(error instanceof TaskNotPortableError)
  assert.match(error.message, /Homebody.*static \{ task\(import\.meta\.url, this\) \}/)
})

test("[FJ23] the methods of a task", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(classes.taskMethods), [
    "IllegalStateError", // never forked
    "IllegalStateError", // forked twice
    ...[true, false, "running"],
    ...[55, "success", true, true, false, 55],
    "IllegalStateError",
    "IllegalStateError",
    5,
    "RangeError",
    ...[true, "by hand", "failed"],
    ...[true, true, true],
    ...["CancellationError", "IllegalStateError"],
    ...[55, 55],
  ])
})

test("[FJ24] invokeAll gives all results, in order", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  assert.equal(await pool.invoke(tasks.viaInvokeAll, 14), 377)
  assert.deepEqual(invokeAll(), [])
})

test("[FJ25] invokeAll throws the error of the one that fails, wherever it stands", async () => {
  await using pool = new ForkJoinPool({ parallelism: 2 })
  using gate = new SharedGate()
  const counter = new SharedCount()
  assert.deepEqual(await pool.invoke(tasks.failAmong, gate.index, counter.index), ["no 0", "no 1", "no 2"])
  assert.ok(await pool.awaitQuiescence())
  assert.equal(pool.queuedTaskCount, 0)
})

test("[FJ26] a completer is over when all it waits for are, whoever runs those", async () => {
  for (const parallelism of [1, 2, 3]) {
    await using pool = new ForkJoinPool({ parallelism })
    const root = new classes.FibCompleter(undefined, 16)
    assert.equal(await pool.invoke(root), 987)
    assert.equal(root.result, 987)
  }
})

test("[FJ27] counts, roots and completions by hand", async () => {
  await using pool = new ForkJoinPool({ parallelism: 1 })
  assert.deepEqual(await pool.invoke(classes.countingMethods), [
    ...[true, true, 1],
    "child by child",
    ...[1, false],
    ...[0, 0],
    ...[true, true, undefined],
    ...[true, "result of root"],
    "leaf by leaf",
    ...[2, "done"],
    true,
  ])
})

test("[FJ27] a count cannot be less than nothing", () => {
  class Part extends CountedCompleter {
    override compute(): void {
      this.tryComplete()
    }
  }
  const part = new Part(undefined, 2)
  assert.throws(() => (part.pendingCount = -1), RangeError)
  assert.throws(() => part.addToPendingCount(-3), RangeError)
  assert.throws(() => new Part(undefined, -1), RangeError)
  assert.equal(part.pendingCount, 2)
})

test("[FJ28] what a part throws fails all above it, which are asked", async () => {
  for (const parallelism of [1, 2]) {
    await using pool = new ForkJoinPool({ parallelism })
    const [message, seen, isAbnormal] = await pool.invoke(classes.failAtTheBottom, 5)
    assert.deepEqual([message, isAbnormal], ["at the bottom", true])
    assert.ok((seen as number) >= 1)
  }
})
