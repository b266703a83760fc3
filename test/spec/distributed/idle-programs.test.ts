/** When a program with a distributed executor ends, on real servers. Rule ids are those of docs/spec/distributed.md. */
import { migrate, postgres } from "corepool/distributed"
import assert from "node:assert/strict"
import { test } from "node:test"
import { runProgram } from "../../support/child.ts"
import { testPostgres } from "../../support/postgres.ts"
import { onRedis } from "../../support/redis.ts"

function testPrograms(server: string, engine: string): void {
  const program = `
    import { Executors, virtualThreads } from "corepool"
    import { DistributedExecutor, ExecutorNode, postgres, redis } from "corepool/distributed"
    const tasks = { add: (a, b) => a + b }
    const engine = ${engine}
    const name = "idle"
    const fleet = new DistributedExecutor({ name, engine, tasks })
    const executor = Executors.newFixedThreadPool(2, virtualThreads())
    const node = await ExecutorNode.start({ name, engine, tasks, executor })
    console.log(await fleet.submit(tasks.add, 1, 2))
    await node.close()
  `

  test(`[DX26] ${server}: an executor that is not closed lets the program end; an answer that is awaited comes before`, async () => {
    const ended = await runProgram(`${program}
      console.log((await fleet.nodes()).length)
      await new DistributedExecutor({ name, engine, tasks }).stats() // another one, not yet connected
      process.on("exit", () => console.log("end"))
    `)
    assert.deepEqual(ended, { code: 0, stdout: "3\n0\nend\n", stderr: "" })
  })

  test(`[DX23] ${server}: a program that awaits close() ends after it`, async () => {
    const ended = await runProgram(`${program}
      await fleet.close()
      console.log("closed")
    `)
    assert.deepEqual(ended, { code: 0, stdout: "3\nclosed\n", stderr: "" })
  })
}

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))
testPrograms("PostgreSQL", `postgres(${JSON.stringify({ url, schema })})`)

await onRedis((server) => {
  testPrograms("Redis", `redis(${JSON.stringify({ url: server.url, prefix: server.fresh() })})`)
})
