/** `corepool node` as a process: docs/spec/command-line.md. */
import { DistributedExecutor, postgres } from "corepool/distributed"
import assert from "node:assert/strict"
import { fileURLToPath } from "node:url"
import { test } from "node:test"
import { testPostgres } from "../../support/postgres.ts"
import { command, RunningCommand } from "./support/command.js"
import * as tasks from "./support/node.tasks.js"

const TASKS = fileURLToPath(new URL("./support/node.tasks.js", import.meta.url))

test("[CM23] a node runs the jobs of an executor until a signal", async () => {
  const { url } = await testPostgres()
  const name = `command-line-${process.pid}`
  const running = new RunningCommand(["node", TASKS, "--name", name, "--postgres", url, "--migrate", "-j", "1"])
  await running.reported('"event":"running"')
  await using fleet = new DistributedExecutor({ name, engine: postgres(url), tasks })
  assert.equal(await fleet.submit(tasks.triple, 14), 42)
  running.process.kill("SIGTERM")
  const ended = await running.ended()
  assert.equal(ended.code, 0)
  assert.match(ended.stderr, /"event":"closed"/)
})

test("[CM24] what is missing is said, and no password", async () => {
  const secret = "postgres://u:s3cret@127.0.0.1:1/x"
  const cases: [string[], RegExp][] = [
    [["node", TASKS, "--name", "n"], /--postgres or --redis/],
    [["node", "./missing.js", "--name", "n", "--redis", "redis://127.0.0.1:1"], /no module .\/missing.js/],
    [["node", TASKS, "--name", "n", "--redis", "redis://127.0.0.1:1", "--postgres", secret], /exclude each other/],
    [["node", TASKS, "--redis", "redis://127.0.0.1:1"], /--name/],
  ]
  for (const [args, reason] of cases) {
    const { code, stderr } = await command(args)
    assert.equal(code, 255)
    assert.match(stderr, reason)
    assert.doesNotMatch(stderr, /s3cret/)
  }
})
