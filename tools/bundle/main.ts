/**
 * The last step of `npm run build`: makes the published files, in dist, of what the compiler has made of src.
 *
 * - `index.js`, `lock.js` …: the entries, ES modules that export what a part has; `index.cjs`, `lock.cjs` …: the same for `require` (facades.ts).
 * - `part-*.cjs`: a part, whether it has been loaded in this thread already or not.
 * - `code-*.cjs`: the code (chunks.ts). `corepool-thread.cjs` runs it in a worker thread (thread.ts).
 * - `source.cjs`: the same as texts, compressed, for a program that is bundled, and so has no file to start a thread from.
 * - `virtual-module.js`: the code of `corepool/virtual` for bundlers (module.ts).
 * - `*.d.ts`, `*.d.cts`: the types of both (declarations.ts).
 *
 * And the package as the tests see it, in build: see development.ts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { brotliCompressSync, constants } from "node:zlib"
import { bundleChunks } from "./chunks.ts"
import { rollUpDeclarations } from "./declarations.ts"
import { developmentFiles } from "./development.ts"
import { SHIPPED } from "./entries.ts"
import { makeFacades } from "./facades.ts"
import { bundleModule } from "./module.ts"
import { threadFile, threadText } from "./thread.ts"
import { VIRTUAL_ONLY } from "./virtual-only.ts"

/** What no thread needs in order to run tasks: a task whose module imports it brings it along. */
const NOT_OF_THREADS: ReadonlySet<string> = new Set(["code-distributed.cjs"])

/** All files of dist, by name; `root` is the repository, built by the compiler. */
export async function bundle(root: string): Promise<Map<string, string>> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const declarations = rollUpDeclarations(root)
  const chunks = await bundleChunks(root, version)
  const { files, registry, build } = chunks
  const thread = { files: [...files.keys()], program: chunks.program, registry, build }
  const ofThreads = [...files].filter(([name]) => !NOT_OF_THREADS.has(name))
  const source = { boot: threadText(thread), texts: Object.fromEntries(ofThreads) }
  return new Map([
    ...files,
    ...makeFacades(chunks),
    ["virtual-module.js", await bundleModule(root, "virtual/index", VIRTUAL_ONLY)],
    ["corepool-thread.cjs", threadFile(thread)],
    ["source.cjs", compressed(source)],
    ...(await declarations),
  ])
}

/**
 * A module that exports the value. Most programs never load it, but a bundler puts it into every program that can start threads: to unpack it takes
 * two milliseconds, and a bundle is a third smaller.
 */
function compressed(value: unknown): string {
  const text = Buffer.from(JSON.stringify(value))
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 9, // with 11 it is a tenth smaller, and takes two seconds of every build
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  }
  const packed = brotliCompressSync(text, { params }).toString("base64")
  const unpacked = `process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${packed}", "base64"))`
  return `"use strict";\nmodule.exports = JSON.parse(${unpacked}.toString());\n`
}

/** Writes what has changed, so that who watches the files sees no more than that, and removes what is left of older builds. */
function write(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [name, text] of files) {
    const path = join(folder, name)
    if (existsSync(path) && readFileSync(path, "utf8") === text) continue
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
