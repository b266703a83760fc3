import assert from "node:assert/strict"
import { join } from "node:path"
import test from "node:test"
import { runNode } from "../../tools/check/run.ts"
import { ROOT } from "./fixture.ts"

test("[RP60] npm run fleet kills a node and loses nothing", async () => {
  const outcome = await runNode(["--conditions=shipped", join(ROOT, "build/examples/fleet/main.js")], { cwd: ROOT })
  assert.equal(outcome.code, 0, outcome.stdout + outcome.stderr)
  assert.match(outcome.stdout, /kill -9 node-2[^]*60 results for 60 tasks, 0 lost[^]*drained and ended/)
  assert.equal(outcome.stderr, "")
})
