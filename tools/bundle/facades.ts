/**
 * The entries of the package, each for `import` and for `require`: modules that name what a part has. Both have it from the same file, so
 * a program that imports an entry in one place and requires it in another has one corepool.
 */
import { type Chunks, type Exported, load, withoutPlaceholders } from "./chunks.ts"
import { ENTRIES, WORKER_ENTRY } from "./entries.ts"
import { keepTexts } from "./own-loader.ts"
import { shorten } from "./shorten.ts"

/** From the name of a file to its text. */
export async function makeFacades(chunks: Chunks): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const parts = new Map<string, Map<string, Exported>>()
  for (const { name, part } of ENTRIES) {
    const exported = chunks.entries.get(name) ?? new Map<string, Exported>()
    const names = [...exported.keys()]
    files.set(`${name}.js`, facade(part, names))
    files.set(`${name}.cjs`, commonFacade(part, names))
    parts.set(part, new Map([...(parts.get(part) ?? []), ...exported]))
  }
  const { name } = WORKER_ENTRY
  files.set(`${name}.js`, `import part from "./part-${name}.cjs";\npart.enter();\n`)
  files.set(`${name}.cjs`, `"use strict";\nrequire("./part-${name}.cjs").enter();\n`)
  parts.set(name, new Map([["enter", { file: chunks.program, name: "enter" }]]))
  for (const [part, exported] of parts) {
    const text = await shorten(`part-${part}.cjs`, gathered(exported, chunks))
    files.set(`part-${part}.cjs`, withoutPlaceholders(text))
  }
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

/** What an entry has, from the files that have it. */
function gathered(exported: ReadonlyMap<string, Exported>, chunks: Chunks): string {
  const { head, joinCopies } = chunks
  const files = [...new Set([joinCopies, ...exported.values()].map(({ file }) => file))].toSorted()
  const from = ({ file, name }: Exported): string => `code${files.indexOf(file)}.${name}`
  const lines = [
    `"use strict";`,
    head.trim(),
    ...files.map((file, at) => `const code${at} = ${load(file)};`),
    "const part = {",
    ...[...exported].map(([as, it]) => `  ${as}: ${from(it)},`),
    "};",
    `${from(joinCopies)}(part);`,
    keepTexts(chunks, files),
    "module.exports = part;",
  ]
  return `${lines.join("\n")}\n`
}
