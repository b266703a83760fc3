/** The types of the package: the compiler's declarations, rolled up into one file that the entries name their parts of. */
import { join } from "node:path"
import { rolldown } from "rolldown"
import { dts } from "rolldown-plugin-dts"
import { COMPILED, ENTRIES, WORKER_ENTRY } from "./entries.ts"

/** `Symbol.dispose` is in the library of newer compilers only. The bundler leaves such lines out. */
const LIBRARIES = `/// <reference lib="esnext.disposable" preserve="true" />\n`

/** From the name of a file to its text. */
export async function rollUpDeclarations(root: string): Promise<Map<string, string>> {
  const entries = [...ENTRIES, WORKER_ENTRY]
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(({ name, module }) => [name, join(root, COMPILED, `${module}.d.ts`)])),
    plugins: [dts({ dtsInput: true, tsconfig: false, sourcemap: false })],
    external: [/^node:/, "croner"],
    checks: { bundlerTimings: false }, // a busy machine would make it a warning
  })
  const { output } = await bundle.generate({
    format: "es",
    codeSplitting: { groups: [{ name: "types", test: /./ }] },
    chunkFileNames: "[name].d.ts",
  })
  await bundle.close()
  return new Map(
    output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, `${LIBRARIES}${file.code}`] as const] : [])),
  )
}
