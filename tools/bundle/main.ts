/**
 * The last step of `npm run build`: makes the published files, in dist, of what the compiler has made of src.
 *
 * - `index.js`, `lock.js` …: the entries, ES modules that export what a part has; `index.cjs`, `lock.cjs` …: the same for `require` (facades.ts).
 * - `part-*.cjs`: a part, whether it has been loaded in this thread already or not.
 * - `code-*.cjs`: the code (chunks.ts). `corepool-thread.cjs` runs it in a worker thread (thread.ts).
 * - `source.cjs`: the same as texts, compressed, for a program that is bundled, and so has no file to start a thread from.
 * - `virtual-module.js`: the code of `corepool/virtual` for bundlers (module.ts).
 * - `monitor-page.cjs`: the page of `corepool/monitor` (monitor-page.ts).
 * - `*.d.ts`, `*.d.cts`: the types of both (declarations.ts).
 *
 * And the package as the tests see it, in build: see development.ts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { bundleChunks, type Chunks } from "./chunks.ts"
import { bundleCommandLine } from "./command-line.ts"
import { rollUpDeclarations } from "./declarations.ts"
import { developmentFiles } from "./development.ts"
import { SHIPPED } from "./entries.ts"
import { makeFacades } from "./facades.ts"
import { bundleModule } from "./module.ts"
import { bundleMonitorPage } from "./monitor-page.ts"
import { shorten } from "./shorten.ts"
import { threadFile, threadText } from "./thread.ts"
import { VIRTUAL_ONLY } from "./virtual-only.ts"

/** What no thread needs in order to run tasks: a task whose module imports it brings it along. */
const NOT_OF_THREADS: ReadonlySet<string> = new Set([
  "code-distributed.cjs",
  "code-monitor.cjs",
  "code-prometheus.cjs",
  "code-testing.cjs",
])

/** All files of dist, by name; `root` is the repository, built by the compiler. */
export async function bundle(root: string): Promise<Map<string, string>> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const declarations = rollUpDeclarations(root)
  const chunks = await bundleChunks(root, version)
  const { files, registry, build } = chunks
  const ofThreads = [...files].filter(([name]) => !NOT_OF_THREADS.has(name))
  const builtins = builtinsOf(
    chunks,
    ofThreads.map(([name]) => name),
  )
  const thread = { files: [...files.keys()], first: chunks.first, builtins, program: chunks.program, registry, build }
  const source = {
    boot: await shorten("corepool-thread.cjs", threadText(thread)),
    texts: Object.fromEntries(ofThreads),
  }
  return new Map([
    ...files,
    ...(await makeFacades(chunks)),
    ["virtual-module.js", await bundleModule(root, "virtual/index", VIRTUAL_ONLY)],
    ["corepool-thread.cjs", await shorten("corepool-thread.cjs", threadFile(thread))],
    ["source.cjs", compressed(source, readIfThere(join(root, SHIPPED, "source.cjs")))],
    ["monitor-page.cjs", await bundleMonitorPage(root)],
    ...(await bundleCommandLine(root)),
    ...(await declarations),
  ])
}

/**
 * The modules of the runtime that these files take something from, and what any file takes from them. A thread has them loaded anyway. Others may take
 * long to load, and one file alone may need them.
 */
function builtinsOf({ builtins }: Chunks, files: readonly string[]): Map<string, Set<string>> {
  const modules = new Map(
    files.flatMap((name) => builtins.get(name) ?? []).map(([module]) => [module, new Set<string>()]),
  )
  for (const [module, names] of [...builtins.values()].flat()) for (const name of names) modules.get(module)?.add(name)
  return modules
}

interface Source {
  /** The program that a thread begins with, and the texts of the files by their names; none has an empty line. */
  readonly boot: string
  readonly texts: Readonly<Record<string, string>>
}

/**
 * A module that exports the value. Most programs never load it, but a bundler puts it into every program that can start threads: to unpack it takes
 * two milliseconds, and a bundle is a third smaller. To pack it takes two seconds; so `before`, the file of the last build, is kept if it holds the
 * same value.
 */
function compressed({ boot, texts }: Source, before: string): string {
  const text = [boot, ...Object.entries(texts).flat()].join("\n\n")
  const packedBefore = PACKED.exec(before)?.[1]
  if (packedBefore !== undefined && unpacked(packedBefore) === text) return before
  const bytes = Buffer.from(text)
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  const packed = brotliCompressSync(bytes, { params }).toString("base64")
  const unpacking = `process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64"))`
  const pairs = `texts.flatMap((name, at) => (at % 2 === 0 ? [[name, texts[at + 1]]] : []))`
  return `"use strict";\nconst [boot, ...texts] = ${unpacking}.toString().split("\\n\\n");\nmodule.exports = { boot, texts: Object.fromEntries(${pairs}) };\n`
}

/** What is packed in a file that {@link compressed} has made. */
const PACKED = /Buffer\.from\("([\w+/=]+)", "base64"\)/

function unpacked(packed: string): string | undefined {
  try {
    return brotliDecompressSync(Buffer.from(packed, "base64")).toString()
  } catch {
    return undefined // a build that was cut off has left half a file: it is made anew
  }
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

/** Writes what has changed, so that who watches the files sees no more than that, and removes what is left of older builds. */
function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) {
    const path = join(folder, name)
    if (readIfThere(path) === text) continue
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

async function main(root: string): Promise<void> {
  // First, as the bundler reads the package.json that is among them.
  write(join(root, "build"), developmentFiles(root))
  const files = await bundle(root)
  const folder = join(root, SHIPPED)
  write(folder, files)
  for (const name of readdirSync(folder)) {
    if (!files.has(name)) rmSync(join(folder, name), { recursive: true })
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main(process.cwd())
