/** Where the calendar comes from. Ids such as [CR13] refer to docs/spec/cron.md. */
import { build, type BuildOptions } from "esbuild"
import assert from "node:assert/strict"
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import test from "node:test"
import { fileURLToPath } from "node:url"
import { Folder, Running } from "../worker/support.ts"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

/** A folder with nothing around it in which a package could be found. */
class Nowhere implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "corepool-nowhere-"))

  /** Puts corepool there, as it is published. */
  install(): void {
    writeFileSync(join(this.path, "package.json"), "{}") // Deno looks for packages only beside one
    const filter = (path: string): boolean => !/\.(?:map|d\.ts|tsbuildinfo)$/.test(path)
    for (const part of ["package.json", "dist"]) {
      cpSync(join(HOME, part), join(this.path, "node_modules/corepool", part), { recursive: true, filter })
    }
  }

  async run(name: string, source?: string): Promise<string> {
    const path = join(this.path, name)
    if (source !== undefined) writeFileSync(path, source)
    await using running = new Running([path], this.path)
    return (await running.lines()).join("\n")
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true })
  }
}

const PROGRAM = `
  import { ScheduledThreadPoolExecutor, useCroner, virtualThreads } from "corepool"
  import { ManualClock } from "corepool/testing"
  const clock = new ManualClock({ startAt: new Date("2026-03-28T12:00:00Z") })
  const pool = new ScheduledThreadPoolExecutor({ corePoolSize: 1, threadFactory: virtualThreads(), clock })
  const next = () => pool.scheduleCron(() => 1, "30 2 * * *", { timezone: "Europe/Berlin" }).nextRunAt.toISOString()
`
const NEXT = "2026-03-29T01:00:00.000Z"

test("[CR13] without croner scheduleCron says what to install, and all else works", async () => {
  using nowhere = new Nowhere()
  nowhere.install()
  const said = await nowhere.run(
    "program.mjs",
    `${PROGRAM}
     try {
       next()
     } catch (error) {
       console.log(error.code, error.message, error.cause instanceof Error)
     }
     const future = pool.schedule(() => "ran", 10)
     await clock.advance(10)
     console.log(await future)
    `,
  )
  assert.match(
    said,
    /^ERR_COREPOOL_UNSUPPORTED_OPERATION scheduleCron\(\) needs the package croner.*`npm install croner@~11\.0`.*useCroner.* true\nran$/,
  )
})

test("[CR14] it can be handed over where it cannot be found", async () => {
  using nowhere = new Nowhere()
  nowhere.install()
  const said = await nowhere.run(
    "program.mjs",
    `${PROGRAM}
     useCroner(await import(${JSON.stringify(import.meta.resolve("croner"))}))
     console.log(next())`,
  )
  assert.equal(said, NEXT)
})

const FORMATS: readonly [string, string, BuildOptions][] = [
  ["an ES module", "program.mjs", { format: "esm" }],
  ["a CommonJS module", "program.cjs", { format: "cjs" }],
]

for (const [what, file, options] of FORMATS) {
  test(`[CR14] from a bundle, it is found beside the program: ${what}`, async () => {
    using folder = new Folder()
    folder.write("source.js", `${PROGRAM}\nconsole.log(next())`)
    await bundle(folder, file, options)
    await using running = folder.start(`out/${file}`)
    assert.deepEqual(await running.lines(), [NEXT])
  })

  test(`[CR14] and if it is in the bundle, it is handed over: ${what}`, async () => {
    using folder = new Folder()
    using nowhere = new Nowhere()
    folder.write("source.js", `${PROGRAM}\nimport * as croner from "croner"\nuseCroner(croner)\nconsole.log(next())`)
    await bundle(folder, file, options)
    cpSync(join(folder.path, "out", file), join(nowhere.path, file))
    assert.equal(await nowhere.run(file), NEXT)
  })
}

/** Bundles `source.js`, as a user would. */
async function bundle(folder: Folder, file: string, options: BuildOptions): Promise<void> {
  await build({
    absWorkingDir: folder.path,
    entryPoints: ["source.js"],
    outfile: `out/${file}`,
    bundle: true,
    platform: "node",
    conditions: ["shipped"],
    logLevel: "silent",
    ...options,
  })
}
