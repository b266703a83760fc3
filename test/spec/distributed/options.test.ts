/** What can be said of tasks for other machines. Rule ids are those of docs/spec/distributed.md. */
import { IllegalStateError, RejectedExecutionError, TimeoutError, UnsupportedOperationError } from "corepool"
import { DistributedExecutor, type DistributedExecutorOptions, type DistributedTaskOptions } from "corepool/distributed"
import { ManualClock } from "corepool/testing"
import assert from "node:assert/strict"
import { test } from "node:test"
import { FakeClock } from "../../support/fake-clock.ts"
import { eventually, rejectionOf, thrownBy, turns } from "../../support/harness.ts"
import { FleetLab } from "./lab.ts"
import * as tasks from "./lab.tasks.ts"

test("[DX14] options travel with the task, and those of views add up", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet({ keepResults: 5000, maxDeaths: 4 })
  const view = fleet
    .with({ timeout: 100, priority: 1, name: "first", attempts: 2 })
    .with({ priority: 7, queueTimeout: 1_000_000, retry: { attempts: 5, delay: 10, jitter: true, maxDelay: 50 } })
  await view.submit(tasks.add, 1, 2).stored
  const [job] = lab.engine.jobs("q")
  assert.deepEqual([job?.order.priority, job?.order.attempts, job?.order.keep], [7, 5, 5000])
  const { args, from, startBy, ...data } = job?.data ?? assert.fail()
  assert.deepEqual([typeof args, typeof from], ["string", "string"])
  assert.ok(Math.abs((startBy ?? 0) - (lab.engine.now() + 1_000_000)) < 100_000)
  assert.deepEqual(data, {
    v: 1,
    title: "first",
    timeout: 100,
    maxDeaths: 4,
    retry: { delay: 10, factor: 2, maxDelay: 50, jitter: true },
  })
  await fleet.submit(tasks.add, 1, 2).stored
  assert.deepEqual(Object.keys(lab.engine.jobs("q")[1]?.data ?? {}).toSorted(), ["args", "from", "maxDeaths", "v"])
})

test("[DX14] wrong options are refused, and nothing comes of it", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const wrong: [unknown, new (message: string) => Error, RegExp][] = [
    [{ ID: "x" }, TypeError, /did you mean `id`/],
    [{ id: "" }, RangeError, /`id`/],
    [{ id: 5 }, TypeError, /`id`/],
    [{ id: "x".repeat(201) }, RangeError, /`id`/],
    [{ attempts: 0 }, RangeError, /`attempts`/],
    [{ attempts: 1.5 }, RangeError, /`attempts`/],
    [{ retry: 5 }, TypeError, /`retry`/],
    [{ retry: { attempt: 3 } }, TypeError, /did you mean `attempts`/],
    [{ retry: { delay: -1 } }, RangeError, /`delay`/],
    [{ retry: { delay: Infinity } }, RangeError, /`delay`/],
    [{ retry: { factor: 0.5 } }, RangeError, /`factor`/],
    [{ retry: { jitter: 1 } }, TypeError, /`jitter`/],
    [{ maxDeaths: -1 }, RangeError, /`maxDeaths`/],
    [{ keepResults: Infinity }, RangeError, /`keepResults`/],
    [{ priority: 0.5 }, RangeError, /`priority`/],
    [{ priority: 2e6 }, RangeError, /`priority`/],
    [{ timeout: 0 }, RangeError, /`timeout`/],
    [{ queueTimeout: "5" }, TypeError, /`queueTimeout`/],
    [{ signal: {} }, TypeError, /`signal`/],
    [{ name: 5 }, TypeError, /`name`/],
  ]
  for (const [options, type, message] of wrong) {
    const error = thrownBy(() => fleet.with(options as DistributedTaskOptions))
    assert.ok(error instanceof type && message.test(error.message), String(error))
  }
  const good: DistributedExecutorOptions = { name: "q", engine: lab.engine, tasks }
  const bad: object[] = [
    { name: "" },
    { name: 5 },
    { engine: undefined },
    { engine: {} },
    { tasks: {} },
    { tasks: undefined },
    { maxPayload: 0 },
    { keepResults: -1 },
    { maxDeaths: 1.5 },
    { onError: 5 },
    { concurrency: 5 },
  ]
  for (const options of bad) {
    const error = thrownBy(() => new DistributedExecutor({ ...good, ...options }))
    assert.ok(error instanceof TypeError || error instanceof RangeError, JSON.stringify(options))
  }
  assert.throws(() => new DistributedExecutor(undefined as never), TypeError)
})

test("[DX15] nothing is moved to another machine, and no function is sent", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const transfer = { transfer: [] } as DistributedTaskOptions
  assert.throws(() => fleet.with(transfer), UnsupportedOperationError)
  const capture = { capture: true } as DistributedTaskOptions
  assert.throws(() => fleet.with(capture), UnsupportedOperationError)
  const retry = { retry: { when: () => true } } as DistributedTaskOptions
  assert.throws(() => fleet.with(retry), UnsupportedOperationError)
})

test("[DX15] the time limit of an attempt has another name there, and the clock is that of the server", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const limited = thrownBy(() => fleet.with({ retry: { attemptTimeout: 5 } } as DistributedTaskOptions))
  assert.ok(limited instanceof UnsupportedOperationError)
  assert.match(limited.message, /`timeout`, which is for each attempt/)
  const clock = { retry: { clock: new ManualClock() } } as DistributedTaskOptions
  assert.throws(() => fleet.with(clock), UnsupportedOperationError)
})

test("[DX14] attempts, time limits and priorities take effect", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const low = fleet.with({ priority: -1 }).submit(tasks.mark, "low")
  const high = fleet.with({ priority: 1 }).submit(tasks.mark, "high")
  await Promise.all([low.stored, high.stored])
  await lab.node("node", 1)
  await Promise.all([low, high])
  assert.deepEqual(tasks.marks, ["high", "low"])
  assert.equal(await fleet.with({ retry: { attempts: 3, delay: 1 } }).submit(tasks.failTimes, 2), 2)
  const error = await rejectionOf(fleet.with({ timeout: 1 }).submit(tasks.waitAlert, "x"))
  assert.ok(error instanceof TimeoutError)
})

test("[DX16] a task that no node begins in time fails, and none begins it later", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  await fleet.stats()
  using clock = new FakeClock()
  const future = fleet.with({ queueTimeout: 500 }).submit(tasks.mark, 1)
  fleet.with({ queueTimeout: 500 }).execute(tasks.mark, 2)
  await future.stored
  clock.advance(499)
  await turns()
  assert.equal(future.state, "running")
  clock.advance(1)
  const error = await rejectionOf(future)
  assert.ok(error instanceof TimeoutError && /did not start within 500 ms/.test(error.message))
  await eventually(() => Object.keys(lab.jobs).length === 0)
  await eventually(() => lab.errors.length === 1)
  assert.ok(lab.errors[0] instanceof TimeoutError, "of the command")
  await fleet.close()
})

test("[DX16] a task that runs is not concerned", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const future = fleet.with({ queueTimeout: 1 }).submit(tasks.wait, 1)
  const outcome = await Promise.race([
    future.catch((error: unknown) => error),
    eventually(() => tasks.marks.length === 1),
  ])
  if (outcome instanceof TimeoutError) return // the machine was too slow
  await turns()
  tasks.open()
  assert.equal(await future, 1)
})

test("[DX17] one id is one run, whoever submits it and when", async () => {
  await using lab = new FleetLab()
  const [here, there] = [lab.fleet(), lab.fleet()]
  const first = here.with({ id: "invoice" }).submit(tasks.mark, "first")
  const second = here.with({ id: "invoice" }).submit(tasks.mark, "first")
  const elsewhere = there.with({ id: "invoice" }).submit(tasks.mark, "first")
  await Promise.all([first.stored, second.stored, elsewhere.stored])
  await lab.node()
  assert.deepEqual(await Promise.all([first, second, elsewhere]), ["first", "first", "first"])
  assert.equal(await there.with({ id: "invoice" }).submit(tasks.mark, "first"), "first", "after its end, too")
  here.with({ id: "invoice" }).execute(tasks.mark, "first")
  await here.close()
  assert.deepEqual(tasks.marks, ["first"])
})

test("[DX17] an id that belongs to another task is refused", async () => {
  await using lab = new FleetLab()
  const fleet = lab.fleet()
  const first = fleet.with({ id: "x" }).submit(tasks.mark, 1)
  await first.stored
  const other = fleet.with({ id: "x" }).submit(tasks.add, 1, 2)
  const error = await rejectionOf(other)
  assert.ok(error instanceof IllegalStateError && !(error instanceof RejectedExecutionError))
  assert.match(error.message, /`x` belongs to a job of the task `mark`, and not `add`/)
  assert.equal(await rejectionOf(other.stored), error)
  await lab.node()
  assert.equal(await first, 1)
})

test("[DX17] a result that is not kept is gone, and the task runs again", async () => {
  await using lab = new FleetLab()
  await lab.node()
  const fleet = lab.fleet()
  const view = fleet.with({ id: "x", keepResults: 0 })
  assert.equal(await view.submit(tasks.mark, 1), 1)
  assert.equal(await view.submit(tasks.mark, 2), 2)
})
