/** Statements that wait at PostgreSQL for a lock, and clients that have gone meanwhile: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { setTimeout as pause } from "node:timers/promises"
import { Client } from "pg"
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import type { JobEnd } from "#src/distributed/job/engine.js"
import { DONE, Gate, Lab, Log, order } from "../../contract/queue-engine/kind.ts"
import { testPostgres } from "../../support/postgres.ts"
import { TcpProxy } from "../../support/tcp-proxy.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

/** Another program that keeps statements waiting, until it is disposed of. */
class Blocker implements AsyncDisposable {
  readonly #client = new Client({ connectionString: url })

  /** Those that write jobs. */
  static ofAll(): Promise<Blocker> {
    return Blocker.#open(`LOCK TABLE "${schema}".job IN SHARE MODE`)
  }

  /** Those that write this job. */
  static of(queue: string, id: string): Promise<Blocker> {
    return Blocker.#open(lockingOf(queue, id))
  }

  static async #open(lock: string): Promise<Blocker> {
    const blocker = new Blocker()
    await blocker.#client.connect()
    await blocker.#client.query("BEGIN")
    await blocker.#client.query(lock)
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

test("[QE39] a statement that the client has given up does not go on waiting at the server", async () => {
  const program = fresh()
  await using lab = new Lab(postgres({ url, schema, application_name: program, query_timeout: 2000 }))
  const queue = await lab.open()
  let added: Promise<void>
  {
    await using blocker = await Blocker.ofAll()
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
    await using blocker = await Blocker.ofAll()
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

test("[QE40] a job of a dead node is freed though another job is locked", async () => {
  await using lab = new Lab(postgres({ url, schema }))
  const [queue, log] = await lab.listening()
  await queue.add([order("runs"), order("dead")])
  const gate = new Gate()
  const deaths: string[] = []
  await lab.consume(
    async ({ id, deaths: count }) => {
      if (id === "runs") await gate.opened
      else deaths.push(`${id} ${count}`)
      return DONE
    },
    { lockDuration: 600_000 },
  )
  await log.hears("active", "runs")
  {
    await using _ = await Blocker.of(lab.queueName, "runs")
    await sql(
      `UPDATE "${schema}".job SET state = 'active', lock_token = 'dead', locked_until_ms = 1 WHERE queue = $1 AND id = '.dead'`,
      lab.queueName,
    )
    await lab.consume(({ id, deaths: count }) => {
      deaths.push(`${id} ${count}`)
      return DONE
    })
    await log.hears("completed", "dead")
  }
  gate.open()
  await log.hears("completed", "runs")
  assert.deepEqual(deaths, ["dead 1"])
})

test("[QE40] jobs that end in one statement, and locks that are renewed in one, are locked in the order of ids", async () => {
  for (const isEnding of [true, false]) {
    const program = fresh()
    await using lab = new Lab(postgres({ url, schema, application_name: program }))
    const [queue, log] = await lab.listening()
    const gate = new Gate()
    const run = async (): Promise<JobEnd> => {
      await gate.opened
      return DONE
    }
    await lab.consume(run, { concurrency: 2, lockDuration: isEnding ? 600_000 : 20_000 })
    await queue.add([order("b"), order("a")])
    await log.until(() => log.of("active").length === 2)
    {
      await using blocker = await Blocker.of(lab.queueName, "b")
      if (isEnding) gate.open()
      await blocker.until(program, (begun) => begun.length === 1)
      await assert.rejects(sql(`${lockingOf("$1", "a", false)} NOWAIT`, lab.queueName), { code: "55P03" })
    }
    gate.open()
    for (const id of ["a", "b"]) await log.hears("completed", id)
  }
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

/** A statement that locks the row of a job. */
function lockingOf(queue: string, id: string, isText = true): string {
  return `SELECT 1 FROM "${schema}".job WHERE queue = ${isText ? `'${queue}'` : queue} AND id = '.${id}' FOR UPDATE`
}

async function sql(text: string, queue: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(text, [queue])
  } finally {
    await client.end()
  }
}
