/** The engine on PostgreSQL: docs/spec/distributed-engine.md. */
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { testQueueEngine } from "../../contract/queue-engine.ts"
import { testPostgres } from "../../support/postgres.ts"
import { cutConnectionsOf } from "../../support/postgres-connections.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

testQueueEngine({
  name: "PostgreSQL",
  open: () => Promise.resolve(postgres({ url, schema, application_name: schema })),
  inAnotherProcess: () =>
    Promise.resolve(
      `import("#src/distributed/bullmq/postgres/postgres.js").then(({ postgres }) => postgres(${JSON.stringify({ url, schema })}))`,
    ),
  cutConnections: () => cutConnectionsOf(url, schema),
})
