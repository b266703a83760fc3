/** What users get: `corepool/distributed` as it is published, on PostgreSQL, with platform threads. */
import { CancellationError, Executors, platformThreads } from "corepool"
import { DistributedExecutor, ExecutorNode, migrate, postgres } from "corepool/distributed"
import assert from "node:assert/strict"
import { test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { testPostgres } from "../../support/postgres.ts"
import * as tasks from "./node-shipped-tasks.ts"

const { url, fresh } = await testPostgres()

test("[ND50] tasks run on the threads of a node, know their jobs, report and are cancelled", async () => {
  const schema = fresh()
  const engine = postgres({ url, schema })
  await migrate(engine)
  await using executor = Executors.newFixedThreadPool(2, platformThreads({ terminateAfter: 50 }))
  await using node = await ExecutorNode.start({ name: "shipped", engine, tasks, executor, nodeName: "north" })
  await using fleet = new DistributedExecutor({ name: "shipped", engine, tasks })
  const future = fleet.submit(tasks.look, "x")
  const { isMainThread, job, given } = await future
  assert.deepEqual({ isMainThread, given }, { isMainThread: false, given: "x" })
  assert.deepEqual(job, { id: future.id, name: "look", attempt: 1, deaths: 0 })
  assert.deepEqual(future.progress, { given: "x" })
  await assert.rejects(fleet.submit(tasks.boil), (error) => {
    assert.ok(error instanceof RangeError)
    assert.match(error.stack ?? "", /\n {4}at \S+ of north \(corepool\)/)
    return true
  })
  const endless = fleet.submit(tasks.spin)
  await eventually(() => endless.progress === "begun")
  endless.cancel(true)
  await assert.rejects(endless.get(), CancellationError)
  await eventually(() => node.running === 0)
})
