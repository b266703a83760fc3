/**
 * The types of the package: the compiler's declarations, rolled up into one file that the entries name their parts of.
 *
 * An entry has two files of types, as it has two of code: to a compiler, `.d.ts` is an ES module and `.d.cts` a CommonJS module, which
 * may not require the former (TypeScript with `module: node16`), but may be imported by it. So the latter names what the entry has, and the former passes all of that on.
 */
import { join } from "node:path"
import { parseSync } from "oxc-parser"
import { rolldown } from "rolldown"
import { dts } from "rolldown-plugin-dts"
import { withVisibleComments } from "./declaration-comments.ts"
import { withPackedComments } from "./packed-comments.ts"
import { type Renamed, withDeclaredNames } from "./declared-names.ts"
import { COMPILED, ENTRIES, WORKER_ENTRY } from "./entries.ts"

/** `Symbol.dispose` is in the library of newer compilers only. The bundler leaves such lines out. */
const LIBRARIES = `/// <reference lib="esnext.disposable" preserve="true" />\n`

/** The name of the file that has all types. */
const SHARED = "types"

/** From the name of a file to its text. */
export async function rollUpDeclarations(root: string): Promise<Map<string, string>> {
  const entries = [...ENTRIES, WORKER_ENTRY]
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ name, module }) => [name, join(root, COMPILED, `${module}.d.ts`)])),
    plugins: [dts({ dtsInput: true, tsconfig: false, sourcemap: false })],
    external: [/^node:/, "croner", "bullmq", "pg", "ioredis"],
    checks: { bundlerTimings: false }, // a busy machine would make it a warning
  })
  const { output } = await bundle.generate({
    format: "es",
    codeSplitting: { groups: [{ name: SHARED, test: /./ }] },
    chunkFileNames: "[name].d.ts",
    minifyInternalExports: false,
  })
  await bundle.close()
  const files = new Map<string, string>()
  const chunks = output.filter((file) => file.type === "chunk")
  const shared = chunks.find((file) => !file.isEntry)
  if (shared === undefined) throw new Error("The bundler made no file that has all types")
  const main = chunks.find((file) => file.name === ENTRIES[0]?.name)
  const exported = main === undefined ? [] : exportedBy(main.fileName, main.code)
  const { text, renamed } = withDeclaredNames(shared.fileName, shared.code, new Map(exported))
  for (const file of chunks) {
    const common = file.fileName.replace(/\.ts$/, ".cts")
    const code = file.isEntry ? passedOn(file.fileName, file.code, renamed) : declarationsIn(file.fileName, text)
    files.set(common, LIBRARIES + code.replaceAll(`from "./${SHARED}.js"`, `from "./${SHARED}.cjs"`))
    if (file.isEntry && file.name !== WORKER_ENTRY.name)
      files.set(file.fileName, `export * from "./${file.name}.cjs";\n`)
  }
  return files
}

function declarationsIn(name: string, text: string): string {
  return withPackedComments(name, withVisibleComments(name, text))
}

/** The text of an entry, which imports what it exports, in one statement. */
function passedOn(name: string, text: string, renamed: Renamed): string {
  const [imports] = parseSync(name, text, { sourceType: "module" }).program.body
  if (imports?.type !== "ImportDeclaration") return text
  const names = exportedBy(name, text).map(([before, as]) => {
    const from = renamed.get(before) ?? before
    return from === as ? from : `${from} as ${as}`
  })
  return `export { ${names.join(", ")} } from "${imports.source.value}";\n`
}

/** What an entry exports: the name in the file that it imports from, and its own. */
function exportedBy(name: string, text: string): [string, string][] {
  const [imports, exports] = parseSync(name, text, { sourceType: "module" }).program.body
  if (imports?.type !== "ImportDeclaration" || exports?.type !== "ExportNamedDeclaration") return []
  const imported = new Map(
    imports.specifiers.map((one) => [one.local.name, text.slice(one.start, one.end).replace(/ as .*/, "")]),
  )
  return exports.specifiers.map(({ local, exported }) => {
    const [own = "", as = ""] = [local, exported].map(({ start, end }) => text.slice(start, end))
    return [imported.get(own) ?? "", as]
  })
}
