/** Ids that the program gives: what is cancelled by them, and submitted again under them. Rule ids are those of docs/spec/distributed.md. */
import {
  CancellationError,
  ExecutorCompletionService,
  IllegalStateError,
  RejectedExecutionError,
  TimeoutError,
  UnsupportedOperationError,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX28] close waits until a cancellation by id has arrived", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const owner = lab.fleet()
  await owner.with({ id: "nightly" }).scheduleAtFixedRate(tasks.tick, 1_000_000, 1000).stored
  const running = owner.with({ id: "run" }).submit(tasks.waitAlert, "x")
  await eventually(() => tasks.marks.includes("begun x"))
  const fleet = lab.fleet()
  assert.equal(fleet.future("nightly").cancel(true), true)
  assert.equal(fleet.future("run").cancel(true), true)
  await fleet.close()
  assert.equal(lab.jobs["nightly"], undefined)
  assert.ok((await rejectionOf(running)) instanceof CancellationError)
  assert.deepEqual(tasks.marks, ["begun x", "interrupted x"])
  assert.deepEqual(lab.errors, [])
})

test("[DX28] close and shutdownNow wait for the cancellation of a schedule of this handle", async () => {
  await using lab = new FleetLab()
  for (const how of ["close", "shutdownNow"] as const) {
    const fleet = lab.fleet()
    const future = fleet.with({ id: "nightly" }).scheduleAtFixedRate(tasks.tick, 1_000_000, 1000)
    await future.stored
    const release = lab.engine.holdRemoves()
    future.cancel()
    const ending = fleet[how]()
    await turns()
    assert.equal(fleet.isTerminated, false)
    release()
    await ending
    assert.equal(await fleet.awaitTermination(), true)
    assert.deepEqual(lab.jobs, {})
  }
  assert.deepEqual(lab.errors, [])
})

test("[DX28] a cancellation that cannot arrive is told, and does not keep the executor", async () => {
  await using lab = new FleetLab()
  await lab.fleet().with({ id: "nightly" }).scheduleAtFixedRate(tasks.tick, 1_000_000, 1000).stored
  const fleet = lab.fleet()
  const away = new Error("away")
  lab.engine.breakRemoves(away)
  const future = fleet.future("nightly")
  future.cancel()
  assert.equal(await rejectionOf(future.stored), away)
  await fleet.close()
  lab.engine.breakRemoves(undefined)
  assert.deepEqual(lab.errors, [away])
  const unreachable = lab.fleet()
  lab.engine.beUnreachable(away)
  unreachable.future("nightly").cancel()
  await unreachable.close()
  assert.ok(lab.errors[1] instanceof RejectedExecutionError && lab.errors[1].cause === away)
})

test("[DX35] stored of a cancelled future(id) is fulfilled though the job has ended before", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await lab.node()
  assert.equal(await fleet.with({ id: "done" }).submit(tasks.add, 1, 2), 3)
  assert.ok((await rejectionOf(fleet.with({ id: "failed" }).submit(tasks.fail, "x"))) instanceof RangeError)
  const other = lab.fleet()
  for (const id of ["done", "failed"]) {
    const future = other.future(id)
    assert.equal(future.cancel(true), true)
    await future.stored
    assert.equal(future.state, "cancelled")
  }
  assert.equal(await fleet.future("done"), 3)
})

test("[DX35] stored of a cancelled future(id) is fulfilled though the job ends while the cancellation is on its way", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await lab.node()
  const entered = tasks.someoneEntered()
  const first = fleet.with({ id: "brief" }).submit(tasks.wait, 7)
  await entered
  const other = lab.fleet()
  const future = other.future("brief")
  await other.stats()
  tasks.open()
  assert.equal(future.cancel(), true)
  await future.stored
  assert.equal(future.state, "cancelled")
  await Promise.allSettled([first])
})

test("[DX28] stored of a cancelled future(id) is fulfilled when the cancellation has arrived", async () => {
  await using lab = new FleetLab()
  await lab.fleet().with({ id: "nightly" }).scheduleAtFixedRate(tasks.tick, 1_000_000, 1000).stored
  const future = lab.fleet().future("nightly")
  future.cancel(true)
  await future.stored
  assert.deepEqual(lab.jobs, {})
})

test("[DX29] other arguments under an id are refused, before and after its end", async () => {
  await using lab = new FleetLab()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const first = here.with({ id: "x" }).submit(tasks.mark, 1)
  await first.stored
  for (const fleet of [here, there]) {
    const error = await rejectionOf(fleet.with({ id: "x" }).submit(tasks.mark, 2))
    assert.ok(error instanceof IllegalStateError)
    assert.match(error.message, /`x` belongs to a job of the task `mark` with other arguments: cancel that first/)
  }
  await lab.node()
  assert.equal(await first, 1)
  const late = await rejectionOf(there.with({ id: "x" }).submit(tasks.mark, 2))
  assert.match(String(late), /`x` .* with other arguments, which has ended/)
  assert.equal(await there.with({ id: "x" }).submit(tasks.mark, 1), 1)
  assert.deepEqual(tasks.marks, [1])
})

test("[DX36] an error of the handle itself ends with the call that has submitted the task", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await fleet.with({ id: "x" }).submit(tasks.mark, 1).stored
  const errors = [
    await rejectionOf(fleet.with({ id: "x" }).submit(tasks.mark, 2)),
    await rejectionOf(fleet.with({ queueTimeout: 1 }).submit(tasks.mark, 3)),
  ]
  lab.engine.refuseAdds(new Error("full"))
  errors.push(await rejectionOf(fleet.submit(tasks.mark, 4)))
  fleet.execute(tasks.mark, 5)
  await eventually(() => lab.errors.length === 1)
  errors.push(...lab.errors)
  assert.deepEqual(
    errors.map((error) => (error as Error).constructor),
    [IllegalStateError, TimeoutError, RejectedExecutionError, RejectedExecutionError],
  )
  for (const error of errors) assert.match((error as Error).stack ?? "", /at submit \(corepool\)\n.*ids\.test/)
  await fleet.shutdownNow()
})

test("[DX29][DS4] a schedule with other arguments is refused", async () => {
  await using lab = new FleetLab()
  const view = lab.fleet().with({ id: "x" })
  await view.scheduleAtFixedRate(tasks.tick, 1_000_000, 1000, "a").stored
  const error = await rejectionOf(view.scheduleAtFixedRate(tasks.tick, 1_000_000, 1000, "b"))
  assert.match(String(error), /IllegalStateError.*`x` .* with other arguments: cancel that first/)
})

test("[DX30] what starts many tasks refuses an id at once", async () => {
  await using lab = new FleetLab()
  const view = lab.fleet().with({ id: "x" })
  const refusal = { name: UnsupportedOperationError.name, message: /`x` is that of one task/ }
  assert.throws(() => view.map(tasks.mark, [1, 2]), refusal)
  await assert.rejects(view.invokeAll([() => tasks.add(1, 2), () => tasks.add(1, 2)]), refusal)
  await assert.rejects(view.invokeAny([() => tasks.add(1, 2), () => tasks.add(1, 2)]), refusal)
  assert.throws(() => new ExecutorCompletionService<number>(view).submit(tasks.add, 1, 2), refusal)
  assert.deepEqual(lab.jobs, {})
})

test("[DX31] what is submitted under an id that is being cancelled waits for that, and is another run", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const view = fleet.with({ id: "x" })
  const first = view.submit(tasks.mark, 1)
  await first.stored
  const release = lab.engine.holdRemoves()
  first.cancel()
  const second = view.submit(tasks.mark, 2)
  const third = view.submit(tasks.mark, 3)
  await turns()
  assert.equal(lab.engine.adds, 1)
  second.cancel() // while it waits
  release()
  await third.stored
  fleet.future("x").cancel()
  const fourth = view.submit(tasks.mark, 4)
  await fourth.stored
  assert.ok((await rejectionOf(third)) instanceof CancellationError)
  await lab.node()
  assert.equal(await fourth, 4)
  assert.deepEqual(tasks.marks, [4])
})

test("[DX31] a schedule can be replaced by one with other times", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const view = fleet.with({ id: "x" })
  const first = view.scheduleAtFixedRate(tasks.tick, 1_000_000, 1000)
  await first.stored
  const release = lab.engine.holdRemoves()
  fleet.future("x").cancel()
  const second = view.scheduleAtFixedRate(tasks.tick, 1_000_000, 2000)
  await turns()
  release()
  await second.stored
  assert.ok((await rejectionOf(first)) instanceof CancellationError)
  await fleet.stats()
  assert.equal(second.state, "running")
  assert.equal(lab.engine.jobs("q")[0]?.data.series?.period, 2000)
})

test("[DX31] what is told late of the removed job is not taken for the new one", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const view = fleet.with({ id: "x" })
  const first = view.submit(tasks.mark, 1)
  await first.stored
  lab.engine.holdEvents()
  for (let round = 0; round < 2; round++) {
    fleet.future("x").cancel()
    await view.submit(tasks.mark, 2).stored
  }
  const last = view.submit(tasks.mark, 2)
  await last.stored
  lab.engine.releaseEvents()
  await fleet.stats()
  await fleet.stats()
  assert.equal(last.isDone, false)
  assert.ok((await rejectionOf(first)) instanceof CancellationError)
  await lab.node()
  assert.equal(await last, 2)
})

test("[DX32] cancelling an id that the engine does not have is told by stored", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const future = fleet.future("typo")
  assert.equal(future.cancel(true), true)
  const error = await rejectionOf(future.stored)
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /No job `typo` is known/)
  assert.ok((await rejectionOf(future)) instanceof CancellationError)
  await fleet.close()
  assert.deepEqual(lab.errors, [])
})

test("[DX33] shutdownNow leaves a task to the executor that has submitted it first", async () => {
  await using lab = new FleetLab()
  const [first, second] = [lab.fleet(), lab.fleet()]
  const waiting = first.with({ id: "x" }).submit(tasks.wait, "x")
  await waiting.stored
  const same = second.with({ id: "x" }).submit(tasks.wait, "x")
  await same.stored
  assert.deepEqual(await second.shutdownNow(), [])
  const error = await rejectionOf(same)
  assert.ok(error instanceof CancellationError && error.cause instanceof RejectedExecutionError)
  assert.match(error.cause.message, /the task .* goes on/)
  assert.equal(await second.awaitTermination(), true)
  const third = lab.fleet()
  const unsure = third.with({ id: "x" }).submit(tasks.wait, "x")
  await lab.engine.whenAdding(() => void third.shutdownNow())
  assert.ok((await rejectionOf(unsure)) instanceof CancellationError)
  await lab.node()
  tasks.open()
  assert.equal(await waiting, "x")
})

test("[DX34] an outcome that was kept when its id was submitted again is that of both, though its time is over when it is looked up", async () => {
  await using lab = new FleetLab()
  await lab.node()
  assert.equal(await lab.fleet().with({ id: "x" }).submit(tasks.mark, 1), 1)
  const open = lab.engine.open.bind(lab.engine)
  lab.engine.open = async (name, role) => {
    const queue = await open(name, role)
    const find = queue.find.bind(queue)
    // As if its time was over just now, and no node had removed it yet.
    queue.find = async (ids, withExpired = false) => (withExpired ? find(ids) : ids.map(() => undefined))
    return queue
  }
  assert.equal(await lab.fleet().with({ id: "x" }).submit(tasks.mark, 1), 1)
  assert.deepEqual(tasks.marks, [1])
})
