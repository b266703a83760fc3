/** `corepool top` and `corepool monitor` with real processes: docs/spec/monitor.md. */
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
