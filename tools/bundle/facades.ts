/**
 * The entries of the package, each for `import` and for `require`: modules that name what a part has. Both have it from the same file, so
 * a program that imports an entry in one place and requires it in another has one corepool.
 */
import { build } from "esbuild"
import { basename } from "node:path"
import type { Chunks } from "./chunks.ts"
import { COMPILED, ENTRIES, WORKER_ENTRY } from "./entries.ts"

/** From the name of a file to its text. */
export async function makeFacades(root: string, chunks: Chunks): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const names = await exportsOfEntries(root)
  for (const { name, part } of ENTRIES) {
    files.set(`${name}.js`, facade(part, names.get(name) ?? []))
    files.set(`${name}.cjs`, commonFacade(part, names.get(name) ?? []))
    files.set(`part-${part}.cjs`, loader(part, chunks))
  }
  const { name } = WORKER_ENTRY
  files.set(`${name}.js`, `import part from "./part-${name}.cjs";\npart.enter();\n`)
  files.set(`${name}.cjs`, `"use strict";\nrequire("./part-${name}.cjs").enter();\n`)
  files.set(`part-${name}.cjs`, loader(name, chunks))
  return files
}

/**
 * By a default import: what a runtime guesses of the names that a CommonJS module exports is not needed then. The variables have
 * names of their own, or a bundler would rename the classes, lest their names be taken for these.
 */
function facade(part: string, names: readonly string[]): string {
  const taken = names.map((name, at) => `  ${name}: corepool${at},\n`).join("")
  const given = names.map((name, at) => `  corepool${at} as ${name},\n`).join("")
  return `import part from "./part-${part}.cjs";\nconst {\n${taken}} = part;\nexport {\n${given}};\n`
}

/** In the form that runtimes can read names from. */
function commonFacade(part: string, names: readonly string[]): string {
  const given = names.map((name) => `exports.${name} = part.${name};\n`).join("")
  return `"use strict";\nObject.defineProperty(exports, "__esModule", { value: true });\nconst part = require("./part-${part}.cjs");\n${given}`
}

function loader(part: string, { registry, load, fileOf }: Chunks): string {
  const lines = [
    `"use strict";`,
    `const corepoolParts = ${registry};`,
    `const part = ${load(fileOf(part))};`,
    "part.joinCopies(part);",
    "module.exports = part;",
  ]
  return `${lines.join("\n")}\n`
}

async function exportsOfEntries(root: string): Promise<Map<string, string[]>> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.map(({ name, module }) => ({ in: `${COMPILED}/${module}.js`, out: name })),
    outdir: ".",
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
  })
  return new Map(
    Object.entries(metafile.outputs).map(([path, { exports }]) => [basename(path, ".js"), exports.toSorted()]),
  )
}
