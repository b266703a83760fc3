/** The files for browsers, as far as they can be judged without one: docs/spec/browser.md. */
import { build } from "esbuild"
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import { type Node, parseSync, Visitor } from "oxc-parser"
import { bundleForBrowsers } from "../../../tools/bundle/browser.ts"

const ROOT = new URL("../../../../", import.meta.url)
const built = await bundleForBrowsers(fileURLToPath(ROOT))
const files = new Map(Array.from(built, ([path, text]) => [path.replace(/^browser\//, ""), text]))

test("[BR2] [BR12] they import each other alone, and name nothing of Node", () => {
  const names = [...files.keys()]
  for (const [name, text] of files) {
    const { program, module } = parseSync(name, text, { sourceType: "module" })
    for (const { moduleRequest } of module.staticImports) {
      assert.ok(names.includes(moduleRequest.value.replace(/^\.\//, "")), `${name} imports ${moduleRequest.value}`)
    }
    new Visitor({
      Identifier({ name: used }: { name: string }) {
        assert.ok(!["process", "Buffer", "require", "setImmediate"].includes(used), `${name} names ${used}`)
      },
      ImportExpression({ source }: { source: Node }) {
        assert.notEqual(source.type, "Literal", `${name} loads a file later`)
      },
    }).visit(program)
  }
})

test("[BR3] each file of the host has the exports of the one for Node", () => {
  const exportsOf = (folder: string, name: string): string[] => {
    const text = readFileSync(new URL(`src/host/${folder}/${name}`, ROOT), "utf8")
    const { module } = parseSync(name, text, { sourceType: "module" })
    return module.staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? ""))
  }
  const filesOf = (folder: string): string[] =>
    readdirSync(new URL(`src/host/${folder}/`, ROOT), { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => name.endsWith(".ts"))
  const ofNode = new Set(filesOf("node"))
  const shared = filesOf("browser").filter((name) => ofNode.has(name))
  assert.ok(shared.length > 20)
  for (const name of shared) {
    const own = exportsOf("browser", name)
    for (const wanted of exportsOf("node", name)) {
      if (name === "code/typescript.ts" && wanted !== "prepareForTypeScript") continue // for tests, and of no use there
      assert.ok(own.includes(wanted), `${name} lacks ${wanted}`)
    }
  }
})

test("[BR1] there is a file for each entry, and one for workers", () => {
  const entries = ["index", "virtual", "lock", "sync", "queue", "atomic", "worker"].map((name) => `${name}.js`)
  assert.deepEqual([...files.keys()].toSorted(), [...entries, "code.js"].toSorted())
})

test("[BR11] the condition `browser` leads to them, and `require` to the files for Node", () => {
  const { exports } = JSON.parse(readFileSync(new URL("package.json", ROOT), "utf8")) as {
    exports: Record<string, Record<string, unknown>>
  }
  for (const [path, conditions] of Object.entries(exports)) {
    if (path === "./package.json") continue
    const file = `${path === "." ? "index" : path.slice(2)}.js`
    const order = Object.keys(conditions)
    assert.ok(order.indexOf("require") < order.indexOf("browser"), path)
    assert.ok(order.indexOf("browser") < order.indexOf("default"), path)
    const { browser, module } = conditions as { browser: { default: string } | null; module?: typeof conditions }
    assert.equal(browser?.default, files.has(file) ? `./dist/browser/${file}` : undefined, path)
    if (module !== undefined) assert.deepEqual(module["browser"], browser)
  }
})

test("[BR21] a bundler leaves out what a program does not use", async () => {
  const code = files.get("code.js") ?? ""
  const bundled = async (name: string): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: `import { ${name} } from "code"\nconsole.log(${name})` },
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
      plugins: [
        {
          name: "code",
          setup(builder) {
            builder.onResolve({ filter: /^code$/ }, () => ({ path: "code", namespace: "built" }))
            builder.onLoad({ filter: /./, namespace: "built" }, () => ({ contents: code }))
          },
        },
      ],
    })
    return outputFiles[0]?.text ?? ""
  }
  const parts: Record<string, RegExp> = { "a lock": /lockInterruptiblySync/, "a pool": /corePoolSize/, forks: /fork\(/ }
  const has = async (name: string): Promise<string[]> => {
    const text = await bundled(name)
    return Object.entries(parts).flatMap(([part, pattern]) => (pattern.test(text) ? [part] : []))
  }
  assert.deepEqual(await has("AtomicInteger"), [])
  assert.deepEqual(await has("CountDownLatch"), [])
  assert.deepEqual(await has("ReentrantLock"), ["a lock"])
  // A task that is forked outside of any pool runs in the common pool; a worker needs all of it.
  assert.deepEqual(await has("RecursiveTask"), ["a lock", "a pool", "forks"])
  assert.deepEqual(await has("beginThread"), ["a lock", "a pool", "forks"])
  const { length } = await bundled("AtomicInteger")
  assert.ok(length < 45_000, `${length} bytes`)
})

test("[BR31] bundlers find the worker, and leave the modules of tasks alone", () => {
  const text = files.get("code.js") ?? ""
  const workers: string[] = []
  const imports: string[] = []
  new Visitor({
    NewExpression({ callee, start, end }: { callee: Node; start: number; end: number }) {
      if (callee.type === "Identifier" && callee.name === "Worker") workers.push(text.slice(start, end))
    },
    ImportExpression({ start, end }: { start: number; end: number }) {
      imports.push(text.slice(start, end))
    },
  }).visit(parseSync("code.js", text, { sourceType: "module" }).program)
  assert.equal(workers.length, 1)
  assert.match(
    workers[0] ?? "",
    /^new Worker\(new URL\("\.\/worker\.js",import\.meta\.url\),\{type:"module",name:\w+\}\)$/,
  )
  assert.equal(imports.length, 1)
  assert.match(imports[0] ?? "", /^import\(\/\* webpackIgnore: true \*\/\s*\/\* @vite-ignore \*\//)
})
