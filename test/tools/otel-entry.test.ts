import assert from "node:assert/strict"
import { build } from "esbuild"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import test, { type TestContext } from "node:test"
import { runNode } from "../../tools/check/run.ts"
import { repository, ROOT } from "./fixture.ts"

/** A folder outside of the repository that has corepool installed, and nothing else. */
function consumer(t: TestContext, main: string): string {
  const root = repository(t, { "package.json": `{ "type": "module" }`, "main.js": main })
  const installed = join(root, "node_modules/corepool")
  mkdirSync(installed, { recursive: true })
  cpSync(join(ROOT, "package.json"), join(installed, "package.json"))
  cpSync(join(ROOT, "dist"), join(installed, "dist"), { recursive: true })
  return root
}

test("[OT6] without @opentelemetry/api the entry loads, and instrument() says what to install", async (t) => {
  const root = consumer(
    t,
    `
      import { instrument } from "corepool/otel"
      try {
        instrument()
      } catch (error) {
        console.log(error.name, error.code, error.message)
      }
    `,
  )
  const { stdout, stderr } = await runNode(["main.js"], { cwd: root })
  assert.equal(stderr, "")
  assert.match(
    stdout,
    /^UnsupportedOperationError ERR_COREPOOL_\w+ instrument\(\) needs the package @opentelemetry\/api: `npm install @opentelemetry\/api@\^1\.9`\..*`instrument\(\{ api: await import\("@opentelemetry\/api"\) \}\)`/,
  )
})

test("[OT6] a program with the package inside is bundled into one file, and hands it over", async (t) => {
  const root = consumer(
    t,
    `
      import * as api from "@opentelemetry/api"
      import { instrument } from "corepool/otel"
      const meters = []
      api.metrics.setGlobalMeterProvider({ getMeter: (name) => (meters.push(name), api.createNoopMeter()) })
      instrument({ api })[Symbol.dispose]()
      instrument({ api: { default: api } })[Symbol.dispose]()
      console.log(meters.join())
    `,
  )
  const outfile = join(root, "alone/out.mjs")
  const { warnings } = await build({
    absWorkingDir: root,
    entryPoints: ["main.js"],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    nodePaths: [join(ROOT, "node_modules")],
    logLevel: "silent",
  })
  assert.deepEqual(warnings, [])
  const { stdout, stderr } = await runNode([outfile], { cwd: join(root, "alone") })
  assert.equal(stderr, "")
  assert.equal(stdout, "corepool,corepool\n")
})
