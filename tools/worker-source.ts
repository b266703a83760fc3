/**
 * The last step of `npm run build`: puts the program of a worker thread, bundled into texts, into
 * dist/platform/worker-source.js. Why there are such texts: src/platform/worker-start.ts.
 *
 * - The *boot* is a few lines. They are a script and a module alike, as which of them a runtime takes them for depends on its flags.
 * - The *program* is what every thread needs. It is a function that the boot calls.
 * - The *rest* is what is loaded by `import()`: the classes whose objects few tasks are given, more than half of all.
 *
 * They need nothing around them: modules of the runtime come from `process.getBuiltinModule`. Names are kept, since messages
 * and stack traces show them, and nothing but ASCII is in them, which an engine keeps in half the space.
 *
 * The boot compiles by node:vm: only there can code be given that has been compiled before. But scripts that are compiled so
 * cannot `import()`, nor can functions that they make from texts. So the boot gives the program what can (src/task/host.ts). It also
 * gives it the texts, for a thread that starts others.
 */
import { build, type Metafile, type Plugin } from "esbuild"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { WorkerSource } from "#src/platform/worker-source.js"
import { asFunctionBody } from "./modules-as-functions.ts"

const ENTRY = "dist/platform/worker-program.js"
const TARGET = "dist/platform/worker-source.js"
const BOOT_FILE = "dist/platform/corepool-boot.cjs"

const BOOT = `{
  const { workerData } = process.getBuiltinModule("node:worker_threads")
  const { Script } = process.getBuiltinModule("node:vm")
  const { orders, source, code, compiled } = workerData
  const script = new Script(source.program, { filename: "corepool/worker-program.js", cachedData: compiled })
  const boot = {
    source,
    importModule: (url) => import(url),
    functionOf: (body) => new Function(body),
    rest: (parts) => new Script(source.rest, { filename: "corepool/worker-rest.js" }).runInThisContext()(boot, parts),
  }
  script.runInThisContext()(boot).begin(orders, code, script)
}
`

/** What the program is given, in place of the modules in which it is otherwise. */
const GIVEN: ReadonlyMap<string, string> = new Map([
  ["worker-source.js", "export const WORKER_SOURCE = boot.source"],
  ["host.js", "export const { importModule, functionOf } = boot"],
])

const given: Plugin = {
  name: "what the boot gives",
  setup(builder) {
    builder.onLoad({ filter: /[/\\](?:platform[/\\]worker-source|task[/\\]host)\.js$/ }, ({ path }) => ({
      contents: GIVEN.get(basename(path)) ?? "",
    }))
  },
}

/** The texts; `root` is the repository, built by the compiler. */
export async function bundleWorker(root: string): Promise<WorkerSource> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outdir: ".", // of the names; nothing is written
    entryNames: "[name]",
    chunkNames: "[name]",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120, // a runtime shows the line in which an error was thrown
    charset: "ascii",
    legalComments: "none",
    define: { "import.meta": "{}" },
    plugins: [given],
    logLevel: "warning",
  })
  const [shared, program, rest] = ["chunk.js", "worker-program.js", restIn(metafile)].map((name) => {
    const text = outputFiles.find(({ path }) => basename(path) === name)?.text
    if (text === undefined) throw new Error(`The bundler has made no ${name}`)
    return asFunctionBody(name, text)
  })
  return {
    boot: BOOT,
    program: `(function corepoolWorker(boot) {
"use strict";
const parts = {};
parts["chunk.js"] = (function corepoolShared() {
${shared}
})();
return (function corepoolProgram() {
${program}
})()
})`,
    rest: `(function corepoolRest(boot, parts) {
"use strict";
${rest}
})`,
  }
}

/** The part that is loaded by `import()`. There is one, as there is one such `import()`. */
function restIn({ outputs }: Metafile): string {
  const names = Object.keys(outputs)
  const loaded = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ kind }) => kind === "dynamic-import").map(({ path }) => path),
  )
  const [rest] = loaded
  if (names.length !== 3 || loaded.length !== 1 || rest === undefined) {
    throw new Error(`Expected the program, the rest and what they share, got ${names.join(", ")}`)
  }
  return basename(rest)
}

/** The module that has them. */
export function moduleWith(source: WorkerSource): string {
  return `/** The program of a worker thread as text; made by tools/worker-source.ts. */\nexport const WORKER_SOURCE = ${JSON.stringify(source)}\n`
}

function size(bytes: number): string {
  return `${(bytes / 1024).toFixed(0)} KB`
}

/** Whether the file was not like that already. */
function update(path: string, text: string): boolean {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return false
  writeFileSync(path, text)
  return true
}

async function main(root: string): Promise<void> {
  const source = await bundleWorker(root)
  update(join(root, BOOT_FILE), source.boot)
  if (!update(join(root, TARGET), moduleWith(source))) return
  const { program, rest } = source
  for (const [name, text] of Object.entries({ program, rest })) {
    console.log(`${TARGET}: ${name}, ${size(text.length)}, ${size(gzipSync(text).length)} compressed`)
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main(process.cwd())
