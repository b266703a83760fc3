/** What engines do when the server or the network fails: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import pg from "pg"
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { redis } from "#src/distributed/bullmq/redis/redis.js"
import type { Engine } from "#src/distributed/job/engine.js"
import { BRIEF, DONE, Gate, Lab, order } from "../../contract/queue-engine/kind.ts"
import { startPostgres, testPostgres } from "../../support/postgres.ts"
import { onRedis } from "../../support/redis.ts"
import { TcpProxy } from "../../support/tcp-proxy.ts"

const { url, fresh } = await testPostgres()
const schema = fresh()
await migrate(postgres({ url, schema }))

interface Place {
  readonly name: string
  readonly url: string
  open(url: string, patience?: number): Engine
}

/** The same server by another way. */
function through(place: Place, proxy: TcpProxy): string {
  const other = new URL(place.url)
  other.host = `127.0.0.1:${proxy.port}`
  return other.href
}

test("[QE24] after the server was killed and started again under load, all jobs end, and what is added meanwhile is added", async () => {
  await using server = await startPostgres()
  const engine = postgres({ url: server.url, migrate: true })
  await using lab = new Lab(engine)
  const [queue, log] = await lab.listening()
  const runs = new Map<string, number>()
  for (const node of ["first", "second"]) {
    await lab.consume(
      ({ id }) => {
        runs.set(id, (runs.get(id) ?? 0) + 1)
        return DONE
      },
      { node, concurrency: 4, lockDuration: 2000 },
    )
  }
  const ids = Array.from({ length: 400 }, (_, n) => `${n}`)
  await queue.add(ids.slice(0, 200).map((id) => order(id)))
  await log.until(() => log.of("completed").length >= 20)
  await server.kill()
  const added = queue.add(ids.slice(200).map((id) => order(id)))
  await server.restart()
  await added
  await log.hears("gap")
  // What happened during the gap is looked up, as an executor does.
  for (let ended = 0; ended < ids.length;) {
    const found = await queue.find(ids)
    ended = found.filter((job) => job?.state === "completed").length
    if (ended < ids.length) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.equal(runs.size, ids.length)
  const heard = log.of("completed").map(({ id }) => id)
  assert.equal(new Set(heard).size, heard.length)
})

test("[QE22] an event that is committed after one with a higher number is heard", async () => {
  await using lab = new Lab(postgres({ url, schema }))
  const [queue, log] = await lab.listening()
  const clients = [new pg.Client(url), new pg.Client(url)]
  const [early, late] = clients as [pg.Client, pg.Client]
  try {
    for (const client of clients) {
      await client.connect()
      await client.query(`SET search_path TO ${schema}`)
      await client.query("BEGIN")
    }
    const publish = "SELECT publish_event($1, 'active', jsonb_build_object('jobId', $2::text))"
    await early.query(publish, [lab.queueName, ".early number"])
    await late.query(publish, [lab.queueName, ".late number"])
    await late.query("COMMIT")
    await log.hears("active", "late number")
    await queue.add([order("x")])
    await queue.remove("x")
    await log.hears("removed", "x")
    await early.query("COMMIT")
    await log.hears("active", "early number")
  } finally {
    for (const client of clients) await client.end()
  }
  assert.equal(log.of("active").length, 2)
})

const places: Place[] = [
  {
    name: "PostgreSQL",
    url,
    open: (way, patience = 30_000) => postgres({ url: way, schema, patience }),
  },
]

await onRedis((server) => {
  const prefix = server.fresh()
  places.push({
    name: "Redis",
    url: server.url,
    open: (way, patience = 30_000) => redis({ url: way, prefix, patience }),
  })
})

// Most of what they do is wait.
describe("faults of the network", { concurrency: 4 }, () => {
  for (const place of places) faultsOfNetwork(place)
})

function faultsOfNetwork(place: Place): void {
  test(`[QE19] a node on ${place.name} that cannot reach the server for longer than its lock lasts is told that its job is lost`, async () => {
    await using proxy = await TcpProxy.to(Number(new URL(place.url).port))
    await using lab = new Lab(place.open(place.url))
    const [queue, log] = await lab.listening()
    await using cutOff = new Lab(place.open(through(place, proxy)), lab.queueName)
    const begun = new Gate()
    const lost = new Gate()
    await cutOff.consume(
      async (job) => {
        job.lost.onLost = lost.open
        begun.open()
        await lost.opened
        return { kind: "completed", outcome: "too late" }
      },
      { lockDuration: BRIEF, node: "cut off" },
    )
    await queue.add([order("x")])
    await begun.opened
    proxy.freeze()
    await lost.opened
    await lab.consume(({ deaths }) => ({ kind: "completed", outcome: `elsewhere, ${deaths}` }))
    await log.hears("completed", "x")
    proxy.thaw()
    const [found] = await queue.find(["x"])
    assert.equal(found?.outcome, "elsewhere, 1")
  })

  test(`[QE33] a job that ${place.name} has given to a node whose connection was lost before it heard of that is no death`, async () => {
    await using proxy = await TcpProxy.to(Number(new URL(place.url).port))
    await using lab = new Lab(place.open(place.url))
    const [queue, log] = await lab.listening()
    await queue.add([order("first"), order("second")])
    await using behind = new Lab(place.open(through(place, proxy)), lab.queueName)
    const seen: string[] = []
    await behind.consume(
      ({ id, deaths }) => {
        if (id === "first") proxy.freezeAnswers()
        seen.push(`${id} ${deaths}`)
        return DONE
      },
      { lockDuration: 600_000 },
    )
    await log.hears("active", "second") // with the answer to the report of the first
    assert.deepEqual(seen, ["first 0"])
    proxy.cut()
    await log.hears("completed", "second")
    assert.deepEqual(seen, ["first 0", "second 0"])
    assert.equal(log.of("completed", "first").length, 1)
  })

  test(`[QE24] connections to ${place.name} that are cut again and again are made again`, async () => {
    await using proxy = await TcpProxy.to(Number(new URL(place.url).port))
    await using lab = new Lab(place.open(through(place, proxy)))
    const [queue, log] = await lab.listening()
    await lab.consume(() => DONE, { concurrency: 2, lockDuration: 2000 })
    for (let round = 0; round < 5; round++) {
      proxy.cut()
      await queue.add([order(`${round}`)])
      while ((await queue.find([`${round}`]))[0]?.state !== "completed") {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    await log.hears("gap")
  })

  test(`[QE28] an operation is tried for a limited time while ${place.name} is away, and then rejected`, async () => {
    await using proxy = await TcpProxy.to(Number(new URL(place.url).port))
    await using lab = new Lab(place.open(through(place, proxy), 3000))
    const queue = await lab.open()
    await queue.add([order("before")])
    await proxy[Symbol.asyncDispose]()
    const away = /^(?:PostgreSQL|Redis) at 127\.0\.0\.1:\d+\S* cannot be reached: /
    await assert.rejects(queue.add([order("x")]), { code: "ERR_COREPOOL_ILLEGAL_STATE", message: away })
    await assert.rejects(queue.find(["x"]), { message: away })
    await assert.rejects(lab.open(), { message: away })
  })
}
