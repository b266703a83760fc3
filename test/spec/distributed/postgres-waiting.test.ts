/** Statements that wait at PostgreSQL for a lock, and clients that have gone meanwhile: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as pause } from "node:timers/promises"
import { Client } from "pg"
import { migrate, postgres } from "#src/distributed/bullmq/postgres.js"
import { DONE, Lab, Log, order } from "../../contract/queue-engine/kind.ts"
import { testPostgres } from "../../support/postgres.ts"
import { TcpProxy } from "../../support/tcp-proxy.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

/** Another program that keeps all statements that write jobs waiting, until it is disposed of. */
class Blocker implements AsyncDisposable {
  readonly #client = new Client({ connectionString: url })

  static async open(): Promise<Blocker> {
    const blocker = new Blocker()
    await blocker.#client.connect()
    await blocker.#client.query("BEGIN")
    await blocker.#client.query(`LOCK TABLE "${schema}".job IN SHARE MODE`)
    return blocker
  }

  /** When each statement that waits for the lock has begun, by programs of this name. */
  async waiting(program: string): Promise<number[]> {
    const { rows } = await this.#client.query<{ begun: Date }>(
      "SELECT clock_timestamp(), query_start AS begun FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'",
      [program],
    )
    return rows.map(({ begun }) => begun.getTime())
  }

  async until(program: string, condition: (begun: readonly number[]) => boolean): Promise<number[]> {
    for (;;) {
      const begun = await this.waiting(program)
      if (condition(begun)) return begun
      await this.#client.query("SELECT pg_stat_clear_snapshot()")
      await pause(10)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
  }
}

test("[QE339] a statement that the client has given up does not go on waiting at the server", async () => {
  const program = fresh()
  await using lab = new Lab(postgres({ url, schema, application_name: program, query_timeout: 2000 }))
  const queue = await lab.open()
  let added: Promise<void>
  {
    await using blocker = await Blocker.open()
    added = queue.add([order("x")])
    const [first = 0] = await blocker.until(program, (begun) => begun.length === 1)
    await blocker.until(program, (begun) => begun.length === 1 && begun.every((time) => time > first))
  }
  await added
  assert.equal((await queue.find(["x"]))[0]?.state, "waiting")
})

test("[QE33] a job that the server gives by a command whose connection was lost is given back, also if it comes after the node has asked", async () => {
  const program = fresh()
  await using proxy = await TcpProxy.to(Number(new URL(url).port))
  const way = new URL(url)
  way.host = `127.0.0.1:${proxy.port}`
  await using lab = new Lab(postgres({ url, schema }))
  const [queue, log] = await lab.listening()
  await queue.add([order("x")])
  await using behind = new Lab(postgres({ url: way.href, schema, application_name: program }), lab.queueName)
  const deaths: number[] = []
  {
    await using blocker = await Blocker.open()
    await behind.consume(
      (job) => {
        deaths.push(job.deaths)
        return DONE
      },
      { lockDuration: 600_000 },
    )
    await blocker.until(program, (begun) => begun.length === 1)
    proxy.cut()
    await blocker.until(program, (begun) => begun.length === 2) // the node has asked what it has, and takes the next job
  }
  await log.hears("completed", "x")
  assert.deepEqual(deaths, [0])
})

test("[QE28] a server that takes a connection for notifications and does not answer is tried again", async () => {
  await using proxy = await TcpProxy.to(Number(new URL(url).port))
  const way = new URL(url)
  way.host = `127.0.0.1:${proxy.port}`
  await using lab = new Lab(postgres({ url: way.href, schema, connectionTimeoutMillis: 2000, patience: 600_000 }))
  const queue = await lab.open("node")
  const before = proxy.accepted
  proxy.freeze()
  const listening = queue.listen(new Log())
  while (proxy.accepted < before + 2) await pause(10)
  proxy.thaw()
  await listening
})
