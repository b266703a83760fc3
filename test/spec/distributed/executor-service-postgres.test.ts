/** A distributed executor is an ExecutorService as any: the contracts of docs/spec/executor.md and schedule.md, on PostgreSQL. */
import { migrate, postgres } from "corepool/distributed"
import { testDistributedExecutor, testDistributedSchedules } from "../../contract/distributed-executor.ts"
import { testPostgres } from "../../support/postgres.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

const kind = { name: "PostgreSQL", threads: 2, engine: () => postgres({ url, schema }), isSlow: true }
testDistributedExecutor(kind)
testDistributedSchedules(kind)
