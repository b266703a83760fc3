/** A node on PostgreSQL reports several ends in one statement: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { Client } from "pg"
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { DONE, Gate, Lab, Log, order } from "../../contract/queue-engine/kind.ts"
import { until } from "../../support/fault-lab.ts"
import { testPostgres } from "../../support/postgres.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

test("[QE37] of jobs that end at the same time, one that is not the node's any more has no effect on the others", async () => {
  await using lab = new Lab(postgres({ url, schema }))
  const [queue, log] = await lab.listening()
  const node = await lab.open("node")
  const nodeLog = new Log()
  await node.listen(nodeLog)
  const gate = new Gate()
  const consumer = await node.consume({
    node: "node",
    concurrency: 4,
    lockDuration: 30_000,
    run: async () => {
      await gate.opened
      return DONE
    },
  })
  const ids = ["first", "taken", "second", "third"]
  await queue.add(ids.map((id) => order(id)))
  await log.until(() => log.of("active").length === ids.length)
  await giveToAnother("taken")
  gate.open() // all of them end in the same turn
  await consumer.drain()
  const ended = ids.filter((id) => id !== "taken")
  for (const id of ended) await log.hears("completed", id)
  assert.deepEqual(
    (await queue.find(ids)).map((job) => job?.state),
    ["completed", "active", "completed", "completed"],
  )
  assert.equal(log.of("completed").length, ended.length)
  assert.deepEqual(nodeLog.of("error"), [])
})

test("[QE41] a job that another node has by now is not given back, though the command has waited at the server", async () => {
  await using lab = new Lab(postgres({ url, schema }))
  const [queue, log] = await lab.listening()
  const node = await lab.open("node")
  const gate = new Gate()
  const consumer = await node.consume({
    node: "node",
    concurrency: 1,
    lockDuration: 30_000,
    run: async () => {
      await gate.opened
      return { kind: "back" }
    },
  })
  await queue.add([order("passed on")])
  await log.until(() => log.of("active").length === 1)
  const another = new Client({ connectionString: url })
  await another.connect()
  try {
    await another.query("BEGIN")
    await another.query(`UPDATE "${schema}".job SET lock_token = 'another' WHERE id = '.passed on'`)
    gate.open()
    await isWaited(another)
    await another.query("COMMIT")
  } finally {
    await another.end()
  }
  await consumer.drain()
  const [job] = await queue.find(["passed on"])
  assert.equal(job?.state, "active")
})

/** Is fulfilled when a statement waits for the lock of this connection. */
async function isWaited(client: Client): Promise<void> {
  const blocked = "SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"
  await until(async () => (await client.query(blocked)).rows.length > 0, "a statement that waits")
}

/** As if the node's lock had run out and another node had taken the job. */
async function giveToAnother(id: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`UPDATE "${schema}".job SET lock_token = 'another' WHERE id = $1`, [`.${id}`])
  } finally {
    await client.end()
  }
}
