/** Modules of tasks that are written in TypeScript, whatever runs the program. */
import { TaskNotPortableError, tasksOf } from "corepool"
import { importsIn, tsxIn } from "#host/code/typescript"
import { typeScriptHooks } from "#host/code/typescript-hooks"
import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import test from "node:test"
import { pathToFileURL } from "node:url"
import { runInThisContext } from "node:vm"
import { Folder, PlatformPool, Running } from "./support.ts"

const isNode = !("bun" in process.versions || "deno" in process.versions)

/** Whether this runtime removes types by itself. */
const REMOVES_TYPES = !isNode || "typescript" in process.features

test("[WK33] a module in TypeScript is loaded, by the runtime or by a compiler that is installed", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  for (const name of ["plain.mts", "plain.ts"]) {
    const module = pathToFileURL(folder.write(name, "export function f(n: number): number { return n + 1 }"))
    assert.equal(await own.pool.submit(tasksOf<{ f(n: number): number }>(module).f, 6), 7)
  }
})

const OWN_LOADER = !isNode && "this runtime loads TypeScript by itself, in its own way"
const BY_ITSELF = REMOVES_TYPES && "this runtime needs no compiler"

test("[WK33] without a compiler, the error says what to do", { skip: BY_ITSELF }, async () => {
  const path = mkdtempSync(join(tmpdir(), "corepool-typescript-")) // nothing is installed there
  try {
    const module = join(path, "task.mts")
    writeFileSync(module, "export function f(n: number): number { return n + 1 }")
    const program = `
      import { Executors, tasksOf } from ${JSON.stringify(import.meta.resolve("corepool"))}
      const pool = Executors.newFixedThreadPool(1)
      await pool.submit(tasksOf(${JSON.stringify(module)}).f, 6).get().catch(({ name, message }) => console.log(name, message))
      await pool.close()`
    await using running = new Running(["--input-type=module", "-e", program], path)
    assert.match(
      (await running.lines()).join(" "),
      /^TaskNotPortableError .*does not load this TypeScript by itself.*none of tsx, esbuild, vite and typescript.*npm install --save-dev tsx/,
    )
  } finally {
    rmSync(path, { recursive: true })
  }
})

test(
  "[WK65] names without an ending, or with that of the compiled file, and syntax that has to be translated",
  { skip: OWN_LOADER },
  async () => {
    await using own = new PlatformPool()
    using folder = new Folder()
    folder.write("helper.ts", "export const one: number = 1")
    folder.write("deep/index.ts", "export default 10 as number")
    folder.write("view.tsx", "export const hundred: number = 100")
    folder.write("value.mts", "export const thousand: number = 1000")
    const module = folder.write(
      "tasks.ts",
      `import { one } from "./helper.js"
     import ten from "./deep"
     import { hundred } from "./view.js"
     import { thousand } from "./value.mjs"
     import { one as again } from "./helper"
     enum Kind { none, some = 5 }
     class Box { constructor(private readonly n: number) {} get(): number { return this.n } }
     export function f(n: number): number { return new Box(n + one + again + ten + hundred + thousand + Kind.some).get() }`,
    )
    assert.equal(await own.pool.submit(tasksOf<{ f(n: number): number }>(pathToFileURL(module)).f, 6), 1123)
  },
)

test("[WK65] a module that speaks CommonJS is one", { skip: OWN_LOADER }, async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  folder.write("package.json", `{ "type": "commonjs" }`)
  folder.write("helper.ts", "export const one: number = 1")
  const module = folder.write(
    "tasks.ts",
    `import { basename } from "node:path"
     import { one } from "./helper"
     export const f = (n: number): string => basename(__filename) + (n + one)`,
  )
  assert.equal(await own.pool.submit(tasksOf<{ f(n: number): string }>(pathToFileURL(module)).f, 6), "tasks.ts7")
})

test("[WK65] what is missing is missing, and what cannot be read is an error", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  for (const text of [`import "./none.js"`, `import "no-such-package"`, `export const f = (`]) {
    const module = pathToFileURL(folder.write(`${text.length}.ts`, text))
    await assert.rejects(() => own.pool.submit(tasksOf<{ f(): number }>(module).f).get(), TaskNotPortableError)
  }
})

test("[WK65] hooks step in where the next loader fails, and nowhere else", () => {
  const { resolve, load } = typeScriptHooks(globalThis)
  const found = { url: "file:///found.js" }
  assert.equal(
    resolve("./x.js", { parentURL: "file:///a.ts" }, () => found),
    found,
  )
  const loaded = { format: "module", source: "" }
  assert.equal(
    load("file:///x.js", {}, () => loaded),
    loaded,
  )
  const broken = Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" })
  for (const specifier of ["pkg", "./none.js"]) {
    const fail = (): never => {
      throw broken
    }
    assert.throws(() => resolve(specifier, { parentURL: import.meta.url }, fail), broken)
  }
})

// ------------------------------------------------------------------ tsx

test(
  "[WK66] tsx is found in the flags of the runtime and in NODE_OPTIONS, by name and by path",
  { skip: OWN_LOADER },
  () => {
    assert.deepEqual(importsIn(["--import", "tsx"], ""), ["tsx"])
    assert.deepEqual(importsIn(["--import=tsx/esm", "--no-warnings"], "-r a.cjs  --require=b"), [
      "tsx/esm",
      "a.cjs",
      "b",
    ])
    assert.deepEqual(importsIn(["--import"], ""), [])
    using folder = new Folder()
    writeTsx(folder)
    const at = join(folder.path, "node_modules/tsx/dist")
    const api = pathToFileURL(join(at, "api.mjs")).href
    assert.equal(tsxIn(["tsx"], folder.path), api)
    assert.equal(tsxIn(["other", "tsx/esm"], folder.path), api)
    assert.equal(tsxIn([join(at, "preflight.cjs"), pathToFileURL(join(at, "loader.mjs")).href], tmpdir()), api)
    assert.equal(tsxIn(["tsx"], tmpdir()), undefined)
    assert.equal(tsxIn(["./tsx/setup.js", "tsx-like"], folder.path), undefined)
  },
)

/** What of tsx is needed to see that threads are told to it. */
function writeTsx(folder: Folder): void {
  const api = { import: { default: "./dist/api.mjs" }, require: { default: "./dist/api.cjs" } }
  const exports = { ".": "./dist/loader.mjs", "./package.json": "./package.json", "./esm/api": api }
  folder.write("node_modules/tsx/package.json", JSON.stringify({ name: "tsx", type: "module", exports }))
  folder.write("node_modules/tsx/dist/loader.mjs", "")
  folder.write("node_modules/tsx/dist/api.mjs", "export function register() { globalThis.tsx = 'registered' }")
}

test("[WK66] in a program that tsx runs, threads are told to tsx before they load anything", async () => {
  using folder = new Folder()
  writeTsx(folder)
  folder.write("preloaded.mjs", "globalThis.seen = globalThis.tsx")
  folder.write("tasks.mjs", "export const f = () => globalThis.tsx + ' ' + globalThis.seen")
  const program = `
    import { Executors, platformThreads, tasksOf } from "corepool"
    const preload = [new URL("./preloaded.mjs", import.meta.url)]
    const pool = Executors.newFixedThreadPool(1, platformThreads({ preload }))
    console.log(globalThis.tsx, await pool.submit(tasksOf(new URL("./tasks.mjs", import.meta.url)).f))
    await pool.close()`
  await using running = folder.start("program.mjs", program, isNode ? ["--import", "tsx"] : [])
  const expected = isNode ? "undefined registered registered" : "undefined undefined undefined"
  assert.deepEqual(await running.lines(), [expected])
})

// ------------------------------------------------------------------ Vitest

test("[TK20] what Vite makes of import() in a function works in another thread", async () => {
  await using own = new PlatformPool()
  using folder = new Folder()
  folder.write("helper.mjs", "export const two = 2")
  const host = globalThis as { __vitest_worker__?: unknown }
  host.__vitest_worker__ = { config: { root: folder.path } }
  try {
    const make = (body: string): ((path: string) => Promise<unknown>) =>
      runInThisContext(`async (path) => { ${body} }`) as (path: string) => Promise<unknown>
    const absolute = JSON.stringify(`/@fs${join(folder.path, "helper.mjs")}`)
    assert.equal(await own.pool.submit(make(`return (await __vite_ssr_dynamic_import__("/helper.mjs")).two`), ""), 2)
    assert.equal(await own.pool.submit(make(`return (await __vite_ssr_dynamic_import__(${absolute})).two`), ""), 2)
    assert.equal(await own.pool.submit(make(`return (await __vite_ssr_dynamic_import__("node:path")).sep`), ""), "/")
    const imported = own.pool.submit(make(`return __vite_ssr_import_0__.two`), "")
    await assert.rejects(() => imported.get(), /`__vite_ssr_import_0__`, an import of its module, which does not exist/)
  } finally {
    delete host.__vitest_worker__
  }
})
