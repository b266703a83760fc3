/** How threads are started, wherever corepool has got to. */
import { build, type BuildOptions } from "esbuild"
import { ThreadDeathError } from "corepool"
import { VERSION } from "#src/per-thread.js"
import { requireOrders } from "#src/platform/start/worker-orders.js"
import assert from "node:assert/strict"
import { cpSync, readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import test from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import { Worker } from "node:worker_threads"
import { bundle as bundleAll } from "../../../tools/bundle/main.ts"
import { rejectionOf } from "../../support/harness.ts"
import { Folder, PlatformPool, tasks } from "./support.ts"

const HOME = fileURLToPath(new URL("../../../..", import.meta.url))

/** Bundles a file of the folder, as a user would. */
async function bundle(folder: Folder, from: string, to: string, options: BuildOptions = {}): Promise<void> {
  await build({
    absWorkingDir: folder.path,
    entryPoints: [from],
    outfile: to,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    conditions: ["shipped"],
    ...options,
  })
}

const PROGRAM = `
  import { Executors, platformThreads, Thread, TimeoutError } from "corepool"
  export async function main(settings) {
    const pool = Executors.newFixedThreadPool(2, platformThreads(settings))
    console.log(await pool.submit((a, b) => a + b, 1, 2), pool.submit((n) => n * n, 3).getSync())
    await pool.close()
  }
`
const PRINTS = ["3 9"]

test("[WK1] from the files of the package, in a folder with spaces and letters beyond ASCII", async () => {
  using folder = new Folder()
  const home = "ein Ordner/für 線程 & 100%/node_modules/corepool"
  for (const part of ["package.json", "dist"]) {
    cpSync(join(HOME, part), join(folder.path, home, part), {
      recursive: true,
      filter: (path) => !/\.(?:map|d\.ts|tsbuildinfo)$/.test(path),
    })
  }
  const place = join(home, "../..")
  folder.write(join(place, "package.json"), "{}") // otherwise "corepool" is what is around
  folder.write(join(place, "tasks.mjs"), `export const where = () => process.argv[1]`)
  folder.write(join(place, "node_modules/neighbour/package.json"), `{ "name": "neighbour", "main": "main.js" }`)
  folder.write(join(place, "node_modules/neighbour/main.js"), `exports.greeting = "hello"`)
  await using running = folder.start(
    join(place, "program.mjs"),
    `${PROGRAM}
     await main()
     const { tasksOf } = await import("corepool")
     const pool = Executors.newFixedThreadPool(1)
     console.log(await pool.submit(tasksOf(new URL("./tasks.mjs", import.meta.url)).where))
     console.log(await pool.submit(async () => (await import("neighbour")).default.greeting))`,
  )
  const [sum, where, greeting] = await running.lines()
  assert.equal(greeting, "hello")
  assert.deepEqual([sum], PRINTS)
  assert.equal(where, join(folder.path, home, "dist/corepool-thread.cjs").replaceAll("/", sep))
})

const FORMATS: readonly [string, string, BuildOptions][] = [
  ["an ES module", "program.mjs", { format: "esm" }],
  ["a CommonJS module", "program.cjs", { format: "cjs" }],
  ["an ES module, minified", "program.mjs", { format: "esm", minify: true }],
  ["a CommonJS module, minified with names", "program.cjs", { format: "cjs", minify: true, keepNames: true }],
]

for (const [what, file, options] of FORMATS) {
  test(`[WK2] from a bundle without any settings: ${what}`, async () => {
    using folder = new Folder()
    folder.write("source.js", `${PROGRAM}\nvoid main()`)
    await bundle(folder, "source.js", `out/${file}`, options)
    // The name alone must not be enough for a file that is not ours.
    folder.write("out/worker-entry.js", "throw new Error('not this one')")
    await using running = folder.start(`out/${file}`)
    assert.deepEqual(await running.lines(), PRINTS)
  })
}

test("[WK113] a bundle where no function may be made of text", async () => {
  using folder = new Folder()
  folder.write("tasks.js", "export const double = (n) => 2 * n")
  folder.write(
    "source.js",
    `import { Executors, tasksOf } from "corepool"
     const pool = Executors.newFixedThreadPool(1)
     const { double } = tasksOf(new URL("./tasks.mjs", import.meta.url))
     pool.submit(double, 4).then((result) => (console.log(result), pool.close()))`,
  )
  await bundle(folder, "source.js", "out/program.mjs")
  await bundle(folder, "tasks.js", "out/tasks.mjs")
  await using running = folder.start("out/program.mjs", undefined, ["--disallow-code-generation-from-strings"])
  assert.deepEqual(await running.lines(), ["8"])
})

test("[WK2] a thread that was started from text can start others", async () => {
  using folder = new Folder()
  folder.write("tasks.js", PROGRAM)
  folder.write(
    "source.js",
    `import { Executors, tasksOf } from "corepool"
     const pool = Executors.newFixedThreadPool(1)
     pool.submit(tasksOf(new URL("./tasks.mjs", import.meta.url)).main).then(() => console.log("done"))`,
  )
  await bundle(folder, "source.js", "out/program.mjs")
  await bundle(folder, "tasks.js", "out/tasks.mjs")
  await using running = folder.start("out/program.mjs")
  assert.deepEqual(await running.lines(), [...PRINTS, "done"])
})

test("[WK3] from a bundle of corepool/worker, by a factory", async () => {
  using folder = new Folder()
  folder.write("worker.js", `import "corepool/worker"`)
  folder.write(
    "source.js",
    `${PROGRAM}
     import { Worker } from "node:worker_threads"
     let made = 0
     void main({
       env: { SECRET: "x" },
       workerFactory: (options) => {
         made++
         return new Worker(new URL("./corepool-worker.mjs", import.meta.url), { ...options, trackUnmanagedFds: true })
       },
     }).then(() => console.log(made))`,
  )
  await bundle(folder, "worker.js", "out/corepool-worker.mjs")
  await bundle(folder, "source.js", "out/program.mjs")
  await using running = folder.start("out/program.mjs")
  assert.deepEqual(await running.lines(), [...PRINTS, "2"])
})

for (const minify of [false, true]) {
  test(`[WK35] tasks of entry points of a bundle that is split, minified: ${minify}`, async () => {
    using folder = new Folder()
    folder.write(
      "tasks.js",
      `import { task, Thread } from "corepool"
       export const name = task(import.meta.url, function name() { return Thread.currentThread().name })`,
    )
    folder.write(
      "program.js",
      `import { Executors, platformThreads } from "corepool"
       import { name } from "./tasks.js"
       const pool = Executors.newFixedThreadPool(1, platformThreads({ name: () => "split" }))
       console.log(await pool.submit(name))
       await pool.close()`,
    )
    await build({
      absWorkingDir: folder.path,
      entryPoints: ["program.js", "tasks.js"],
      outdir: "out",
      bundle: true,
      platform: "node",
      format: "esm",
      outExtension: { ".js": ".mjs" },
      splitting: true,
      conditions: ["shipped"],
      minify,
      keepNames: minify,
    })
    await using running = folder.start("out/program.mjs")
    assert.deepEqual(await running.lines(), ["split"])
  })
}

const ENTRY = new URL(import.meta.resolve("corepool/worker"))

test("[WK3] the factory is given all that a Worker needs", async () => {
  const given: unknown[] = []
  await using own = new PlatformPool({
    name: () => "by factory",
    env: { A: "b" },
    execArgv: ["--no-warnings"],
    resourceLimits: { stackSizeMb: 3 },
    workerFactory: (options) => {
      const { workerData: _data, transferList: _ports, ...others } = options
      given.push(others)
      return new Worker(ENTRY, options)
    },
  })
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
  // As plain data: they have no prototype, lest something on it be taken for a setting.
  assert.deepEqual(JSON.parse(JSON.stringify(given)), [
    { name: "by factory", env: { A: "b" }, execArgv: ["--no-warnings"], resourceLimits: { stackSizeMb: 3 } },
  ])
})

test("[WK4] what a factory makes must be a Worker; what it throws passes through; the pool is as before", async () => {
  const odd: unknown[] = [undefined, {}, new EventTarget(), Promise.resolve()]
  let broken = true
  await using own = new PlatformPool({
    workerFactory: (options) => {
      if (odd.length > 0) return odd.shift() as Worker
      if (broken) throw new RangeError("not today")
      return new Worker(ENTRY, options)
    },
  })
  for (const _ of [...odd]) {
    assert.throws(() => own.pool.submit(tasks.add, 1, 2), {
      name: "TypeError",
      message: /^Expected `workerFactory\(\)` to be a Worker of node:worker_threads, got /,
    })
  }
  assert.throws(() => own.pool.submit(tasks.add, 1, 2), { name: "RangeError", message: "not today" })
  assert.deepEqual([own.pool.poolSize, own.pool.queue.size], [0, 0])
  broken = false
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
})

test("[WK5] a thread that was not given its orders, or those of another version, says so", async () => {
  await using own = new PlatformPool({ workerFactory: () => new Worker(ENTRY) })
  const error = await rejectionOf(own.pool.submit(tasks.add, 1, 2))
  assert.ok(error instanceof ThreadDeathError)
  assert.match(error.message, /A `workerFactory` must pass on the options that it is given/)
  assert.throws(
    () => requireOrders({ pool: {}, version: "0.0.1" }),
    /the pool of corepool 0\.0\.1\. Bundle corepool\/worker anew/,
  )
})

test("[WK6] threads that cannot begin cost a task each, and are not made for ever", async () => {
  let made = 0
  await using own = new PlatformPool({
    workerFactory: () => {
      made++
      return new Worker("process.exit(1)", { eval: true })
    },
  })
  const futures = [1, 2, 3].map((n) => own.pool.submit(tasks.add, n, n))
  for (const future of futures) assert.ok((await rejectionOf(future)) instanceof ThreadDeathError)
  assert.ok((await rejectionOf(own.pool.submit(tasks.add, 1, 2))) instanceof ThreadDeathError)
  assert.equal(made, 4)
  assert.equal(own.pool.poolSize, 0)
})

test("[WK7] loaded by a program itself, corepool/worker does nothing", async () => {
  using folder = new Folder()
  await using running = folder.start("program.mjs", `console.log(Object.keys(await import("corepool/worker")).length)`)
  assert.deepEqual(await running.lines(), ["0"])
})

test("[WK8] the published files are what becomes of the sources, the same each time, and the version is the package's", async () => {
  const files = await bundleAll(HOME)
  assert.deepEqual(files, await bundleAll(HOME))
  for (const [name, text] of files) {
    assert.ok(readFileSync(join(HOME, "dist", name), "utf8") === text, `dist/${name} is old: npm run build`)
  }
  const published = readdirSync(join(HOME, "dist"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(HOME, "dist"), join(entry.parentPath, entry.name)))
  assert.deepEqual(published.toSorted(), [...files.keys()].toSorted())
  const { version } = JSON.parse(readFileSync(join(HOME, "package.json"), "utf8")) as { version: string }
  assert.equal(VERSION, version)
})

test("[WK8] nothing in them depends on where they were made", async () => {
  for (const [name, text] of await bundleAll(HOME)) {
    for (const trace of [HOME, pathToFileURL(HOME).href, "sourceMappingURL"]) {
      assert.ok(!text.includes(trace), `${name}: ${trace}`)
    }
  }
})
