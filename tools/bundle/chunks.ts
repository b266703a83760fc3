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
import { build, type Metafile, type Plugin } from "esbuild"
import { createHash } from "node:crypto"
import { basename, join } from "node:path"
import { asCommonJs } from "./common-js.ts"
import { globalsIn } from "./globals.ts"
import { shorten } from "./shorten.ts"
import { COMPILED, modulesOfParts } from "./entries.ts"

type Outputs = Metafile["outputs"]

export interface Chunks {
  /** From the name of a file to its text; a part's own file comes after all that it needs. */
  readonly files: ReadonlyMap<string, string>
  /** The file that exports what a part has. */
  readonly fileOf: (part: string) => string
  /** The hash of all of it. */
  readonly build: string
  /** The expression for the registry that all copies of this version share in a thread (src/per-thread.ts). */
  readonly registry: string
  /** The expression for what a file exports, whether it has been loaded or not. */
  readonly load: (file: string) => string
}

/** Stands for the hash until it is known; of the same length. */
const UNKNOWN_BUILD = "0123456789ab"

/** What the tools would make something else of: `require`, and an `import()` with comments for the bundlers of users. */
const PLACEHOLDERS: readonly [RegExp, string][] = [
  [/\bcorepoolRequire\(`([^`]*)`\)/g, `require("$1")`],
  [/\bcorepoolImport\(/g, "import(/* webpackIgnore: true */ /* @vite-ignore */ "],
]

/** Where a file is; undefined in a bundle, and in a thread that was started from a text. In place of `import.meta.url`. */
const PLACE = `const corepoolPlace = typeof __filename === "string" && /^(?:[/\\\\]|[A-Za-z]:)/.test(__filename) ? __filename : undefined;\n`

/** What some modules are in a bundle. */
const REPLACED: ReadonlyMap<string, string> = new Map([
  [
    "platform/worker-source.js",
    `const OWN = /code-[^/\\\\]*\\.cjs$/
     export const BUILD = "${UNKNOWN_BUILD}"
     export const threadFile = () => corepoolPlace !== undefined && OWN.test(corepoolPlace) ? corepoolPlace.replace(OWN, "corepool-thread.cjs") : ""
     export const workerSource = () => corepoolRequire("./source.cjs")`,
  ],
  [
    "task/host.js",
    `const own = {
       importModule: (url) => corepoolImport(url),
       functionOf: (body) => new Function(body),
     }
     export const { importModule, functionOf } = typeof corepoolHost === "object" ? corepoolHost : own`,
  ],
])

function given(root: string, parts: ReadonlyMap<string, readonly string[]>): Plugin {
  const folder = join(root, COMPILED)
  return {
    name: "parts and replaced modules",
    setup(builder) {
      builder.onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice(5), namespace: "part" }))
      builder.onLoad({ filter: /./, namespace: "part" }, ({ path }) => ({
        contents: [
          ...(parts.get(path) ?? []).map((module) => `export * from "./${module}.js"\n`),
          'export { joinCopies } from "./per-thread.js"',
        ].join(""),
        resolveDir: folder,
      }))
      for (const [module, contents] of REPLACED) {
        const filter = new RegExp(`[/\\\\]src[/\\\\]${module.replaceAll("/", "[/\\\\]").replace(".", "\\.")}$`)
        builder.onLoad({ filter }, () => ({ contents }))
      }
      // A part that loads another one asks for the part.
      builder.onResolve({ filter: /\/(?:all-classes|job-part)\.js$/ }, ({ kind }) =>
        kind === "dynamic-import" ? { path: "rest", namespace: "part" } : undefined,
      )
    },
  }
}

export async function bundleChunks(root: string, version: string): Promise<Chunks> {
  const parts = modulesOfParts()
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...parts.keys()].map((part) => ({ in: `part:${part}`, out: part })),
    outdir: ".", // of the names; nothing is written
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    minifySyntax: true,
    legalComments: "none",
    define: { "import.meta.url": "corepoolPlace" },
    plugins: [given(root, parts)],
    logLevel: "warning",
  })
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]))
  // What several parts share may be nothing but modules that name other modules.
  const outputs = Object.fromEntries(Object.entries(metafile.outputs).filter(([, { bytes }]) => bytes > 0))
  const names = namesOf(outputs, [...parts.keys()])
  const nameOf = (path: string): string => {
    const name = names.get(basename(path))
    if (name === undefined) throw new Error(`The bundler has made no ${path}`)
    return name
  }
  const registry = registryOf(`globalThis.Symbol.for("corepool@${version}")`)
  const key = (file: string): string => JSON.stringify(`${UNKNOWN_BUILD}/${file}`)
  const load = (file: string): string =>
    `(corepoolParts.get(${key(file)}) ?? corepoolParts.get(${key("load")})?.(${JSON.stringify(file)}) ?? require("./${file}"))`

  const files = inOrder(outputs, nameOf).map((path) => {
    const name = nameOf(path)
    const text = asCommonJs(name, texts.get(basename(path)) ?? "", (other) =>
      names.has(basename(other)) ? load(nameOf(other)) : undefined,
    )
    return { name, uses: globalsIn(name, `${text.includes("corepoolPlace") ? PLACE : ""}${text}`) }
  })
  const kept = [...new Set(files.flatMap(({ uses }) => uses.names))].toSorted((a, b) => (a < b ? -1 : 1))
  const translated = files.map(({ name, uses: { text, pattern } }, at): [string, string] => {
    // The first file needs none of the others, and every part needs it. So it is there before any task.
    const keep =
      at > 0
        ? ""
        : `corepoolParts.set(${key("globals")}, (({ ${kept.join(", ")} }) => ({ ${kept.join(", ")} }))(globalThis));\n`
    const head = `"use strict";\nconst corepoolParts = typeof corepoolHost === "object" ? corepoolHost.parts : ${registry};\n${keep}const ${pattern} = corepoolParts.get(${key("globals")}) ?? globalThis;\n`
    const end = `corepoolParts.has(${key(name)}) || corepoolParts.set(${key(name)}, module.exports);\n`
    return [name, `${head}${text}${end}`]
  })
  const shortened = await Promise.all(
    translated.map(async ([name, text]): Promise<[string, string]> => [name, await shorten(name, text)]),
  )
  const hash = createHash("sha256")
  for (const [name, text] of shortened) hash.update(`${name}\n${text}\n`)
  const known = hash.digest("hex").slice(0, UNKNOWN_BUILD.length)
  const withHash = (text: string): string => text.replaceAll(UNKNOWN_BUILD, known)
  const finished = shortened.map(([name, text]): [string, string] => {
    let meant = withHash(text)
    for (const [placeholder, meaning] of PLACEHOLDERS) meant = meant.replaceAll(placeholder, meaning)
    return [name, meant]
  })
  return {
    files: new Map(finished),
    fileOf: (part) => nameOf(`${part}.js`),
    build: known,
    registry,
    load: (file) => withHash(load(file)),
  }
}

/** The expression for it, in which no name is one that a file may take for itself. It is a property that stays: see src/per-thread.ts. */
function registryOf(key: string): string {
  return `(globalThis[${key}] ?? globalThis.Object.defineProperty(globalThis, ${key}, { __proto__: null, value: new globalThis.Map() })[${key}])`
}

/** From a file that the bundler has made to its name, which says whose code it has: that of a part, or what several of them share. */
function namesOf(outputs: Outputs, parts: readonly string[]): Map<string, string> {
  const users = new Map(Object.keys(outputs).map((path) => [path, new Set<string>()]))
  const visit = (path: string, part: string): void => {
    if (users.get(path)?.has(part) !== false) return
    users.get(path)?.add(part)
    for (const { path: other, kind } of outputs[path]?.imports ?? [])
      if (kind === "import-statement") visit(other, part)
  }
  for (const part of parts) visit(`${part}.js`, part)
  const names = new Map<string, string>()
  for (const [path, of] of users) {
    const isPart = parts.includes(path.replace(/\.js$/, ""))
    names.set(basename(path), isPart ? `code-${path.replace(/\.js$/, "")}.cjs` : `code-for-${[...of].join("-")}.cjs`)
  }
  if (new Set(names.values()).size !== names.size)
    throw new Error(`Two files have one name: ${[...names.values()].join(", ")}`)
  return names
}

/** The files, each after those that it imports; otherwise in the order of their names, and not of those that the bundler has made up. */
function inOrder(outputs: Outputs, nameOf: (path: string) => string): string[] {
  const sorted = (paths: readonly string[]): string[] =>
    paths.filter((path) => path in outputs).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path)) return
    const imports = outputs[path]?.imports.filter(({ kind }) => kind === "import-statement") ?? []
    for (const other of sorted(imports.map((it) => it.path))) visit(other)
    found.add(path)
  }
  for (const path of sorted(Object.keys(outputs))) visit(path)
  return [...found]
}
