/** The engine on Redis: docs/spec/distributed-engine.md. */
import { randomUUID } from "node:crypto"
import { redis } from "#src/distributed/bullmq/redis.js"
import { testQueueEngine } from "../../contract/queue-engine.ts"
import { cutConnectionsNamed } from "../../support/redis-connections.ts"

const url = process.env["COREPOOL_REDIS_URL"] ?? ""
const connectionName = `test-${randomUUID()}`

if (url !== "") {
  testQueueEngine({
    name: "Redis",
    open: () => Promise.resolve(redis({ url, connectionName })),
    inAnotherProcess: () =>
      Promise.resolve(`import("#src/distributed/bullmq/redis.js").then(({ redis }) => redis(${JSON.stringify(url)}))`),
    cutConnections: () => cutConnectionsNamed(url, connectionName),
  })
}
