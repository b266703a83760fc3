import assert from "node:assert/strict"
import { build } from "esbuild"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import test, { type TestContext } from "node:test"
import { runNode } from "../../tools/check/run.ts"
import { repository, ROOT } from "./fixture.ts"

/** A folder outside of the repository that has corepool installed, and nothing else. */
function consumer(t: TestContext, files: Readonly<Record<string, string>>): string {
  const root = repository(t, { "package.json": `{ "type": "module" }`, ...files })
  const installed = join(root, "node_modules/corepool")
  mkdirSync(installed, { recursive: true })
  cpSync(join(ROOT, "package.json"), join(installed, "package.json"))
  cpSync(join(ROOT, "dist"), join(installed, "dist"), { recursive: true })
  return root
}

const FORMS = ["esm", "cjs"] as const

test("[RP57] a program is bundled where no peer is installed, without a warning, and runs", async (t) => {
  const root = consumer(t, {
    "main.js": `
      import * as distributed from "corepool/distributed"
      const engine = distributed.postgres("postgres://me:secret@127.0.0.1:1/none")
      distributed.migrate(engine).catch((error) => console.log(error.name, error.message))
    `,
  })
  for (const format of FORMS) {
    const outfile = join(root, `${format}/out.${format === "esm" ? "mjs" : "cjs"}`)
    const { warnings, metafile } = await build({
      absWorkingDir: root,
      entryPoints: ["main.js"],
      outfile,
      bundle: true,
      platform: "node",
      format,
      metafile: true,
      logLevel: "silent",
    })
    assert.deepEqual(warnings, [])
    const asked = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    assert.deepEqual(
      asked.filter((path) => !path.startsWith("node:")),
      [],
    )
    const { stdout, stderr } = await runNode([outfile], { cwd: root })
    assert.match(
      stdout,
      /^UnsupportedOperationError postgres\(\) needs the package (bullmq|pg): `npm install (bullmq|pg)@/,
    )
    assert.equal(stderr, "")
  }
})

test("[RP57] what is handed over is used, whether its members or its default export have the class; else it is refused", async (t) => {
  const root = consumer(t, {
    "main.js": `
      import { usePeers } from "corepool/distributed"
      usePeers({ bullmq: { PostgresQueueBackend: class {} }, pg: { default: { Client: class {} } } })
      try {
        usePeers({ ioredis: {} })
      } catch (error) {
        console.log(error.message)
      }
    `,
  })
  const { stdout } = await runNode(["main.js"], { cwd: root })
  assert.match(stdout, /^Expected `ioredis` to be the package ioredis, with its class Redis, got /)
})
