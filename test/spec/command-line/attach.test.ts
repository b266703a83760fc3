/** `corepool top` and `corepool monitor` with real processes: docs/spec/monitor.md. */
import { topTable } from "../../../cli/top-table.ts"
import { NO_LANES } from "#src/monitor/lane-recorder.js"
import type { Frame } from "#src/monitor/wire.js"
import assert from "node:assert/strict"
import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { type Ended, RunningCommand } from "./support/command.js"

const PROGRAM = fileURLToPath(new URL("./support/monitored.js", import.meta.url))

/** A runtime folder of the test's own, so that no other process is found. */
class Session implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "corepool-attach-"))
  readonly env = { XDG_RUNTIME_DIR: this.folder }
  readonly #children: ChildProcessByStdio<Writable, Readable, null>[] = []

  /** Starts a program with a monitor; its address. */
  async start(): Promise<{ readonly pid: number; readonly url: string; kill(): Promise<void> }> {
    const args = "Deno" in globalThis ? ["run", "-A", PROGRAM] : [...process.execArgv, PROGRAM]
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...this.env },
      stdio: ["pipe", "pipe", "inherit"],
    })
    this.#children.push(child)
    let text = ""
    child.stdout.setEncoding("utf8")
    while (!text.includes("\n")) text += ((await once(child.stdout, "data")) as [string])[0]
    return {
      pid: child.pid ?? 0,
      url: text.trim(),
      kill: async () => {
        child.kill("SIGKILL")
        await once(child, "exit")
      },
    }
  }

  async run(...args: string[]): Promise<Ended> {
    const running = new RunningCommand(args, this.env)
    running.process.stdin.end()
    return await running.ended()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.stdin.end()
      await once(child, "exit")
    }
    rmSync(this.folder, { recursive: true })
  }
}

test("[MO21] corepool top prints the pools once in a pipe, as a table or as JSON", async () => {
  await using session = new Session()
  const { pid } = await session.start()
  for (const args of [["top"], ["top", "--once"], ["top", String(pid)]]) {
    const { code, stdout } = await session.run(...args)
    assert.equal(code, 0)
    assert.match(stdout, /POOL +KIND +STATE +THREADS/)
    assert.match(stdout, /working\?\[31m +virtual +running/)
    assert.ok(!stdout.includes("\u001b"))
    assert.match(stdout, new RegExp(`pid ${pid}`))
  }
  const { stdout } = await session.run("top", "--json")
  const frame = JSON.parse(stdout) as { program: { pid: number }; pools: { completed: number }[] }
  assert.equal(frame.program.pid, pid)
  assert.equal(frame.pools[0]?.completed, 3)
})

test("[MO21] on a narrow terminal names are cut and columns left out; a pipe gets all of them", () => {
  const pool: Frame["pools"][number] = {
    id: 1,
    name: "a pool with a long name, longer than others",
    kind: "platform",
    state: "paused",
    threads: 2,
    core: 2,
    maximum: 2,
    active: 1,
    queued: 12_345,
    completed: 7,
    actions: [],
    wait: { count: 1, p50: 1, p95: 2, p99: 3 },
    run: { count: 1, p50: 1, p95: 2, p99: 3 },
  }
  const fleet: Frame["fleets"][number] = {
    name: "thumbs",
    engine: "",
    state: "running",
    outstanding: 0,
    moreNodes: 0,
    nodes: [
      {
        id: "1",
        name: "left",
        host: "box\u001b[31m",
        pid: 1,
        concurrency: 4,
        running: 3,
        isDraining: false,
        age: 1,
        silence: 0,
      },
    ],
  }
  const frame: Frame = {
    time: 0,
    program: { pid: 4711, name: "program.js", runtime: "Node", processors: 2, memory: 1 },
    pools: [pool],
    schedules: [{ id: 2, pool: "clock", name: "nightly", isPeriodic: true, next: 3_600_000 }],
    moreSchedules: 0,
    locks: [],
    fleets: [fleet],
    lanes: NO_LANES,
    allowActions: false,
  }
  const wide = topTable(frame, undefined)
  for (const said of [
    "RUN p99",
    "paused",
    "a pool with a long name, longer",
    "Nodes of thumbs: 1",
    "3 of 4",
    "in 60min",
  ])
    assert.ok(wide.includes(said), said)
  assert.ok(!wide.includes("\u001b"))
  for (let width = 1; width < 160; width++) {
    const lines = topTable(frame, undefined, width).split("\n")
    assert.ok(lines.every((line) => line.length <= width))
    if (width >= 36) assert.match(lines[3] ?? "", /^a pool w.*1 +12\.3k/, `${width}`)
  }
})

test("[MO22] corepool monitor prints the address; of several processes, that of the one it is asked for", async () => {
  await using session = new Session()
  const none = await session.run("monitor")
  assert.equal(none.code, 255)
  assert.match(none.stderr, /startMonitor/)
  const one = await session.start()
  assert.equal((await session.run("monitor")).stdout.trim(), one.url)
  const two = await session.start()
  const several = await session.run("top")
  assert.equal(several.code, 255)
  assert.match(several.stderr, new RegExp(`${one.pid}  monitored.js`))
  assert.match(several.stderr, new RegExp(`${two.pid}  monitored.js`))
  assert.equal((await session.run("monitor", String(two.pid))).stdout.trim(), two.url)
  const wrong = await session.run("monitor", "1")
  assert.equal(wrong.code, 255)
  assert.match(wrong.stderr, /Process 1 has no monitor/)
})

test("[MO23] [MO20] the file of a process that has ended is not used, and goes", async () => {
  await using session = new Session()
  const killed = await session.start()
  const path = join(session.folder, "corepool", `${killed.pid}-${new URL(killed.url).port}.json`)
  assert.ok(existsSync(path))
  await killed.kill()
  const { code, stderr } = await session.run("top")
  assert.equal(code, 255)
  assert.match(stderr, /No process has a monitor/)
  assert.equal(existsSync(path), false)

  mkdirSync(join(session.folder, "corepool"), { recursive: true })
  const damaged = join(session.folder, "corepool", "1-1.json")
  writeFileSync(damaged, "{")
  assert.match((await session.run("monitor")).stderr, /No process has a monitor/)
  assert.equal(existsSync(damaged), false)
})
