/** The engine on Redis: docs/spec/distributed-engine.md. */
import { redis } from "#src/distributed/bullmq/redis/redis.js"
import { testQueueEngine } from "../../contract/queue-engine.ts"
import { onRedis } from "../../support/redis.ts"
import { cutConnectionsNamed } from "../../support/redis-connections.ts"

await onRedis(({ url, fresh }) => {
  const prefix = fresh()
  const options = { url, prefix, connectionName: prefix }
  testQueueEngine({
    name: "Redis",
    open: () => Promise.resolve(redis(options)),
    inAnotherProcess: () =>
      Promise.resolve(
        `import("#src/distributed/bullmq/redis/redis.js").then(({ redis }) => redis(${JSON.stringify({ url, prefix })}))`,
      ),
    cutConnections: () => cutConnectionsNamed(url, prefix),
  })
})
