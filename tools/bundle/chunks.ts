/**
 * The code of the package: the compiled modules, bundled into a few CommonJS files.
 *
 * Why CommonJS, when all entries are ES modules: a thread that starts is to take code that another thread has compiled, and to
 * give what it has loaded to the modules of its tasks. No runtime can do either with ES modules. And a module that is loaded by
 * `require` when it is needed, the text of a thread's program, say, is not loaded before.
 *
 * Each file keeps what it exports in the global scope, under a name that has the hash of the whole build in it, and looks there
 * before it loads another file. So however often the same build gets into a thread (as the thread's program, as a package, as a part
 * of one or several bundles), it is evaluated once.
 */
import { build, type Plugin } from "esbuild"
import { createHash } from "node:crypto"
import { basename, join, posix } from "node:path"
import { CHUNKS, ChunkTable } from "./chunk-table.ts"
import { asCommonJs, BUILTIN } from "./common-js.ts"
import { CHUNK } from "./edit.ts"
import { COMPILED, ENTRIES, PROGRAM } from "./entries.ts"
import { globalsIn } from "./globals.ts"
import { FILE, fileModule, LATER, laterModule, type Linked, Linker } from "./link.ts"
import { ModuleGraph } from "./module-graph.ts"
import { rawText } from "./raw-text.ts"
import { shorten } from "./shorten.ts"

/** Where something is that an entry exports. */
export interface Exported {
  readonly chunk: string
  readonly name: string
}

export interface Chunks {
  /** From the name of a chunk to its text, the body of a function (thread.ts); each comes after those that are loaded before it. */
  readonly texts: ReadonlyMap<string, string>
  /** By the name of an entry, and by that of what it exports. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, Exported>>
  /** What joins the classes of copies: `joinCopies` of src/per-thread.ts. */
  readonly joinCopies: Exported
  /** What each takes from modules of the runtime when it is loaded: the names of modules, and the names of what they export. */
  readonly builtins: ReadonlyMap<string, readonly (readonly [string, readonly string[]])[]>
  /** The chunks that each may load. */
  readonly uses: ReadonlyMap<string, readonly string[]>
  /** Those that every thread of a pool loads. */
  readonly first: ReadonlySet<string>
  /** The one with the program of a worker thread. */
  readonly program: string
  /** The hash of all of it. */
  readonly build: string
  /** The expression for the registry that all copies of this version share in a thread (src/per-thread.ts). */
  readonly registry: string
}

/** Stands for the hash until it is known; of the same length. */
const UNKNOWN_BUILD = "0123456789ab"

/** Where the package is; undefined in a bundle, and in a thread that was started from a text. In place of `import.meta.url`. */
const PLACE = `const corepoolPlace = corepoolHost.place;\n`

/** Code takes what modules of the runtime had in them when the thread began (thread.ts), or the program (own-loader.ts). */
const OF_RUNTIME = `const ${BUILTIN} = corepoolHost.builtin;\n`
const TAKEN = new RegExp(`const \\{ ([^}]*) \\} = ${BUILTIN}\\("([^"]+)"\\)`, "g")

/**
 * The files that every thread of a pool loads, in this order: those of its program, and those that a task's module loads by `import "corepool"`. The
 * others would be compiled for nothing, as a rule.
 */
const TABLE = new ChunkTable(CHUNKS)
const FIRST: readonly string[] = [...new Set([...TABLE.loadedBy("worker"), ...TABLE.loadedBy("main")])]

/** All files. A file's number, by which threads know it, is its place here. */
const ORDER: readonly string[] = [...FIRST, ...TABLE.names.filter((name) => !FIRST.includes(name))]

/** What some modules are in a bundle. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  [
    "host/node/threads/worker-source.js",
    `export const BUILD = "${UNKNOWN_BUILD}"
     export const threadFile = () => corepoolHost.place ?? ""
     export const workerSource = () => corepoolHost.source()
     export const textMemory = () => corepoolHost.memory
     export const readTexts = () => corepoolHost.read()
     const FIRST = ${JSON.stringify(FIRST)}
     export const takeScripts = () => {
       const loaded = corepoolHost.scripts
       const scripts = new Map()
       FIRST.forEach((name, number) => {
         if (loaded.has(name)) scripts.set(number, loaded.get(name))
       })
       loaded.clear()
       return scripts
     }`,
  ],
  ["host/node/server/monitor-page.js", `export const monitorPage = () => ${load("monitor-page")}`],
  [
    "host/node/code/evaluation.js",
    `export const importModule = corepoolHost.importModule
     export const functionOf = corepoolHost.functionOf`,
  ],
])

/** The texts of modules, and files that export what other files, and the entries, take from them. */
function linkedModules({ texts, exports, taken }: Linked): Plugin {
  return {
    name: "linked modules",
    setup(builder) {
      builder.onResolve({ filter: /^entry:/ }, ({ path }) => ({
        path: path.slice("entry:".length),
        namespace: "entry",
      }))
      builder.onLoad({ filter: /./, namespace: "entry" }, ({ path }) => ({
        contents: [...(exports.get(path) ?? [])]
          .map(([name, origin]) => `export { ${origin.name} as ${name} } from "corepool:${origin.module}"\n`)
          .join(""),
      }))
      builder.onResolve({ filter: /^corepool:/ }, ({ path }) => ({
        path: path.slice("corepool:".length),
        namespace: "module",
      }))
      // Only of all that a module exports: `import * as`.
      builder.onResolve({ filter: /^\.{1,2}\//, namespace: "module" }, ({ path, importer }) => ({
        path: posix.join(posix.dirname(importer), path),
        namespace: "module",
      }))
      for (const [prefix, text] of [
        [FILE, fileModule],
        [LATER, laterModule],
      ] as const) {
        builder.onResolve({ filter: new RegExp(`^${prefix}`) }, ({ path }) => ({
          path: path.slice(prefix.length),
          namespace: prefix,
        }))
        builder.onLoad({ filter: /./, namespace: prefix }, ({ path }) => ({
          contents: text(path.slice(path.indexOf("/") + 1), [...(taken.get(path) ?? [])]),
        }))
      }
      builder.onLoad({ filter: /./, namespace: "module" }, ({ path }) => ({ contents: texts.get(path) ?? "" }))
    },
  }
}

/** `more` are texts that are published and loaded as chunks are, and are not made of modules of src. */
export async function bundleChunks(
  root: string,
  version: string,
  more: Iterable<readonly [string, string]>,
): Promise<Chunks> {
  const graph = new ModuleGraph(join(root, COMPILED), REPLACED)
  const linker = new Linker(graph, TABLE)
  const found = ENTRIES.map(({ name: entry, module }) => {
    const path = `${module}.js`
    const exports = graph.exportsOf(path).map((name): [string, Exported] => {
      const at = linker.export(path, name)
      return [name, { chunk: at.chunk, name: at.name }]
    })
    return [entry, new Map(exports)] as const
  })
  const joinCopies = linker.export("per-thread.js", "joinCopies")
  const program = ["begin", "enter"].map((name) => linker.exportByName(`${PROGRAM}.js`, name))[0] ?? ""
  const linked = linker.finish()
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: CHUNKS.map(({ name }) => ({ in: `entry:${name}`, out: name })),
    outdir: ".", // of the names; nothing is written
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    legalComments: "none",
    define: { "import.meta.url": "corepoolPlace" },
    external: [`${CHUNK}*`],
    plugins: [linkedModules(linked)],
    logLevel: "warning",
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path, ".js"), text]))
  const symbol = `globalThis.Symbol.for("corepool@${version}")`
  const registry = registryOf(symbol)
  const key = (file: string): string => JSON.stringify(`${UNKNOWN_BUILD}/${file}`)
  const chunks = ORDER.map((name) => {
    const text = asCommonJs(name, texts.get(name) ?? "", (source) => load(source.slice(CHUNK.length)))
    const before = `${text.includes("corepoolPlace") ? PLACE : ""}${text.includes(BUILTIN) ? OF_RUNTIME : ""}`
    return { name, builtins: builtinsIn(text), loads: loadsIn(text), uses: globalsIn(name, `${before}${text}`) }
  })
  const kept = [...new Set(chunks.flatMap(({ uses }) => uses.names))].toSorted((a, b) => (a < b ? -1 : 1)).join(", ")
  const shortened = await Promise.all(
    chunks.map(async ({ name, uses: { text, pattern } }, at): Promise<[string, string]> => {
      // The first one needs none of the others, and every entry needs it. So it is there before any task.
      const keep =
        at > 0
          ? ""
          : `corepoolParts.set(${key("globals")}, (({ ${kept} }) => ({ ${kept}, Math: Object.defineProperties({}, Object.getOwnPropertyDescriptors(Math)) }))(globalThis));\n`
      const head = `"use strict";\nconst { parts: corepoolParts, file: corepoolFile } = corepoolHost;\n${keep}const ${pattern} = corepoolParts.get(${key("globals")}) ?? globalThis;\n`
      return [name, rawText(name, await shorten(name, `${head}${text}`))]
    }),
  )
  const all = [...shortened, ...more]
  const hash = createHash("sha256")
  for (const [name, text] of all) hash.update(`${name}\n${text}\n`)
  const known = hash.digest("hex").slice(0, UNKNOWN_BUILD.length)
  return {
    texts: new Map(all.map(([name, text]) => [name, text.replaceAll(UNKNOWN_BUILD, known)])),
    entries: new Map(found),
    joinCopies,
    builtins: new Map(chunks.map(({ name, builtins }) => [name, builtins])),
    uses: new Map(chunks.map(({ name, loads }) => [name, loads])),
    first: new Set(FIRST),
    program,
    build: known,
    registry,
  }
}

const LOADED = /\bcorepoolFile\("([a-z-]+)"\)/g

/** The chunks that the text of a chunk may load. */
function loadsIn(text: string): string[] {
  return [...new Set([...text.matchAll(LOADED)].map(([, name = ""]) => name))]
}

/** What the text of a file takes from modules of the runtime. */
function builtinsIn(text: string): [string, string[]][] {
  return [...text.matchAll(TAKEN)].map(([, names = "", module = ""]) => [
    module,
    names.split(", ").map((pair) => pair.replace(/:.*/, "")),
  ])
}

/** The expression for what a chunk exports, whether it has been loaded or not. */
export function load(chunk: string): string {
  return `corepoolFile("${chunk}")`
}

/** The expression for it, in which no name is one that a chunk may take for itself. It is a property that stays: see src/per-thread.ts. */
function registryOf(key: string): string {
  return `(globalThis[${key}] ?? globalThis.Object.defineProperty(globalThis, ${key}, { __proto__: null, value: new globalThis.Map() })[${key}])`
}
