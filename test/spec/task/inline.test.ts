/** Functions that are sent as source, and the files from which they come. */
import { compile } from "#src/task/compile.js"
import { declarationOf, positionOf, sourceMapOf } from "#src/task/position.js"
import { build, transform } from "esbuild"
import assert from "node:assert/strict"
import { join } from "node:path"
import test from "node:test"
import { Folder, Running } from "../worker/support.ts"

/** Two packages of one name, each with a module of the same text that submits a function which imports it. */
function twoPackages(folder: Folder): void {
  for (const part of ["a", "b"]) {
    folder.write(`${part}/node_modules/pkg/package.json`, `{ "name": "pkg", "version": "1.0.0", "main": "main.cjs" }`)
    folder.write(`${part}/node_modules/pkg/main.cjs`, `exports.from = "${part}"`)
    folder.write(`${part}/beside.mjs`, `export const name = "beside ${part}"`)
    folder.write(
      `${part}/module.mjs`,
      `export const load = async (pool) => await pool.submit(async () => (await import("pkg")).from + " " + (await import("./beside.mjs")).name)
       export const through = async (run) => await run(async () => (await import("pkg")).from)`,
    )
    folder.write(
      `${part}/module.cjs`,
      `exports.load = async (pool) => await pool.submit(async () => require("pkg").from + " " + (await import("./beside.mjs")).name)`,
    )
  }
}

const START = `
  import { Executors } from "corepool"
  const pool = Executors.newFixedThreadPool(1)
`

test("[TK22] what a function imports that is sent as source is looked for from the file that has it", async () => {
  using folder = new Folder()
  twoPackages(folder)
  await using running = folder.start(
    "program.mjs",
    `${START}
     for (const name of ["a/module.mjs", "b/module.mjs", "a/module.cjs", "b/module.cjs"]) {
       const module = await import("./" + name)
       console.log(await module.load(pool))
     }`,
  )
  assert.deepEqual(await running.lines(), ["a beside a", "b beside b", "a beside a", "b beside b"])
})

test("[TK22] also if a helper in another file submits it", async () => {
  using folder = new Folder()
  twoPackages(folder)
  await using running = folder.start(
    "program.mjs",
    `${START}
     const run = async (fn) => await pool.submit(fn)
     for (const part of ["a", "b"]) console.log(await (await import("./" + part + "/module.mjs")).through(run))`,
  )
  assert.deepEqual(await running.lines(), ["a", "b"])
})

test("[TK22] also if a function that was sent submits it", async () => {
  using folder = new Folder()
  twoPackages(folder)
  await using running = folder.start(
    "a/program.mjs",
    `${START}
     console.log(await pool.submit(async (pool) => {
       const inner = async () => (await import("pkg")).from + " " + (await import("./beside.mjs")).name
       return await pool.submit(inner)
     }, pool))`,
  )
  assert.deepEqual(await running.lines(), ["a beside a"])
})

test("[TK22] also from a bundle", async () => {
  using folder = new Folder()
  twoPackages(folder)
  folder.write("program.mjs", `${START} console.log(await pool.submit(async () => (await import("pkg")).from))`)
  await build({
    absWorkingDir: folder.path,
    entryPoints: ["program.mjs"],
    outfile: "b/built/bundle.mjs",
    bundle: true,
    conditions: ["shipped"], // as published: the modules find the program of threads by their place in `build`
    external: ["pkg"],
    platform: "node",
    format: "esm",
    logLevel: "silent",
  })
  await using running = folder.start("b/built/bundle.mjs")
  assert.deepEqual(await running.lines(), ["b"])
})

test("[TK22] what compilers make of an import is known over there", async () => {
  const texts = [
    `() => Promise.resolve().then(() => __importStar(require("node:path")))`, // tsc, to CommonJS
    `() => Promise.resolve().then(() => _interopRequireWildcard(require("node:path")))`, // Babel
  ]
  for (const text of texts) {
    const fn = compile(`(${text})`, "load", undefined) as () => Promise<{ sep: string; default: { sep: string } }>
    const both = await fn()
    assert.equal(both.sep, both.default.sep, text)
  }
})

test("[TK23] a function that was typed in imports from the working folder", async () => {
  using folder = new Folder()
  twoPackages(folder)
  const esm = `${START} console.log(await pool.submit(async () => (await import("./a/beside.mjs")).name))`
  const cjs = `const pool = require("corepool").Executors.newFixedThreadPool(1)
    pool.submit(async () => (await import("./a/beside.mjs")).name).then(console.log)`
  for (const flags of [
    ["--input-type=module", "-e", esm],
    ["-e", cjs],
  ]) {
    await using running = new Running(flags, folder.path)
    assert.deepEqual(await running.lines(), ["beside a"])
  }
})

const FAILING = `
  // a comment, which builds leave out
  interface Heat { degrees: number }

  const boil = (heat: Heat, limit: number): number => {
    if (heat.degrees > limit) throw new RangeError("too hot")
    return heat.degrees
  }
  async function serve(): Promise<void> {
    await pool.submit(boil, { degrees: 101 }, 100)
  }
  await serve().catch((error) => console.log(error.stack))
  await pool
    .submit(() => {
      // another comment
      throw new Error("at once")
    })
    .get()
    .catch((error) => console.log(error.stack))
`

/** What a stack says of frames in this file, without their columns. */
function framesIn(file: string, stack: string): string[] {
  const frame = new RegExp(String.raw`at (?:(?<name>\w+) \()?\S*[/\\]${file}:(?<line>\d+):\d+\)?$`, "gm")
  return [...stack.matchAll(frame)].map(({ groups }) => `${groups?.["name"] ?? ""}:${groups?.["line"]}`)
}

test("[TK24] [TK25] the stack of an error shows the function in its file, and who has submitted it", async () => {
  using folder = new Folder()
  const { code } = await transform(START + FAILING, { loader: "ts", format: "esm" })
  await using running = folder.start("program.mjs", code)
  const at = (text: string): number => code.split("\n").findIndex((line) => line.includes(text)) + 1
  const stacks = (await running.lines()).join("\n")
  assert.deepEqual(framesIn("program.mjs", stacks), [
    `boil:${at("too hot")}`,
    `serve:${at("submit(boil")}`,
    `:${at("await serve()")}`,
    `:${at("at once")}`,
    `:${at(".submit(()")}`,
  ])
  assert.match(stacks, /at pool-1-thread-1 \(corepool\)\n {4}at first submit \(corepool\)\n {4}at serve /)
})

for (const sourcemap of ["external", "inline"] as const) {
  test(`[TK24] with source maps, in the file of which it was made: ${sourcemap}`, async () => {
    using folder = new Folder()
    const source = START + FAILING
    folder.write("src/program.ts", source)
    await build({
      absWorkingDir: folder.path,
      entryPoints: ["src/program.ts"],
      outfile: "out/program.js",
      sourcemap: sourcemap === "inline" ? "inline" : true,
      format: "esm",
    })
    await using running = folder.start("out/program.js", undefined, ["--enable-source-maps"])
    const at = (text: string): number => source.split("\n").findIndex((line) => line.includes(text)) + 1
    const stacks = (await running.lines()).join("\n").replaceAll("<anonymous> ", "")
    assert.deepEqual(
      framesIn("program.ts", stacks.replaceAll(/at \((?<place>.*)\)$/gm, "at $<place>")).map(
        (frame) => frame.split(":")[1],
      ),
      [at("too hot"), at("submit(boil"), at("await serve()"), at("at once"), at(".submit(()")].map(String),
    )
  })
}

test("[TK25] a thread that has blocked for the error is shown before that", async () => {
  using folder = new Folder()
  const code = `${START}
    const boil = () => { throw new RangeError("too hot") }
    const future = pool.submit(boil)
    await future.get().catch(() => undefined)
    try {
      future.getSync()
    } catch (error) {
      console.log(error.stack)
    }`
  await using running = folder.start("program.mjs", code)
  const stack = (await running.lines()).join("\n")
  assert.match(
    stack,
    /at pool-1-thread-1 \(corepool\)\n.*program\.mjs:9:\d+\)?\n {4}at first submit \(corepool\)\n.*program\.mjs:6:\d+\)?$/,
  )
})

test("[TK24] a function is found by its text, also if its types were blanked out", () => {
  const text = "const a = (n: number): number => n\nconst b = (n) => n\n\nconst c = (n) => n"
  assert.deepEqual(positionOf("(n        )         => n", text, 1), { line: 1, column: 10 })
  assert.deepEqual(positionOf("(n) => n", text, 1), { line: 2, column: 10 })
  assert.deepEqual(positionOf("(n) => n", text, 4), { line: 4, column: 10 })
  assert.equal(positionOf("(m) => n", text, 1), undefined)
})

test("[TK24] and by its name, if its text is another", () => {
  const text = "\nexport async function* $load(n: number) {}\nconst boil$ = 1, x = boil\nlet boil = 2"
  assert.equal(declarationOf("$load", text)?.line, 2)
  assert.equal(declarationOf("boil", text)?.line, 4)
  assert.equal(declarationOf("x", text), undefined)
  assert.equal(declarationOf("", text), undefined)
})

test("[TK24] a file says itself where its source map is", () => {
  const mark = ["//# source", "MappingURL="].join("")
  assert.equal(sourceMapOf(`1\n${mark}old.map\n2\n${mark}x.js.map\n`), "x.js.map")
  assert.equal(sourceMapOf("1\n"), undefined)
})

test("[TK26] what a function has around it in the file that it is compiled for, it does not see", () => {
  const fn = compile("(function () { return [typeof this, typeof require] })", "look", undefined)
  assert.deepEqual(fn(), ["undefined", "function"])
  for (const name of ["exports", "module"]) {
    assert.throws(compile(`(() => ${name})`, "look", undefined), ReferenceError)
  }
})

test("[TK26] it does not get into what is measured of the coverage of that file", () => {
  const { NODE_V8_COVERAGE: before } = process.env
  const thrown = (): string => {
    try {
      compile("(() => { throw new Error() })", "fail", { file: join("/app", "program.mjs"), line: 12, column: 3 })()
      return ""
    } catch (error) {
      return String((error as Error).stack)
    }
  }
  try {
    delete process.env["NODE_V8_COVERAGE"]
    assert.match(thrown(), /program\.mjs:12:/)
    process.env["NODE_V8_COVERAGE"] = "somewhere"
    assert.match(thrown(), /program\.mjs#inline:12:/)
  } finally {
    if (before === undefined) delete process.env["NODE_V8_COVERAGE"]
    else process.env["NODE_V8_COVERAGE"] = before
  }
})
