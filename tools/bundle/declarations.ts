/**
 * The types of the package: the compiler's declarations, rolled up into one file that the entries name their parts of.
 *
 * An entry has two files of types, as it has two of code: to a compiler, `.d.ts` is an ES module and `.d.cts` a CommonJS module, which
 * may not require the former (TypeScript with `module: node16`). The file that both name is of the kind that either may import.
 */
import { join } from "node:path"
import { rolldown } from "rolldown"
import { dts } from "rolldown-plugin-dts"
import { withVisibleComments } from "./declaration-comments.ts"
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
  })
  await bundle.close()
  const files = new Map<string, string>()
  for (const file of output) {
    if (file.type !== "chunk") continue
    const code = file.isEntry ? file.code : withVisibleComments(file.fileName, file.code)
    const text = LIBRARIES + code.replaceAll(`from "./${SHARED}.js"`, `from "./${SHARED}.cjs"`)
    const common = file.fileName.replace(/\.ts$/, ".cts")
    files.set(common, text)
    if (file.isEntry) files.set(file.fileName, text)
  }
  return files
}
