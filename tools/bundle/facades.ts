/**
 * The entries of the package, each for `import` and for `require`. The one for `require` has what it exports from the chunks, and a loader for these (own-loader.ts). The
 * one for `import` has it from that, so a program that imports an entry in one place and requires it in another has one corepool.
 */
import { CALLED_LATER } from "./chunk-table.ts"
import { type Chunks, type Exported, load } from "./chunks.ts"
import { directModule } from "./direct.ts"
import { ENTRIES, WORKER_ENTRY } from "./entries.ts"
import { ownLoader } from "./own-loader.ts"
import { shorten } from "./shorten.ts"
import { reachable, type TextFiles } from "./text-files.ts"

/** What the tools would make something else of: `require`, and an `import()` with comments for the bundlers of users. */
const PLACEHOLDERS: readonly [RegExp, string][] = [
  [/\bcorepoolRequire\(`([^`]*)`\)/g, `require("$1")`],
  [/\bcorepoolImport\(/g, "import(/* webpackIgnore: true */ /* @vite-ignore */ "],
]

/** From the name of a file to its text. */
export async function makeFacades(chunks: Chunks, texts: TextFiles): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const { name } of ENTRIES) {
    const exported = chunks.entries.get(name) ?? new Map<string, Exported>()
    const names = [...exported.keys()]
    files.set(`${name}.js`, name === "index" ? directModule(names, fromTexts(exported, chunks)) : listing(name, names))
    files.set(`${name}.cjs`, await commonModule(name, exported, chunks, texts))
  }
  const { name } = WORKER_ENTRY
  // It exports nothing, so the same file is for `import`.
  const loader = await loaderOf(name, [chunks.program], chunks, texts)
  files.set(`${name}.cjs`, `"use strict";\n${loader}${load(chunks.program)}.enter();\n`)
  return files
}

/** An ES module that lists the exports of the CommonJS module. */
function listing(name: string, names: readonly string[]): string {
  return `export {\n${names.map((it) => `  ${it},\n`).join("")}} from "./${name}.cjs";\n`
}

/** Statements that return what an entry exports, in a thread with a loader for all texts. */
function fromTexts(exported: ReadonlyMap<string, Exported>, { build, registry, joinCopies }: Chunks): string {
  const begin = [...new Set([joinCopies, ...exported.values()].map(({ chunk }) => chunk))].filter(
    (chunk) => !CALLED_LATER.has(chunk),
  )
  const short = (chunk: string): string => `c${begin.indexOf(chunk)}`
  const value = (name: string, it: Exported): string =>
    CALLED_LATER.has(it.chunk)
      ? `${name}: function ${name}(...its) { return file("${it.chunk}").${it.name}(...its); }`
      : `${name}: ${short(it.chunk)}.${it.name}`
  return `const file = ${registry}.get("${build}/thread");
  if (file === undefined) return undefined;
  const [${begin.map(short).join(", ")}] = ${JSON.stringify(begin)}.map(file);
  const exports = { ${[...exported].map(([name, it]) => value(name, it)).join(", ")} };
  ${short(joinCopies.chunk)}.${joinCopies.name}(exports);
  return exports;`
}

/** The chunks that have something of an entry. */
export function chunksOf(chunks: Chunks, entry: string): string[] {
  const exported = chunks.entries.get(entry)?.values() ?? []
  return [...new Set([chunks.joinCopies, ...exported].map(({ chunk }) => chunk))].toSorted()
}

/** Its exports are in the form that runtimes can read names from; and so they are not made shorter. */
async function commonModule(
  entry: string,
  exported: ReadonlyMap<string, Exported>,
  chunks: Chunks,
  texts: TextFiles,
): Promise<string> {
  const { joinCopies } = chunks
  const all = chunksOf(chunks, entry)
  const begin = all.filter((chunk) => !CALLED_LATER.has(chunk))
  const from = ({ chunk, name }: Exported): string => `corepool${begin.indexOf(chunk)}.${name}`
  const value = (name: string, it: Exported): string =>
    CALLED_LATER.has(it.chunk) ? `function ${name}(...its) { return ${load(it.chunk)}.${it.name}(...its); }` : from(it)
  const lines = [
    `"use strict";`,
    `Object.defineProperty(exports, "__esModule", { value: true });`,
    await loaderOf(entry, all, chunks, texts),
    ...begin.map((chunk, at) => `const corepool${at} = ${load(chunk)};`),
    ...[...exported].map(([name, it]) => `exports.${name} = ${value(name, it)};`),
    `${from(joinCopies)}(exports);`,
  ]
  return `${lines.join("\n")}\n`
}

/**
 * The entries whose programs use `corepool`, too: they take its loader by `require`, and tell it of the texts that they have besides. A loader in each of them would make
 * the package 10 KB larger.
 */
const AFTER_INDEX: ReadonlySet<string> = new Set(["monitor", "compat", "prometheus", "trace", "otel", "distributed"])

function textsBesides(chunks: Chunks, texts: TextFiles, begin: readonly string[]): string {
  const { build, registry } = chunks
  const known = reachable(chunks, chunksOf(chunks, "index"))
  const wanted = [...reachable(chunks, begin)].filter((name) => !known.has(name))
  const numbers = [...new Set(wanted.map((name) => texts.places.get(name)?.file ?? 0))].toSorted((a, b) => a - b)
  const rows = [...texts.places].filter(([, { file }]) => numbers.includes(file))
  const table = rows.map(([name, { file, start, end, line }]) => [name, file, start, end, line])
  const required = texts.files.flatMap(({ name }, number) =>
    numbers.includes(number) ? [`${number}: () => corepoolRequire(\`./${name}\`)`] : [],
  )
  return `corepoolRequire(\`./index.cjs\`);
const corepoolParts = ${registry};
const corepoolTexts = corepoolParts.get("${build}/texts");
const corepoolGroups = { ${required.join(", ")} };
for (const [name, file, start, end, line] of ${JSON.stringify(table)}) {
  if (!corepoolTexts.has(name)) corepoolTexts.set(name, [file, start, end, line, () => corepoolGroups[file]()[name]]);
}
const corepoolFile = corepoolParts.get("${build}/file");
corepoolParts.get("${build}/read")?.(${JSON.stringify(numbers)});
`
}

/** A statement that declares `corepoolFile`. */
async function loaderOf(entry: string, begin: readonly string[], chunks: Chunks, texts: TextFiles): Promise<string> {
  const statements = AFTER_INDEX.has(entry)
    ? textsBesides(chunks, texts, begin)
    : ownLoader(chunks, texts, entry, begin)
  const text = `"use strict";module.exports = (() => {\n${statements}return corepoolFile;\n})();`
  let shorter = await shorten(`${entry}.cjs`, text)
  for (const [placeholder, meaning] of PLACEHOLDERS) shorter = shorter.replaceAll(placeholder, meaning)
  return shorter.replace(/^"use strict";module\.exports=/, "const corepoolFile=")
}
