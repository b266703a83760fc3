/** Submitting to other machines. Rule ids are those of docs/spec/distributed.md. */
import {
  bind,
  ExecutorCompletionService,
  FutureTask,
  NotSerializableError,
  RejectedExecutionError,
  TaskNotPortableError,
  UnsupportedOperationError,
} from "corepool"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX1] a task is sent by name, and its future gets what comes of it", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.add, 1, 2)
  assert.equal(future.state, "running")
  assert.equal(await future, 3)
  assert.deepEqual([future.state, future.isDone, future.resultNow()], ["success", true, 3])
  const [job] = lab.engine.jobs("q")
  assert.deepEqual([job?.order.name, job?.order.id], ["add", future.id])
  assert.doesNotMatch(JSON.stringify(job?.order), /=>|function/)
})

test("[DX1] an error has its class and fields, and both stacks", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const submitIt = (): PromiseLike<unknown> => fleet.submit(tasks.fail, "own")
  const error = (await rejectionOf(submitIt())) as RangeError & { code: string }
  assert.ok(error instanceof RangeError)
  assert.deepEqual([error.message, error.code], ["own", "E_OWN"])
  assert.match(
    error.stack ?? "",
    /^RangeError: own\n {4}at fail .*\n {4}at .* \(corepool\)\n {4}at submit \(corepool\)\n {4}at submitIt .*submitting\.test/s,
  )
})

test("[DX2] what cannot be sent is refused by the call, and nothing is sent", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet({ maxPayload: 1000 })
  const unknown = thrownBy(() => fleet.submit(function other() {}))
  assert.ok(unknown instanceof TypeError && /function other/.test(unknown.message))
  assert.throws(() => fleet.execute(() => 1), TypeError)
  assert.throws(() => fleet.schedule(() => 1, 5), TypeError)
  assert.throws(() => fleet.execute({ run: () => 1 }), TaskNotPortableError)
  assert.throws(() => fleet.execute(new FutureTask({ run: () => 1 }, 1)), TaskNotPortableError)
  assert.throws(() => fleet.submit(tasks.mark, new SharedArrayBuffer(1)), NotSerializableError)
  assert.throws(() => fleet.submit(tasks.mark, new Uint8Array(1000)), NotSerializableError)
  await turns()
  assert.deepEqual([lab.engine.adds, (await fleet.stats()).outstanding], [0, 0])
  await fleet.close()
})

test("[DX3] the tasks of one turn are one round trip, in their order", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const futures = Array.from({ length: 50 }, (_, n) => fleet.submit(tasks.mark, n))
  await Promise.resolve()
  futures.push(fleet.submit(tasks.mark, 50))
  await Promise.all(futures.map(({ stored }) => stored))
  assert.equal(lab.engine.adds, 1)
  assert.deepEqual(
    lab.engine.jobs("q").map(({ order }) => order.id),
    futures.map(({ id }) => id),
  )
  await lab.node("node", 1)
  await Promise.all(futures)
  assert.deepEqual(
    tasks.marks,
    Array.from({ length: 51 }, (_, n) => n),
  )
  await fleet.invokeAll(Array.from({ length: 20 }, (_, n) => bind(tasks.mark, n)))
  assert.equal(lab.engine.adds, 2)
})

test("[DX4] a future has an id, and stored tells that the engine has it", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const futures = [fleet.submit(tasks.add, 1, 2), lab.fleet().submit(tasks.add, 1, 2)]
  assert.equal(new Set(futures.map(({ id }) => id)).size, 2)
  assert.deepEqual(lab.jobs, {})
  for (const { stored } of futures) await stored
  for (const { id } of futures) assert.equal(lab.jobs[id], "waiting")
  assert.equal(futures[0]?.state, "running")
  assert.equal(fleet.with({ id: "mine" }).submit(tasks.add, 1, 2).id, "mine")
})

test("[DX4][DX5] a task that the engine does not take is rejected, and nothing is unhandled", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const unhandled: unknown[] = []
  const listen = (reason: unknown): number => unhandled.push(reason)
  process.on("unhandledRejection", listen)
  try {
    const cause = new Error("disk full")
    lab.engine.refuseAdds(cause)
    const futures = [fleet.submit(tasks.add, 1, 2), fleet.submit(tasks.add, 3, 4)]
    void futures[0]?.stored
    await eventually(() => futures.every(({ isDone }) => isDone))
    await turns()
    for (const future of futures) {
      const error = await rejectionOf(future)
      assert.ok(error instanceof RejectedExecutionError && error.cause === cause && error.task === future)
      assert.match(error.message, /task `add`/)
      assert.equal(await rejectionOf(future.stored), error)
    }
  } finally {
    process.off("unhandledRejection", listen)
  }
  assert.deepEqual(unhandled, [])
  lab.engine.acceptAdds()
  assert.equal(await fleet.submit(tasks.add, 1, 2), 3)
})

test("[DX5] a task that the engine has taken, but has not said so, is stored", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  lab.engine.refuseAdds(new Error("connection lost"), { afterAdding: true })
  const future = fleet.submit(tasks.add, 1, 2)
  await future.stored
  assert.equal(future.state, "running")
  await lab.node()
  assert.equal(await future, 3)
})

test("[DX6] an executor connects when it is used, and tries again when that has failed", async () => {
  await using lab = new FleetLab()
  const cause = new Error("nobody listens")
  lab.engine.beUnreachable(cause)
  const fleet = lab.fleet()
  await turns()
  assert.equal(lab.engine.connections, 0)
  const error = await rejectionOf(fleet.submit(tasks.add, 1, 2))
  assert.ok(error instanceof RejectedExecutionError && error.cause === cause)
  assert.equal(await rejectionOf(fleet.stats()), cause)
  lab.engine.beReachable()
  await lab.node()
  assert.equal(await fleet.submit(tasks.add, 1, 2), 3)
  await fleet.close()
  assert.equal(lab.engine.connections, 1, "that of the node")
})

test("[DX7] getSync cannot wait, but gives what is there", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.submit(tasks.add, 1, 2)
  const error = thrownBy(() => future.getSync())
  assert.ok(error instanceof UnsupportedOperationError && /another machine.*await future\.get/.test(error.message))
  await future
  assert.equal(future.getSync(), 3)
  const failed = fleet.submit(tasks.fail, "own")
  await eventually(() => failed.isDone)
  assert.throws(() => failed.getSync(), RangeError)
})

test("[DX8] execute leaves nothing behind, and what no node can tell is told here", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  fleet.execute(tasks.mark, "executed")
  fleet.execute(bind(tasks.mark, "bound"))
  await eventually(() => Object.keys(lab.jobs).length === 2)
  await lab.node()
  await eventually(() => tasks.marks.length === 2)
  await eventually(() => Object.keys(lab.jobs).length === 0)
  assert.deepEqual(new Set(tasks.marks), new Set(["bound", "executed"]))
  assert.equal((await fleet.stats()).outstanding, 0)
})

test("[DX9] futures of other makers, completion services and chunks of map", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const task = new FutureTask(bind(tasks.add, 1, 2))
  fleet.execute(task)
  assert.equal(await task, 3)
  const given = new FutureTask(bind(tasks.mark, 1), "given")
  fleet.execute(given)
  assert.equal(await given, "given", "as the constructor was told")
  const service = new ExecutorCompletionService<number>(fleet)
  for (const n of [1, 2, 3]) service.submit(tasks.add, n, n)
  const values = [await service.take(), await service.take(), await service.take()].map((completion) =>
    completion.status === "fulfilled" ? completion.value : undefined,
  )
  assert.deepEqual(new Set(values), new Set([2, 4, 6]))
  const before = lab.engine.jobs("q").length
  const mapped: unknown[] = []
  for await (const value of fleet.map(tasks.mark<number>, [1, 2, 3, 4, 5], { chunk: 2 })) mapped.push(value)
  assert.deepEqual(mapped, [1, 2, 3, 4, 5])
  assert.equal(lab.engine.jobs("q").length - before, 3)
  assert.equal(await fleet.invokeAny([bind(tasks.fail, "no"), bind(tasks.add, 2, 2)]), 4)
})
