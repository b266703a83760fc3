/**
 * The last step of `npm run build`: makes the published files, in dist, of what the compiler has made of src.
 *
 * - `index.cjs`, `lock.cjs` …: the entries for `require`, with the loader of the code (own-loader.ts); `index.js`, `lock.js` …: the same for `import` (facades.ts).
 * - `code-*.cjs`: the code (chunks.ts), as texts (text-files.ts). `corepool-thread.cjs` runs it in a worker thread (thread.ts).
 * - `virtual-module.js`: the code of `corepool/virtual` for bundlers (module.ts).
 * - `browser/*.js`: all of it again, for browsers (browser.ts).
 * - `*.d.ts`, `*.d.cts`: the types of both (declarations.ts).
 *
 * And the package as the tests see it, in build: see development.ts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { bundleChunks, type Chunks } from "./chunks.ts"
import { bundleForBrowsers } from "./browser.ts"
import { bundleCommandLine } from "./command-line.ts"
import { rollUpDeclarations } from "./declarations.ts"
import { developmentFiles } from "./development.ts"
import { ENTRIES, SHIPPED } from "./entries.ts"
import { chunksOf, makeFacades } from "./facades.ts"
import { bundleModule } from "./module.ts"
import { bundleMonitorPage } from "./monitor-page.ts"
import { rawText } from "./raw-text.ts"
import { shorten } from "./shorten.ts"
import { layOut, reachable } from "./text-files.ts"
import { threadFile, threadText } from "./thread.ts"
import { VIRTUAL_MODULE } from "./virtual-only.ts"

/** What no thread needs in order to run tasks: a task whose module imports it brings it along. */
const NOT_OF_THREADS: ReadonlySet<string> = new Set([
  "distributed",
  "monitor",
  "monitor-page",
  "otel",
  "prometheus",
  "testing",
  "trace",
])

/** All files of dist, by name; `root` is the repository, built by the compiler. */
export async function bundle(root: string): Promise<Map<string, string>> {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const declarations = rollUpDeclarations(root)
  const chunks = await bundleChunks(root, version, [["monitor-page", await bundleMonitorPage(root)]])
  const names = [...chunks.texts.keys()]
  const builtins = builtinsOf(
    chunks,
    names.filter((name) => !NOT_OF_THREADS.has(name)),
  )
  const { first, program, registry, build } = chunks
  const thread = { names, first, builtins, program, registry, build }
  const boot = rawText("boot", await shorten("boot", threadText(thread)))
  const texts = layOut(chunks.texts, first, groupsOf(chunks), { group: MAIN, text: boot })
  return new Map([
    ...texts.files.map(({ name, text }): [string, string] => [name, text]),
    ...(await makeFacades(chunks, texts)),
    ["virtual-module.js", await bundleModule(root, VIRTUAL_MODULE)],
    ...(await bundleForBrowsers(root)),
    ["corepool-thread.cjs", await shorten("corepool-thread.cjs", threadFile(thread, texts))],
    ...(await bundleCommandLine(root)),
    ...(await declarations),
  ])
}

const MAIN = "main"

/**
 * The chunks that each file of texts may have. Locks, synchronizers and queues have entries of their own, and so have files of their own: a bundle of one of these entries has no more than
 * it needs. What synchronizers and queues have in common is a file, too. Then comes what else the entry `corepool` and its threads need, and then a file for each other entry.
 */
function groupsOf(chunks: Chunks): Map<string, ReadonlySet<string>> {
  const wanted = new Map<string, Set<string>>()
  for (const { name, part } of ENTRIES) {
    wanted.set(part, new Set([...(wanted.get(part) ?? []), ...reachable(chunks, chunksOf(chunks, name))]))
  }
  const none = new Set<string>()
  const { index = none, lock = none, sync = none, queue = none, ...others } = Object.fromEntries(wanted)
  const codec = new Set([...sync].filter((chunk) => queue.has(chunk)))
  const ofPrograms = new Set([...index, ...reachable(chunks, [chunks.program])])
  // A chunk that several of the others have is in the file of the smallest.
  const rest = Object.entries(others).toSorted(([, a], [, b]) => a.size - b.size)
  return new Map([["lock", lock], ["codec", codec], ["sync", sync], ["queue", queue], [MAIN, ofPrograms], ...rest])
}

/**
 * The modules of the runtime that these chunks take something from, and what any chunk takes from them. A thread has them loaded anyway. Others may take
 * long to load, and one chunk alone may need them.
 */
function builtinsOf({ builtins }: Chunks, chunks: readonly string[]): Map<string, Set<string>> {
  const modules = new Map(
    chunks.flatMap((name) => builtins.get(name) ?? []).map(([module]) => [module, new Set<string>()]),
  )
  for (const [module, names] of [...builtins.values()].flat()) for (const name of names) modules.get(module)?.add(name)
  return modules
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
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !files.has(relative(folder, path).replaceAll(sep, "/"))) rmSync(path)
  }
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  await main(process.cwd())
