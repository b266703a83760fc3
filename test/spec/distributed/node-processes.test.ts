/** Nodes in processes of their own, on PostgreSQL. */
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import type { Engine } from "#src/distributed/job/engine.js"
import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { eventually } from "../../support/harness.ts"
import { testPostgres } from "../../support/postgres.ts"
import { Driver, type DrivenJob } from "./node-driver.ts"
import { NodeProcess } from "./node-process.ts"

const { url, fresh } = await testPostgres()
const folder = mkdtempSync(join(tmpdir(), "corepool-node-"))
after(() => rmSync(folder, { recursive: true }))
let files = 0

/** The name of a file that is not there; `open` makes it. */
function gate(): { readonly file: string; readonly open: () => void } {
  const file = join(folder, String(++files))
  return { file, open: () => writeFileSync(file, "") }
}

async function setUp(): Promise<{ driver: Driver<Engine>; start: (nodeName: string) => Promise<NodeProcess> }> {
  const schema = fresh()
  const engine = postgres({ url, schema })
  await migrate(engine)
  const driver = await Driver.on(engine)
  return { driver, start: (nodeName) => NodeProcess.start({ url, schema, nodeName }) }
}

/** Waits until a task says so often that it has begun. */
async function begun(job: DrivenJob, times = 1): Promise<void> {
  await eventually(() => job.progress.length >= times)
}

test("[ND50] a job runs in another process", async () => {
  const { driver, start } = await setUp()
  await using closing = driver
  await using node = await start("north")
  assert.equal(await closing.valueOf("pid"), node.pid)
  const nodes = await driver.nodes()
  assert.deepEqual(
    nodes.map(({ name, pid, concurrency }) => ({ name, pid, concurrency })),
    [{ name: "north", pid: node.pid, concurrency: 2 }],
  )
})

test("[ND50] the job of a node that is killed runs on another one", async () => {
  const { driver, start } = await setUp()
  await using closing = driver
  const { file, open } = gate()
  await using first = await start("first")
  const job = await closing.add("waitFor", [file])
  await begun(job)
  await using second = await start("second")
  first.kill("SIGKILL")
  assert.equal(await first.exit, "SIGKILL")
  await begun(job, 2)
  open()
  assert.deepEqual(await job.end, { kind: "completed", value: { pid: second.pid, deaths: 1 } })
  assert.equal(job.ends.length, 1)
})

test("[ND50] a node that gets SIGTERM lets its job end, and then its process", async () => {
  const { driver, start } = await setUp()
  await using closing = driver
  const { file, open } = gate()
  await using node = await start("north")
  const job = await closing.add("waitFor", [file])
  await begun(job)
  node.kill("SIGTERM")
  const late = await driver.add("pid")
  open()
  assert.deepEqual(await job.end, { kind: "completed", value: { pid: node.pid, deaths: 0 } })
  assert.equal(await node.exit, 0)
  assert.deepEqual(await driver.nodes(), [])
  await using next = await start("south")
  // A job that comes at the same time as the signal may be taken before the signal is.
  const end = await late.end
  assert.ok(end.kind === "completed" && (end.value === next.pid || end.value === node.pid))
  assert.equal(late.ends.length, 1)
})

test("[ND50] a job is cancelled from another process, also one that never ends", async () => {
  const { driver, start } = await setUp()
  await using closing = driver
  await using node = await start("north")
  const job = await closing.add("spin")
  await begun(job)
  await job.cancel()
  const end = await job.end
  assert.ok(end.kind === "failed" && end.failure === "cancelled")
  assert.equal(await driver.valueOf("pid"), node.pid)
})

test("[ND50] a thread that is busy for longer than the lock keeps its job", async () => {
  const { driver, start } = await setUp()
  await using closing = driver
  await using first = await start("first")
  const job = await closing.add("busy", [6000])
  await begun(job)
  await using second = await start("second")
  assert.deepEqual(await job.end, { kind: "completed", value: first.pid })
  assert.equal(job.starts(), 1)
  assert.ok(second.pid > 0)
})
