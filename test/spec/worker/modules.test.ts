/** The modules of tasks: which of them a thread can load, and what becomes of a task whose module it cannot. */
import { Executors, IllegalStateError, platformThreads, TaskNotPortableError, tasksOf } from "corepool"
import assert from "node:assert/strict"
import { symlinkSync } from "node:fs"
import path, { join } from "node:path"
import test from "node:test"
import { pathToFileURL } from "node:url"
import { rejectionOf } from "../../support/harness.ts"
import { Folder, PlatformPool, Running, tasks } from "./support.ts"

interface Anything {
  readonly [name: string]: (...args: never[]) => unknown
  f(...args: unknown[]): unknown
}

/** Each is loaded by the same thread, which goes on. */
async function failureOf(own: PlatformPool, module: string | URL, name = "f"): Promise<Error & { cause?: unknown }> {
  const error = await rejectionOf(own.pool.submit(tasksOf<Anything>(module)[name] as () => unknown))
  assert.ok(error instanceof TaskNotPortableError, String(error))
  assert.equal(await own.pool.submit(tasks.add, 1, 2), 3)
  assert.equal(own.threads.length, 1)
  return error
}

test("[WK30] a module that cannot be loaded fails the task with the reason as its cause", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  const modules: [string, RegExp, string | undefined][] = [
    ["throw new RangeError('at load')", /at load/, "RangeError"],
    ["export const f = (", /./, undefined],
    ["import './missing.mjs'; export const f = () => 1", /missing\.mjs/, undefined],
    ["await Promise.reject(new TypeError('late')); export const f = () => 1", /late/, "TypeError"],
  ]
  for (const [index, [source, message, cause]] of modules.entries()) {
    const error = await failureOf(own, pathToFileURL(folder.write(`${index}.mjs`, source)))
    assert.match(error.message, /^The module of task `f` could not be loaded: file:/)
    assert.match(error.message, message)
    // What a compiler finds is an error of its own kind on some runtimes, and what a loader does not find too.
    if (cause !== undefined) assert.equal((error.cause as Error).constructor.name, cause)
    assert.ok(error.cause instanceof Error)
  }
})

test("[TK19] a syntax error, a missing export and an error while it is loaded are told with file and line", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  const broken = `import { join } from "node:path"
import {
  sep,
} from "node:path"
export { join, sep }
export default class {}
export const url = import.meta.url
await null
export function f(a) {
  return a +
}
`
  folder.write("broken.mjs", broken)
  folder.write("twice.mjs", "let a = 1\nexport function f() {\n  let b = 1\n  let b = 2\n}\n")
  folder.write("between.mjs", 'export * from "./twice.mjs"\n')
  const modules: [string, RegExp][] = [
    [folder.write("a.mjs", broken), /a\.mjs:11\b/],
    [folder.write("b.mjs", 'import "./broken.mjs"\nexport const f = () => 1\n'), /broken\.mjs:11\b/],
    [folder.write("c.mjs", 'import "./between.mjs"\nexport const f = () => 1\n'), /twice\.mjs:4\b/],
    [folder.write("e.mjs", "export const f = () => 1\n\nthrow new RangeError('at load')\n"), /e\.mjs:3\b/],
  ]
  for (const [file, place] of modules) {
    const error = await failureOf(own, pathToFileURL(file))
    assert.match(error.message, place)
  }
  const missing = folder.write("d.mjs", '\nimport { nothing } from "./between.mjs"\nexport const f = () => nothing\n')
  folder.write("between.mjs", "export {}\n")
  assert.match((await failureOf(own, pathToFileURL(missing))).message, /d\.mjs/)
})

test("[TK19] so is a module that is to be preloaded", async () => {
  using folder = new Folder()
  const module = pathToFileURL(folder.write("early.mjs", "\nlet a = ;\n"))
  await using pool = Executors.newFixedThreadPool(1, platformThreads({ preload: [module] }))
  const error = await rejectionOf(pool.submit(() => 1))
  assert.ok(error instanceof IllegalStateError)
  assert.match(error.message, /early\.mjs:2\b/)
})

test("[WK30] so does one that does not exist, has a scheme that nobody knows, or throws something odd", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  const missing = await failureOf(own, pathToFileURL(join(folder.path, "none.mjs")))
  assert.match(missing.message, /none\.mjs/)
  await failureOf(own, "gopher://example.org/f.js")
  await failureOf(own, "data:application/json,{}")
  assert.equal((await failureOf(own, "data:text/javascript,throw null")).cause, null)
})

test("[WK31] a name that the module does not export, or that is no function, is refused with what there is", async () => {
  await using own = new PlatformPool()
  const module = "data:text/javascript,export const f = 1; export function g() {}; export function h() {}"
  assert.match((await failureOf(own, module)).message, /exports no function `f`; it exports `g`, `h`\./)
  assert.match((await failureOf(own, module, "none")).message, /exports no function `none`; it exports `g`, `h`\./)
  assert.match((await failureOf(own, "data:text/javascript,")).message, /it exports no functions\./)
})

test("[WK32] data: URLs, modules with top-level await, and CommonJS modules are as good as others", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  const url = (name: string, text: string): URL => pathToFileURL(folder.write(name, text))
  const named = url("named.cjs", "exports.f = (n) => n + 1")
  const whole = url("whole.cjs", "module.exports = Object.fromEntries([['f', (n) => n + 1]])")
  const waiting = url("waiting.mjs", "const one = await Promise.resolve(1); export const f = (n) => n + one")
  for (const module of [named, whole, waiting, "data:text/javascript,export const f = (n) => n + 1"]) {
    assert.equal(await own.pool.submit(tasksOf<Anything>(module).f, 6), 7)
  }
})

test("[WK32] a module is loaded once, whatever its tasks are", async () => {
  await using own = new PlatformPool()
  const module = "data:text/javascript,let n = 0; export const f = () => ++n; export const g = () => ++n"
  const { f, g } = tasksOf<Record<"f" | "g", () => number>>(module)
  assert.deepEqual([await own.pool.submit(f), await own.pool.submit(g), await own.pool.submit(f)], [1, 2, 3])
})

/** A program that has a task in the module with which it starts. */
const ENTRY = `
  import { Executors, task } from "corepool"
  export const f = task(import.meta.url, function f() { return 1 })
  const pool = Executors.newFixedThreadPool(1)
  try {
    await pool.submit(f)
    console.log("ran")
  } catch (error) {
    console.log(error.name, /Move the task to a module of its own/.test(error.message))
  }
`
const REFUSED = ["TaskNotPortableError true"]

test("[WK36] a function that was sent as source can import", async () => {
  await using own = new PlatformPool()
  const sep = await own.pool.submit(async () => (await import("node:path")).sep)
  assert.equal(sep, path.sep)
  const made = await own.pool.submit(async () => {
    // oxlint-disable-next-line typescript/no-implied-eval -- so can one that it makes from a text
    const load = new Function("return import('node:path')") as () => Promise<typeof path>
    return (await load()).sep
  })
  assert.equal(made, path.sep)
})

test("[WK34] a task of the module with which the program starts is refused, however that is called", async () => {
  using folder = new Folder()
  symlinkSync(folder.write("entry.mjs", ENTRY), join(folder.path, "link.mjs"))
  for (const name of ["entry.mjs", "link.mjs"]) {
    await using program = folder.start(name)
    assert.deepEqual(await program.lines(), REFUSED, name)
  }
})

test("[WK34] also by less than its name", async () => {
  using folder = new Folder()
  folder.write("app/index.js", ENTRY)
  folder.write("short.js", ENTRY)
  for (const name of ["app", "short"]) {
    await using program = folder.start(name)
    assert.deepEqual(await program.lines(), REFUSED, name)
  }
})

/** How to run a program that is typed in. */
const TYPED = "deno" in process.versions ? ["eval"] : ["--input-type=module", "-e"]

test("[WK34] so is one of a program that is no module, but was typed in", async () => {
  using folder = new Folder()
  const other = folder.write("other.mjs", "export const f = () => 2")
  await using program = new Running([...TYPED, ENTRY, other], folder.path)
  assert.deepEqual(await program.lines(), REFUSED)
})

test("[WK34] a module that is an argument of such a program is not the one with which it starts", async () => {
  using folder = new Folder()
  const other = folder.write("other.mjs", "export const f = () => 2")
  const source = `
    import { Executors, tasksOf } from "corepool"
    import { pathToFileURL } from "node:url"
    const pool = Executors.newFixedThreadPool(1)
    console.log(await pool.submit(tasksOf(pathToFileURL(process.argv.at(-1))).f))
  `
  await using program = new Running([...TYPED, source, other], folder.path)
  assert.deepEqual(await program.lines(), ["2"])
})

test("[WK34] in a worker thread of the program, that is both its own module and the program's", async () => {
  using folder = new Folder()
  folder.write(
    "worker.mjs",
    `${ENTRY}
    const { f: other } = (await import("corepool")).tasksOf(new URL("./entry.mjs", import.meta.url))
    try {
      await pool.submit(other)
    } catch (error) {
      console.log(error.name)
    }
  `,
  )
  await using program = folder.start(
    "entry.mjs",
    `
    import "corepool"
    import { Worker } from "node:worker_threads"
    export const f = () => 1
    new Worker(new URL("./worker.mjs", import.meta.url))
  `,
  )
  assert.deepEqual(await program.lines(), [...REFUSED, "TaskNotPortableError"])
})

test("[WK34] in a file of tests that is run by node --test, that is the file", async () => {
  using folder = new Folder()
  const file = folder.write("some.test.mjs", ENTRY)
  await using program = new Running(["--test", "--test-reporter=tap", file], folder.path)
  await program.ended()
  assert.match(program.stdout, /TaskNotPortableError true/)
})
