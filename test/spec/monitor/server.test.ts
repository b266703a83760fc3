/** What the monitor tells: docs/spec/monitor.md. */
import { Executors, ReentrantLock, ScheduledThreadPoolExecutor, Semaphore, virtualThreads } from "corepool"
import { type Monitor, startMonitor } from "corepool/monitor"
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { tmpdir, userInfo } from "node:os"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { type Frame, frames, snapshot } from "./support/client.js"

const ENDS = fileURLToPath(new URL("./support/program-that-ends.js", import.meta.url))

test("[MO1] the page can be opened while the monitor is open, on this machine alone", async () => {
  let monitor: Monitor | undefined
  {
    await using open = await startMonitor()
    monitor = open
    assert.match(open.url, /^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{22}$/)
    const page = await fetch(open.url)
    assert.equal(page.status, 200)
    assert.match(await page.text(), /^<!doctype html>/i)
  }
  await assert.rejects(fetch(monitor.url))
  await monitor.close()
})

test("[MO1] a stream ends when the monitor is closed", async () => {
  const monitor = await startMonitor()
  const stream = frames(monitor)
  assert.equal((await stream.next()).done, false)
  await monitor.close()
  await assert.rejects(async () => {
    for await (const _ of stream);
  })
})

test("[MO2] a program with a monitor ends by itself, also while a client listens", async () => {
  const args = "Deno" in globalThis ? ["run", "-A", ENDS] : [...process.execArgv, ENDS]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  let printed = ""
  child.stdout.setEncoding("utf8")
  while (!printed.includes("\n")) printed += ((await once(child.stdout, "data")) as [string])[0]
  const stream = frames(JSON.parse(printed) as { port: number; token: string })
  assert.equal((await stream.next()).done, false)
  if ("Bun" in globalThis) await stream.return(undefined) // there an open response keeps a process alive
  child.stdin.end()
  const [code] = (await once(child, "exit")) as [number]
  assert.equal(code, 0)
  await stream.return(undefined).catch(() => undefined) // the connection has ended, as a failure or not
})

test("[MO3] wrong options are refused", async () => {
  const wrong: [unknown, typeof TypeError | typeof RangeError][] = [
    [{ ports: 1 }, TypeError],
    [{ port: 65_536 }, RangeError],
    [{ port: "80" }, TypeError],
    [{ token: "short-secret" }, RangeError],
    [{ token: "with spaces and more than sixteen" }, RangeError],
    [{ pools: [{}] }, TypeError],
    [{ locks: { a: {} } }, TypeError],
    [{ allowActions: 1 }, TypeError],
  ]
  for (const [options, kind] of wrong) {
    await assert.rejects(startMonitor(options as never), (error: Error) => {
      assert.ok(error instanceof kind, String(error))
      assert.doesNotMatch(error.message, /short-secret/)
      return true
    })
  }
})

test("[MO4] the stream tells what the pools do, also pools that are made later", async () => {
  await using monitor = await startMonitor()
  const stream = frames(monitor)
  await stream.next()
  await using pool = Executors.newFixedThreadPool(2, virtualThreads({ name: "later" }))
  let release = (): void => undefined
  const gate = new Promise<void>((resolve) => (release = resolve))
  for (let i = 0; i < 5; i++) void pool.submit(() => gate)
  const seen = async (condition: (frame: Frame) => boolean): Promise<Frame> => {
    for (;;) {
      const frame = (await stream.next()).value as Frame
      if (condition(frame)) return frame
    }
  }
  const find = (frame: Frame): Frame["pools"][number] | undefined =>
    frame.pools.find(({ core, active, queued, completed }) => core === 2 && active + queued + completed === 5)
  const busy = find(await seen((frame) => find(frame)?.active === 2))
  assert.deepEqual(
    [busy?.threads, busy?.queued, busy?.completed, busy?.kind, busy?.state],
    [2, 3, 0, "virtual", "running"],
  )
  release()
  await seen((frame) => find(frame)?.completed === 5)
})

test("[MO4] quantiles are those of the time since the last frame", async () => {
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  await pool.submit(() => new Promise((resolve) => setTimeout(resolve, 20)))
  await using monitor = await startMonitor({ pools: { one: pool } })
  const stream = frames(monitor)
  const first = (await stream.next()).value as Frame
  const { run } = first.pools[0] ?? {}
  assert.equal(run?.count, 1)
  assert.ok(run.p50 > 10 && run.p50 <= run.p95 && run.p95 <= run.p99)
  const second = (await stream.next()).value as Frame
  assert.equal(second.pools[0]?.run, undefined)
})

test("[MO5] schedules are told with their next runs", async () => {
  await using pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads() })
  const later = pool.with({ name: "much later" }).schedule(() => {}, 7_200_000)
  const hourly = pool.scheduleAtFixedRate(function hourly() {}, 3_600_000, 3_600_000)
  await using monitor = await startMonitor({ pools: { clock: pool } })
  const { schedules } = await snapshot(monitor)
  assert.deepEqual(
    schedules.map(({ name, pool: of, isPeriodic }) => [name, of, isPeriodic]),
    [
      ["hourly", "clock", true],
      ["much later", "clock", false],
    ],
  )
  // A time on the wall clock is computed when it is asked for, from another clock.
  for (const [at, future] of [hourly, later].entries()) {
    assert.ok(Math.abs((schedules[at]?.next ?? 0) - (future.nextRunAt?.getTime() ?? 0)) <= 1000)
  }
  pool.shutdownNow()
})

test("[MO6] locks are told with holder and waiting threads", async () => {
  const lock = new ReentrantLock()
  const permits = new Semaphore(3)
  const guard = await lock.lock()
  await using pool = Executors.newFixedThreadPool(1, virtualThreads())
  const waiting = pool.submit(async () => {
    await lock.lock()
    lock.unlock()
  })
  while (!lock.hasQueuedThreads) await new Promise((resolve) => setImmediate(resolve))
  await using monitor = await startMonitor({ locks: { index: lock, permits } })
  const { locks } = await snapshot(monitor)
  assert.equal(locks[0]?.name, "index")
  assert.match(locks[0].holder, /Locked by thread main/)
  assert.equal(locks[0].waitingCount, 1)
  assert.match(locks[0].waiting[0] ?? "", /^thread \d+$/)
  assert.deepEqual([locks[1]?.name, locks[1]?.waitingCount], ["permits", 0])
  guard[Symbol.dispose]()
  await waiting
})

test("[MO20] a file of the user's has address and token, until the monitor is closed", async () => {
  const base = process.env["XDG_RUNTIME_DIR"] ?? ""
  const folder = base === "" ? join(tmpdir(), `corepool-${userInfo().username}`) : join(base, "corepool")
  const monitor = await startMonitor()
  const name = readdirSync(folder).find((file) => file === `${process.pid}-${monitor.port}.json`)
  assert.ok(name !== undefined)
  const path = join(folder, name)
  const { token, address, pid } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>
  assert.deepEqual([token, address, pid], [monitor.token, `http://127.0.0.1:${monitor.port}/`, process.pid])
  if (process.platform !== "win32") {
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
  }
  await monitor.close()
  assert.equal(existsSync(path), false)
})
