/** A distributed executor is an ExecutorService as any: the contracts of docs/spec/executor.md and schedule.md, on Redis. */
import { redis } from "corepool/distributed"
import { testDistributedExecutor, testDistributedSchedules } from "../../contract/distributed-executor.ts"
import { onRedis } from "../../support/redis.ts"

await onRedis(({ url, fresh }) => {
  const prefix = fresh()
  const kind = { name: "Redis", threads: 2, engine: () => redis({ url, prefix }), isSlow: true }
  testDistributedExecutor(kind)
  testDistributedSchedules(kind)
})
