/** Makes the files of the page demo/index.html: its modules, as a browser loads them. */
import { build } from "esbuild"
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"

/** The page needs nothing from elsewhere, and evaluates no texts. */
export const POLICY = "default-src 'self'; img-src 'self' data:"

/**
 * Writes them to `folder`. The files of dist/browser stay files of their own, as workers need them, and so does the
 * module of tasks, which the page and its workers import.
 */
export async function buildSite(root: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    entryPoints: ["main", "tasks"].map((name) => join(root, `build/demo/${name}.js`)),
    outdir: folder,
    bundle: true,
    format: "esm",
    target: "es2022",
    sourcemap: true,
    alias: { corepool: "./corepool/index.js" },
    external: ["./corepool/index.js", "./tasks.js"],
    logLevel: "error",
  })
  for (const name of ["index.html", "style.css"]) cpSync(join(root, "demo", name), join(folder, name))
  cpSync(join(root, "dist/browser"), join(folder, "corepool"), { recursive: true })
}
