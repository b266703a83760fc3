/** The last stage of `npm start`: docs/spec/monitor.md. */
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const MAIN = fileURLToPath(new URL("../../showcase/main.js", import.meta.url))

test("[MO24] into a pipe the tour takes a snapshot of the monitor and ends", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...process.execArgv, MAIN, "monitor"])
  assert.match(stdout, /a snapshot: \d+ tasks completed, \d+ queued/)
  assert.doesNotMatch(stdout, /token=/)
})
