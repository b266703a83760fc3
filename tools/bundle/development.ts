/**
 * The package as its own tests, examples and benchmarks see it: build/package.json. It stands nearer to them than the package.json of
 * the repository, so `import "corepool"` there means what is said here:
 *
 * - the compiled modules in build/src, one file for each of src. `#src/…` is the same files, so a test may use both;
 * - with the condition `shipped` (`node --conditions=shipped`), the bundles in dist, which users get.
 *
 * `npm test` sets the condition for every test that imports no module of src (tools/test-kinds.ts). To set it for a test that
 * does would give it two copies of corepool.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ENTRIES, WORKER_ENTRY } from "./entries.ts"

/** From the path of a file in build to its text. */
export function developmentFiles(root: string): Map<string, string> {
  const { name, version, type, imports } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
    fromBuild,
  ) as Record<string, unknown>
  const entries = [...ENTRIES, WORKER_ENTRY]
  const exports = Object.fromEntries(
    entries.map((entry) => [
      entry.name === "index" ? "." : `./${entry.name}`,
      { shipped: `./shipped/${entry.name}.js`, default: `./src/${entry.module}.js` },
    ]),
  )
  const files = new Map([
    ["package.json", `${JSON.stringify({ name, version, type, private: true, exports, imports }, undefined, 2)}\n`],
  ])
  // An entry cannot lead out of its package.
  for (const entry of entries) {
    const text = `export * from "../../dist/${entry.name}.${entry === WORKER_ENTRY ? "cjs" : "js"}"\n`
    files.set(`shipped/${entry.name}.js`, text)
    files.set(`shipped/${entry.name}.d.ts`, text)
  }
  return files
}

/** A path of the repository as seen from build, if it leads there. */
function fromBuild(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.replace(/^\.\/build\//, "./") : value
}
