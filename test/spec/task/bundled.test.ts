/** Tasks in files that a bundler has made, and in CommonJS. */
import assert from "node:assert/strict"
import test from "node:test"
import { build, type BuildOptions } from "esbuild"
import { Folder } from "../worker/support.ts"

/** Two recursive functions, each the only name in its scope: a minifier gives both the same letter. */
const RECURSIVE = (name: (exported: string) => string): string => `
  import { task } from "corepool"
  export const factorial = task(import.meta.url, function factorial(n) { return n < 2 ? 1 : n * factorial(n - 1) }${name("factorial")})
  export const fib = task(import.meta.url, function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }${name("fib")})`

/** Bundles a module of tasks and the program that runs them, which share what they have in common; what the program prints. */
async function run(tasks: string, calls: string, options: BuildOptions): Promise<string[]> {
  using folder = new Folder()
  folder.write("tasks.js", tasks)
  folder.write(
    "program.js",
    `import { Executors, ForkJoinPool } from "corepool"
     let tasks
     try {
       tasks = await import("./tasks.js")
     } catch ({ name, message }) {
       console.log(name, message.replace(/^\\S*\\//, ""))
     }
     if (tasks !== undefined) {
       const { factorial, fib, Sum } = tasks
       const pool = Executors.newFixedThreadPool(2)
       const forkJoin = new ForkJoinPool({ parallelism: 2 })
       ${calls}
       await pool.close()
       await forkJoin.close()
     }`,
  )
  await build({
    absWorkingDir: folder.path,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    entryPoints: ["tasks.js", "program.js"],
    outdir: "out",
    outExtension: { ".js": ".mjs" },
    external: ["corepool"],
    ...options,
  })
  await using running = folder.start("out/program.mjs")
  return await running.lines()
}

const BOTH = `
  console.log(await pool.submit(factorial, 10), await pool.submit(fib, 10))
  console.log(await forkJoin.submit(factorial, 10), await forkJoin.submit(fib, 10))`

const RIGHT = ["3628800 55", "3628800 55"]

test("[TK14] two recursive tasks that a minifier has given one name are refused", async () => {
  const said = await run(
    RECURSIVE(() => ""),
    BOTH,
    { minify: true },
  )
  assert.equal(said.length, 1)
  assert.match(
    said[0] as string,
    /^IllegalStateError \S+ defines two tasks as `(\w+)`: «function \1\(.*» and «function \1\(.*»/,
  )
})

test("[TK13] a minifier does no harm to tasks with a third argument", async () => {
  const named = RECURSIVE((name) => `, "${name}"`)
  assert.deepEqual(await run(named, BOTH, { minify: true }), RIGHT)
})

test("[TK1] tasks are found in a bundle that keeps names, or does not touch them", async () => {
  const plain = RECURSIVE(() => "")
  assert.deepEqual(await run(plain, BOTH, { minify: true, keepNames: true }), RIGHT)
  assert.deepEqual(await run(plain, BOTH, { minifySyntax: true, minifyWhitespace: true }), RIGHT)
  assert.deepEqual(await run(plain, BOTH, {}), RIGHT)
})

test("[TK13] a class of tasks and arrow functions are found in a minified bundle by the third argument", async () => {
  const said = await run(
    `import { RecursiveTask, task } from "corepool"
     export const fib = task(import.meta.url, (n) => n < 2 ? n : fib(n - 1) + fib(n - 2), "fib")
     export class Sum extends RecursiveTask {
       static { task(import.meta.url, this, "Sum") }
       constructor(from, to) { super(); this.from = from; this.to = to }
       compute() {
         if (this.to - this.from < 2) return this.from
         const middle = (this.from + this.to) >> 1
         const left = new Sum(this.from, middle).fork()
         return new Sum(middle, this.to).compute() + left.join()
       }
     }`,
    `console.log(await pool.submit(fib, 10), await forkJoin.invoke(new Sum(0, 100)))`,
    { minify: true },
  )
  assert.deepEqual(said, ["55 4950"])
})

test("[TK14] tasks of one name from two modules of a bundle are refused", async () => {
  using folder = new Folder()
  for (const name of ["a", "b"]) {
    folder.write(
      `${name}.js`,
      `import { task } from "corepool"
       export const ${name} = task(import.meta.url, function run() { return "${name}" })`,
    )
  }
  folder.write("tasks.js", `export * from "./a.js"; export * from "./b.js"`)
  folder.write("program.js", `import("./out/tasks.mjs").catch(({ name }) => console.log(name))`)
  await build({
    absWorkingDir: folder.path,
    bundle: true,
    platform: "node",
    format: "esm",
    entryPoints: ["tasks.js"],
    outfile: "out/tasks.mjs",
    external: ["corepool"],
    keepNames: true,
  })
  await using running = folder.start("program.js")
  assert.deepEqual(await running.lines(), ["IllegalStateError"])
})

test("[TK18] a CommonJS module names itself by its path", async () => {
  using folder = new Folder()
  folder.write(
    "tasks.cjs",
    `const { task } = require("./corepool.cjs")
     exports.double = task(__filename, function double(n) { return 2 * n })
     exports.triple = task(__filename, (n) => 3 * n, "triple")
     const hidden = task(__filename, function hidden(n) { return -n })
     exports.all = () => ({ ...exports, hidden })`,
  )
  await build({
    absWorkingDir: folder.path,
    stdin: { contents: `export * from "corepool"`, resolveDir: folder.path },
    bundle: true,
    platform: "node",
    format: "cjs",
    conditions: ["shipped"],
    outfile: "corepool.cjs",
    define: { "import.meta.url": "'file:///bundled.cjs'" },
  })
  await using running = folder.start(
    "program.cjs",
    `const { Executors, tasksOf } = require("./corepool.cjs")
     const { double, triple, hidden } = require("./tasks.cjs").all()
     const pool = Executors.newFixedThreadPool(1)
     const again = tasksOf(require.resolve("./tasks.cjs"))
     Promise.all([pool.submit(double, 4), pool.submit(triple, 4), pool.submit(hidden, 4), pool.submit(again.double, 5)])
       .then((all) => console.log(...all))
       .finally(() => pool.close())`,
  )
  assert.deepEqual(await running.lines(), ["8 12 -4 10"])
})
