/**
 * The command `corepool`, from build/cli: `cli.js`, and `cli-batch.js` with the functions that its threads run. Both import corepool from the
 * package's own files, as a program does. commander is inside, so that the package has no dependencies.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { ENTRIES } from "./entries.ts"

export async function bundleCommandLine(root: string): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    absWorkingDir: join(root, "build/cli"),
    entryPoints: { cli: "main.js", "cli-batch": "batch.js" },
    outdir: "out",
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    legalComments: "none",
    minify: true,
    // commander is CommonJS, and gets the modules of the runtime by `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    plugins: [
      {
        name: "own files",
        setup(plugin) {
          const entries = new Map(ENTRIES.map(({ name }) => [name === "index" ? "corepool" : `corepool/${name}`, name]))
          plugin.onResolve({ filter: /^corepool(?:\/|$)/ }, ({ path }) => {
            const name = entries.get(path)
            if (name === undefined) throw new Error(`There is no entry ${path}`)
            return { path: `./${name}.js`, external: true }
          })
          plugin.onResolve({ filter: /^\.\/batch\.js$/ }, ({ kind }) =>
            kind === "entry-point" ? undefined : { path: "./cli-batch.js", external: true },
          )
        },
      },
    ],
    logLevel: "warning",
  })
  return new Map(outputFiles.map(({ path, text }) => [path.slice(path.lastIndexOf("/") + 1), text]))
}
