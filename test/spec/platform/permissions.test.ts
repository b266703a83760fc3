/** Programs that may do little more than start threads. Rules: docs/spec/platform.md. */
import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { runFile } from "../../support/child.ts"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

/** How the runtime is told to run a file that may read files and start threads, and nothing else. */
function restrictions(): string[] {
  const { versions } = process
  if (versions["deno"] !== undefined) return ["run", "--no-prompt", "--no-lock", "--allow-read"]
  if (versions["bun"] !== undefined) return [] // which restricts nothing
  const flag = process.allowedNodeEnvironmentFlags.has("--permission") ? "--permission" : "--experimental-permission"
  return [flag, "--no-warnings", "--allow-worker", "--allow-fs-read=*"]
}

test("[PL45] a program that may only read files and start threads can end a task that does not stop", async () => {
  const folder = mkdtempSync(join(HOME, "build/program-"))
  const file = join(folder, "program.mjs")
  writeFileSync(
    file,
    `import { Executors, platformThreads } from "corepool"
     const pool = Executors.newFixedThreadPool(1, platformThreads({ terminateAfter: 0 }))
     const begun = new Int32Array(new SharedArrayBuffer(4))
     const endless = pool.submit((words) => { Atomics.store(words, 0, 1); for (;;); }, begun)
     while (Atomics.load(begun, 0) === 0) await Promise.race([endless.get(), new Promise(setImmediate)]) // or its error
     endless.cancel(true)
     console.log(await pool.submit((a) => { console.error("printed by a task"); return a + 1 }, 41))
     await pool.close()
     console.log("closed")
     process.exit(0)`,
  )
  try {
    const { code, stdout, stderr } = await runFile(...restrictions(), file)
    assert.equal(stderr.trim(), "printed by a task")
    assert.equal(stdout, "42\nclosed\n")
    assert.equal(code, 0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
