/** Cancelling across machines. Rule ids are those of docs/spec/distributed.md. */
import { CancellationError, UnknownTaskError } from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX4][DX10] a task that was not sent is not sent any more", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.mark, 1)
  const other = fleet.submit(tasks.mark, 2)
  assert.equal(future.cancel(), true)
  assert.deepEqual([future.state, future.cancel()], ["cancelled", false])
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  assert.ok((await rejectionOf(future.stored)) instanceof CancellationError)
  await other.stored
  assert.deepEqual(Object.keys(lab.jobs), [other.id])
  assert.equal((await fleet.stats()).outstanding, 1)
})

test("[DX10] a task that is on its way is cancelled when it is stored", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await fleet.stats()
  const future = fleet.submit(tasks.mark, 1)
  const isSent = lab.engine.whenAdding(() => future.cancel())
  await isSent
  assert.equal(future.state, "cancelled")
  await eventually(() => Object.keys(lab.jobs).length === 0)
  await lab.node()
  await fleet.close()
  assert.deepEqual(tasks.marks, [])
})

test("[DX10] a task that no node has begun is removed", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.mark, 1)
  await future.stored
  assert.equal(future.cancel(true), true)
  assert.equal(future.state, "cancelled")
  await eventually(() => Object.keys(lab.jobs).length === 0)
  assert.equal((await fleet.stats()).outstanding, 0)
})

test("[DX10][DX12] cancel(true) interrupts it where it runs, and every process hears of it", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const elsewhere = lab.fleet()
  const future = fleet.submit(tasks.waitAlert, "x")
  await eventually(() => tasks.marks.includes("begun x"))
  const other = elsewhere.future(future.id)
  await other.stored
  assert.equal(other.state, "running")
  assert.equal(future.cancel(true), true)
  assert.equal(future.state, "cancelled")
  assert.ok((await rejectionOf(other)) instanceof CancellationError)
  assert.deepEqual(tasks.marks, ["begun x", "interrupted x"])
  assert.equal(lab.jobs[future.id], "failed")
  assert.match(String(lab.engine.jobs("q")[0]?.outcome), /corepool:cancelled:/)
  await eventually(() => fleet.toString().includes("0 outstanding"))
})

test("[DX10] cancel(false) lets it run, and its executor waits for that", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.wait, "x")
  await eventually(() => tasks.marks.includes("begun x"))
  assert.equal(future.cancel(false), true)
  fleet.shutdown()
  await turns()
  assert.deepEqual([fleet.isTerminated, tasks.marks], [false, ["begun x"]])
  tasks.open()
  assert.equal(await fleet.awaitTermination(), true)
  assert.deepEqual(tasks.marks, ["begun x", "passed x"])
})

test("[DX11] no other node runs it if its node dies", async () => {
  await using lab = new FleetLab()
  const first = await lab.node("first")
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.wait, "x")
  await eventually(() => tasks.marks.includes("begun x"))
  future.cancel(true)
  await eventually(() => lab.engine.jobs("q")[0]?.data.cancelled === true)
  lab.engine.kill(first.id)
  await lab.node("second")
  await fleet.close()
  assert.deepEqual(tasks.marks, ["begun x"])
})

test("[DX10] a cancellation that the engine has not heard is told again", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.waitAlert, "x")
  await eventually(() => tasks.marks.includes("begun x"))
  lab.engine.loseEvents()
  future.cancel(true)
  await eventually(() => lab.engine.jobs("q")[0]?.data.cancelled === true)
  await turns()
  assert.deepEqual(tasks.marks, ["begun x"])
  lab.engine.recover()
  await eventually(() => tasks.marks.includes("interrupted x"))
  await fleet.close()
})

test("[DX13] a signal cancels with interrupt, and its reason is the cause", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const controller = new AbortController()
  const reason = new Error("enough")
  const future = fleet.with({ signal: controller.signal }).submit(tasks.waitAlert, "x")
  fleet.with({ signal: controller.signal }).execute(tasks.waitAlert, "y")
  await eventually(() => tasks.marks.length === 2)
  controller.abort(reason)
  const error = await rejectionOf(future)
  assert.ok(error instanceof CancellationError && error.cause === reason)
  await eventually(() => tasks.marks.includes("interrupted x") && tasks.marks.includes("interrupted y"))
  await fleet.close()
})

test("[DX13] with a signal that has aborted nothing is sent", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const reason = new Error("too late")
  const future = fleet.with({ signal: AbortSignal.abort(reason) }).submit(tasks.mark, 1)
  assert.equal(future.state, "cancelled")
  assert.equal(((await rejectionOf(future)) as Error).cause, reason)
  assert.ok((await rejectionOf(future.stored)) instanceof CancellationError)
  await turns()
  assert.equal(lab.engine.adds, 0)
})

test("[DX8] a command that no node knows is told to onError, and so is one that was not taken", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet({ tasks: { ...tasks, strange: tasks.add } })
  const strange = lab.fleet({ tasks: { strange: tasks.add } })
  strange.execute(tasks.add, 1, 2)
  await eventually(() => lab.errors.length === 1)
  assert.ok(lab.errors[0] instanceof UnknownTaskError)
  lab.engine.refuseAdds(new Error("full"))
  fleet.execute(tasks.mark, 1)
  await eventually(() => lab.errors.length === 2)
  assert.match(String(lab.errors[1]), /has not taken the task `mark`/)
})
