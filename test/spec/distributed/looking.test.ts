/** Futures of other processes, counts, and lost events. Rule ids are those of docs/spec/distributed.md. */
import { CancellationError, Executors, IllegalStateError, NotSerializableError, RejectedExecutionError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { inspect } from "node:util"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX18] a task can be waited for by its id, before, during and after its run", async () => {
  await using lab = new FleetLab()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const future = here.submit(tasks.wait, "value")
  await future.stored
  const waiting = there.future(future.id)
  await waiting.stored
  await lab.node()
  await eventually(() => tasks.marks.length === 1)
  const running = there.future<string>(future.id)
  await running.stored
  assert.deepEqual([waiting.id, running.id, running.state], [future.id, future.id, "running"])
  tasks.open()
  assert.deepEqual(await Promise.all([future, waiting, running]), ["value", "value", "value"])
  assert.equal(await there.future(future.id), "value")
  const failed = here.submit(tasks.fail, "own")
  await eventually(() => failed.isDone)
  assert.ok((await rejectionOf(there.future(failed.id))) instanceof RangeError)
})

test("[DX12][DX18] it can be cancelled by its id", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const future = here.submit(tasks.waitAlert, "x")
  await eventually(() => tasks.marks.length === 1)
  assert.equal(there.future(future.id).cancel(true), true)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  const waiting = here.schedule(tasks.mark, 1_000_000, "never")
  await waiting.stored
  there.future(waiting.id).cancel()
  assert.ok((await rejectionOf(waiting)) instanceof CancellationError)
})

test("[DX18] progress is heard of by everybody who waits", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const future = here.submit(tasks.wait, "x")
  assert.equal(future.progress, undefined)
  await eventually(() => tasks.marks.length === 1)
  const early = there.future(future.id)
  await early.stored
  await lab.engine.report("q", future.id, { done: 0.5 })
  await eventually(() => future.progress !== undefined && early.progress !== undefined)
  assert.deepEqual([future.progress, early.progress], [{ done: 0.5 }, { done: 0.5 }])
  const late = there.future(future.id)
  await late.stored
  assert.deepEqual(late.progress, { done: 0.5 })
})

test("[DX19] an id that nobody knows fails, and says what may have happened", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const error = await rejectionOf(fleet.future("never"))
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /`never`.*never stored.*cancelled.*expired/)
  const future = fleet.with({ keepResults: 0 }).submit(tasks.add, 1, 2)
  assert.equal(await future, 3)
  assert.ok((await rejectionOf(fleet.future(future.id))) instanceof IllegalStateError)
  assert.throws(() => fleet.future(""), RangeError)
  assert.throws(() => fleet.future(undefined as never), TypeError)
})

test("[DX19] an engine that cannot be asked is told as that", async () => {
  await using lab = new FleetLab()
  const cause = new Error("away")
  lab.engine.beUnreachable(cause)
  const error = await rejectionOf(lab.fleet().future("x"))
  assert.ok(error instanceof RejectedExecutionError && error.cause === cause)
})

test("[DX20] counts and nodes", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  assert.deepEqual(await fleet.nodes(), [])
  const running = [
    fleet.submit(tasks.wait, 1),
    fleet.submit(tasks.add, 1, 2),
    fleet.schedule(tasks.add, 1_000_000, 1, 2),
  ]
  await Promise.all(running.map(({ stored }) => stored))
  const none = { active: 0, completed: 0, failed: 0 }
  assert.deepEqual(await fleet.stats(), { ...none, waiting: 2, delayed: 1, outstanding: 3 })
  assert.deepEqual(await lab.fleet().stats(), { ...none, waiting: 2, delayed: 1, outstanding: 0 })
  await lab.node("a", 2)
  await running[1]
  assert.deepEqual(await fleet.stats(), { ...none, active: 1, completed: 1, waiting: 0, delayed: 1, outstanding: 2 })
})

test("[DX27] an event that was lost without a word is made up for by a review", async () => {
  await using lab = new FleetLab()
  await lab.node("node", 4)
  const fleet = lab.fleet({ reviewInterval: 5 })
  const kept = fleet.submit(tasks.wait, "kept")
  await eventually(() => tasks.marks.length === 1)
  lab.engine.loseEvents() // and never tells of a gap
  const done = fleet.submit(tasks.add, 1, 2)
  const failed = fleet.submit(tasks.fail, "own")
  assert.equal(await done, 3)
  assert.ok((await rejectionOf(failed)) instanceof RangeError)
  tasks.open()
  assert.equal(await kept, "kept")
  assert.equal((await fleet.stats()).outstanding, 0)
  assert.throws(() => lab.fleet({ reviewInterval: 0 }), RangeError)
})

test("[DX21] after events were lost, everything is looked up", async () => {
  await using lab = new FleetLab()
  await lab.node("node", 4)
  const [here, there] = [lab.fleet(), lab.fleet()]
  const kept = here.submit(tasks.wait, "kept")
  await eventually(() => tasks.marks.length === 1)
  const watched = there.future(kept.id)
  await watched.stored
  lab.engine.loseEvents()
  const done = here.submit(tasks.add, 1, 2)
  const failed = here.submit(tasks.fail, "own")
  const dropped = here.with({ keepResults: 0 }).submit(tasks.add, 1, 2)
  here.execute(tasks.mark, "command")
  const delayed = here.schedule(tasks.mark, 1_000_000, "later")
  await Promise.all([done.stored, failed.stored, dropped.stored, delayed.stored])
  await eventually(() => Object.values(lab.jobs).filter((state) => state === "completed").length === 1)
  await eventually(() => tasks.marks.includes("command"))
  await turns()
  assert.deepEqual(
    [done, failed, dropped, kept].map(({ state }) => state),
    ["running", "running", "running", "running"],
  )
  lab.engine.recover()
  assert.equal(await done, 3)
  assert.ok((await rejectionOf(failed)) instanceof RangeError)
  assert.ok((await rejectionOf(dropped)) instanceof IllegalStateError)
  await turns()
  assert.deepEqual([kept.state, watched.state, delayed.state], ["running", "running", "running"])
  assert.equal((await here.stats()).outstanding, 2)
  tasks.open()
  assert.deepEqual(await Promise.all([kept, watched]), ["kept", "kept"])
  assert.deepEqual(lab.errors, [])
})

test("[DX21] if nothing can be looked up, that is told, and tried again", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  lab.engine.loseEvents()
  const future = fleet.submit(tasks.add, 1, 2)
  await eventually(() => Object.values(lab.jobs).includes("completed"))
  const error = new Error("away")
  lab.engine.breakFinds(error, 2)
  lab.engine.recover()
  assert.equal(await future, 3)
  assert.deepEqual(lab.errors.slice(0, 2), [error, error])
})

test("[DX22] an executor in words names no credentials, and belongs to its thread", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  assert.equal(String(fleet), "DistributedExecutor[q on memory, running, 0 outstanding]")
  assert.match(inspect(fleet), /name: 'q', engine: 'memory', state: 'running', outstanding: 0/)
  const future = fleet.submit(tasks.add, 1, 2)
  assert.match(inspect(future), new RegExp(`id: '${future.id}'`))
  const pool = Executors.newFixedThreadPool(1)
  assert.throws(() => pool.submit((given: unknown) => given, fleet as unknown), NotSerializableError)
  await pool.close()
})
