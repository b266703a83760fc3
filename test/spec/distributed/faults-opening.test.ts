/** A server that goes away at a bad moment: docs/spec/distributed-faults.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { Lab, Log } from "../../contract/queue-engine/kind.ts"
import { testPostgres } from "../../support/postgres.ts"
import { cutConnectionsOf } from "../../support/postgres-connections.ts"

const ROUNDS = 15

test("[DF24] connections that the server ends while they are opened, used or closed end no process, on PostgreSQL", async () => {
  const { url, fresh } = await testPostgres()
  const schema = fresh()
  const engine = postgres({ url, schema, application_name: schema, migrate: true })
  await migrate(engine)
  for (let round = 0; round < ROUNDS; round++) {
    const lab = new Lab(engine)
    const cutting = Array.from({ length: 3 }, () => cutConnectionsOf(url, schema))
    const queue = await lab.open()
    await Promise.all(cutting)
    await queue.listen(new Log())
    assert.deepEqual(await queue.find(["none"]), [undefined])
    // An error that no listener hears would be an uncaught one, which fails this test.
    await Promise.all([cutConnectionsOf(url, schema), lab[Symbol.asyncDispose](), cutConnectionsOf(url, schema)])
  }
})
