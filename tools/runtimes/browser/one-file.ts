/** Makes one file of a module and all that it imports, for browsers. */
import { build, type BuildOptions } from "esbuild"

export async function oneFile(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    bundle: true,
    format: "esm",
    platform: "browser",
    // Classes have the names that tests know.
    keepNames: true,
    write: false,
    logLevel: "error",
    ...options,
  })
  return outputFiles?.[0]?.text ?? ""
}
