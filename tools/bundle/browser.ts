/**
 * The files for browsers, in dist/browser: ES modules, made with the condition `browser`, by which `#host/…` is
 * src/host/browser.
 *
 * - `code.js`: all of the code, of the page and of its workers. Bundlers leave out what a program does not use (pure-parts.ts).
 * - `index.js`, `lock.js` …: the entries, which list their exports of it. `worker.js`: where a worker begins.
 * - `virtual.js`: `corepool/virtual`, a module of its own, as `virtual-module.js` is (module.ts).
 *
 * `code.js` loads nothing later, by `import()`: a worker is then one file in every bundle, whatever its format.
 *
 * `SharedArrayBuffer` and `Atomics` are those of src/host/browser/runtime/shared-memory.ts: a page without isolation has none.
 * `Math` is that of src/host/browser/runtime/math.ts, which tasks cannot replace.
 */
import { build, type BuildOptions, type Plugin } from "esbuild"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { withBundlerHints } from "./bundler-hints.ts"
import { COMPILED } from "./entries.ts"
import { bundleModule } from "./module.ts"
import { VIRTUAL_MODULE } from "./virtual-only.ts"

/** Where the files for browsers are, in dist. */
export const BROWSER = "browser"

/** The entries that are parts of `code.js`, and their modules in src. */
export const BROWSER_ENTRIES: Readonly<Record<string, string>> = {
  index: "index",
  atomic: "atomic/index",
  lock: "lock/index",
  sync: "sync/index",
  queue: "queue/index",
}

const CODE = `export * from "./index.js"
export { beginThread } from "corepool-worker"`

/** The orders of a pool come alone if a factory of the user has started the worker. */
function worker(src: string): string {
  return `import { boot } from "${src}host/browser/threads/boot.js"
import { begin } from "${src}worker-program/worker-program.js"
export function beginThread() {
  boot(({ workerData }) => {
    const { orders = workerData, code = { regions: [] } } = workerData
    begin(orders, undefined, code, new Map())
  })
}`
}

/** The module in which a worker of the compiled modules begins; `src` leads to build/src. */
export function compiledWorker(src: string): string {
  return `${worker(src)}\nbeginThread()\n`
}

/** The modules that only threads of programs need that cannot run in a browser. */
const OF_SERVERS = /\/(?:job-part|handler-part|captured-run)\.js$/

/** Gives the modules of this file to the bundler, and makes of each `import()` of the program of a worker an `import`. */
function whole(folder: string): Plugin {
  return {
    name: "whole",
    setup(builder) {
      builder.onResolve({ filter: /^corepool-worker$/ }, ({ path }) => ({ path, namespace: "own" }))
      builder.onLoad({ filter: /./, namespace: "own" }, () => ({ contents: worker("./"), resolveDir: folder }))
      builder.onLoad({ filter: /worker-main\.js$/ }, ({ path }) => ({
        contents: atOnce(readFileSync(path, "utf8")),
      }))
    },
  }
}

/** The program of a worker that loads nothing later: a worker that blocks could not. */
export function atOnce(text: string): string {
  const imports: string[] = []
  const body = text.replaceAll(/\bimport\("([^"]+)"\)/g, (_, path: string) => {
    if (OF_SERVERS.test(path)) return "Promise.resolve({})"
    imports.push(`import * as later${imports.length} from ${JSON.stringify(path)}\n`)
    return `Promise.resolve(later${imports.length - 1})`
  })
  if (imports.length === 0) throw new Error("The program of a worker loads nothing later any more")
  return imports.join("") + body
}

function optionsFor(folder: string): BuildOptions {
  return {
    platform: "browser",
    format: "esm",
    target: ["chrome111", "firefox128", "safari16.4"],
    inject: ["math", "shared-memory"].map((name) => join(folder, `host/browser/runtime/${name}.js`)),
  }
}

/** By their names in dist. */
export async function bundleForBrowsers(root: string): Promise<Map<string, string>> {
  const folder = join(root, COMPILED)
  const options = optionsFor(folder)
  const files = new Map([
    [
      "code.js",
      withBundlerHints(
        await bundleModule(root, {
          contents: CODE,
          more: { ...options, plugins: [whole(folder)] },
          isWhole: true,
        }),
      ),
    ],
    ["virtual.js", await bundleModule(root, { ...VIRTUAL_MODULE, more: options })],
    ["worker.js", `import { beginThread } from "./code.js";\nbeginThread();\n`],
  ])
  for (const [name, exported] of await exportsOf(root, options)) {
    files.set(name, `export { ${exported.join(", ")} } from "./code.js";\n`)
  }
  return new Map(Array.from(files, ([name, text]) => [`${BROWSER}/${name}`, text]))
}

/** The names that the entries export, by the names of their files. */
async function exportsOf(root: string, options: BuildOptions): Promise<[string, string[]][]> {
  const entryPoints = Object.entries(BROWSER_ENTRIES).map(([out, module]) => ({
    in: join(root, COMPILED, `${module}.js`),
    out,
  }))
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints,
    outdir: BROWSER,
    bundle: true,
    metafile: true,
    write: false,
    logLevel: "warning",
  })
  return Object.entries(metafile.outputs).map(([path, output]) => [
    path.slice(BROWSER.length + 1),
    output.exports.toSorted(),
  ])
}
