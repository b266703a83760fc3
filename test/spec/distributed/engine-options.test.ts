/** How engines are named and opened: docs/spec/distributed-engine.md. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { inspect } from "node:util"
import { migrate, postgres } from "#src/distributed/bullmq/postgres/postgres.js"
import { redis } from "#src/distributed/bullmq/redis/redis.js"
import type { Engine } from "#src/distributed/job/engine.js"
import { Lab, Log, order } from "../../contract/queue-engine/kind.ts"
import { testPostgres } from "../../support/postgres.ts"
import { onRedis } from "../../support/redis.ts"

const { url, fresh } = await testPostgres()

const SECRET = "se cret%41:/@"

/** No one listens there. */
const NOWHERE = { host: "127.0.0.1", port: 1, patience: 50 }

const everything = (value: unknown): string =>
  [inspect(value, { depth: 20, showHidden: true, getters: true }), String(value), JSON.stringify(value)].join("\n")

function hidesSecrets(value: unknown): void {
  for (const form of [SECRET, encodeURIComponent(SECRET), encodeURI(SECRET), "se%20cret%2541%3A%2F%40", "cret"]) {
    assert.ok(!everything(value).includes(form), everything(value))
  }
}

async function failureOf(engine: Engine): Promise<unknown> {
  const lab = new Lab(engine)
  return lab.open().then(
    () => assert.fail("it was opened"),
    (error: unknown) => error,
  )
}

test("[QE29] an engine says where it is, and no password", () => {
  const withPassword = `postgres://me:${encodeURIComponent(SECRET)}@db.example.com:5433/work`
  const engines: [Engine, string][] = [
    [postgres(withPassword), "PostgreSQL at db.example.com:5433/work, schema bullmq"],
    [postgres({ url: withPassword, schema: "x" }), "PostgreSQL at db.example.com:5433/work, schema x"],
    [postgres({ connectionString: withPassword }), "PostgreSQL at db.example.com:5433/work, schema bullmq"],
    [
      postgres({ host: "db", database: "work", user: "me", password: SECRET }),
      "PostgreSQL at db:5432/work, schema bullmq",
    ],
    [redis(`rediss://:${encodeURIComponent(SECRET)}@cache/3`), "Redis at cache:6379/3, prefix bull"],
    [redis({ host: "cache", port: 7000, password: SECRET, prefix: "p" }), "Redis at cache:7000, prefix p"],
  ]
  for (const [engine, text] of engines) {
    assert.equal(String(engine), text)
    hidesSecrets(engine)
  }
})

test("[QE29] no error has a password in it", async () => {
  const coded = encodeURIComponent(SECRET)
  for (const engine of [
    postgres({ ...NOWHERE, user: "me", password: SECRET, database: "work" }),
    postgres({ url: `postgres://me:${coded}@127.0.0.1:1/work`, patience: 50 }),
    redis({ ...NOWHERE, password: SECRET }),
    redis({ url: `redis://me:${coded}@127.0.0.1:1/0`, patience: 50 }),
  ]) {
    const error = await failureOf(engine)
    assert.match(String(error), /IllegalStateError: (PostgreSQL|Redis) at 127\.0\.0\.1:1\S* cannot be reached: /)
    hidesSecrets(error)
  }
  for (const make of [postgres, redis]) {
    assert.throws(
      () => make(`not a url with ${SECRET}`),
      (error) => {
        hidesSecrets(error)
        return error instanceof TypeError
      },
    )
  }
})

test("[QE30] wrong options are refused at once", () => {
  for (const make of [postgres, redis] as ((options: unknown) => Engine)[]) {
    for (const wrong of [undefined, null, 17, { url: 17 }, { patience: "long" }])
      assert.throws(() => make(wrong), TypeError)
    assert.throws(() => make({ patience: -1 }), RangeError)
    assert.throws(() => make({ patience: NaN }), RangeError)
  }
  const ofPostgres = { message: /a URL that begins with postgres:\/\/ or postgresql:\/\/, such as postgres:.*, got/ }
  const ofRedis = { message: /a URL that begins with redis:\/\/ or rediss:\/\/, such as redis:.*, got/ }
  const secret = "secret"
  for (const wrong of ["", "hello", "localhost:5432", "x://", `mysql://me:${secret}@host`, `http://:${secret}@host`]) {
    for (const options of [wrong, { url: wrong }, { connectionString: wrong }])
      assert.throws(() => postgres(options), { name: "TypeError", ...ofPostgres })
    for (const options of [wrong, { url: wrong }]) {
      assert.throws(() => redis(options), { name: "TypeError", ...ofRedis })
      assert.throws(
        () => redis(options),
        (error) => !everything(error).includes(secret),
      )
    }
  }
  assert.throws(() => postgres("redis://host"), ofPostgres)
  assert.throws(() => redis("postgres://host"), ofRedis)
  assert.equal(String(postgres("postgresql://host/x")), "PostgreSQL at host:5432/x, schema bullmq")
  assert.throws(() => postgres({ schema: 1 } as never), TypeError)
  assert.throws(() => postgres({ migrate: "yes" } as never), TypeError)
  assert.throws(() => postgres({ schema: "drop table;" }), RangeError)
  assert.throws(() => redis({ prefix: 1 } as never), TypeError)
})

test("[QE31] tables are made when the program says so, and never by surprise", async () => {
  const schema = fresh()
  const error = await failureOf(postgres({ url, schema }))
  assert.match(String(error), /has no tables of BullMQ in schema \w+: make them once, by `await migrate\(engine\)`/)
  await Promise.all(Array.from({ length: 3 }, () => migrate(postgres({ url, schema }))))
  await using lab = new Lab(postgres({ url, schema }))
  const queue = await lab.open()
  await queue.add([order("x")])
  assert.equal((await queue.counts()).waiting, 1)
  await assert.rejects(migrate(redis("redis://localhost")), TypeError)

  await using other = new Lab(postgres({ url, schema: fresh(), migrate: true }))
  assert.equal((await (await other.open()).counts()).waiting, 0)
})

await onRedis(({ url: redisUrl, fresh: freshPrefix }) => {
  test("[QE29] a password that Redis refuses is in no error", async () => {
    const { hostname: host, port } = new URL(redisUrl)
    const engine = redis({ host, port: Number(port), username: "nobody", password: SECRET, patience: 50 })
    hidesSecrets(await failureOf(engine))
  })

  test("[QE32] a Redis that throws keys away is warned of once", async () => {
    const warnings: string[] = []
    const hear = (warning: Error & { code?: string }): void => {
      if (warning.code === "COREPOOL_REDIS_EVICTION") warnings.push(warning.message)
    }
    process.on("warning", hear)
    const { Redis } = await import("ioredis")
    const admin = new Redis(redisUrl)
    const before = (await admin.config("GET", "maxmemory-policy")) as unknown
    const policy = String(Array.isArray(before) ? before[1] : Object.values(before as object)[0])
    await using lab = new Lab(redis({ url: redisUrl, prefix: freshPrefix() }))
    try {
      await admin.config("SET", "maxmemory-policy", "allkeys-lru")
      const queue = await lab.open()
      await lab.open("node")
      await queue.listen(new Log())
    } finally {
      await admin.config("SET", "maxmemory-policy", policy)
      admin.disconnect()
    }
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", hear)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? "", /^Redis at \S+ throws keys away .* set maxmemory-policy to noeviction$/)
  })
})
