/** The reference in docs/reference: made by TypeDoc from the comments of src, and committed: [RP68]. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { listFiles, readText } from "../check/files.ts"
import type { Finding } from "../check/finding.ts"
import { runNode, saidBy } from "../check/run.ts"
import { entryText, MODULES } from "./entries.ts"

/** The folder that has the tools of the site, and what they make, which is not committed. */
export const SITE = "docs/site"
export const MADE = `${SITE}/build`
export const REFERENCE = "docs/reference"

/** From a path in the reference to its text. */
export type Pages = ReadonlyMap<string, string>

const OPTIONS = {
  plugin: ["typedoc-plugin-markdown"],
  name: "Reference",
  readme: "none",
  skipErrorChecking: true, // TypeScript 7 has checked it; TypeDoc needs an older one, which differs
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  hideGenerator: true,
  validation: { notExported: false, invalidLink: false },
  hidePageHeader: true,
  useCodeBlocks: true,
  parametersFormat: "table",
}

/** Made anew from the comments of src. */
export async function makeReference(root: string): Promise<Pages> {
  const work = join(root, MADE, "typedoc")
  const out = join(work, "pages")
  rmSync(work, { recursive: true, force: true })
  mkdirSync(work, { recursive: true })
  const entryPoints = Object.keys(MODULES).map((module) => {
    const path = join(work, `${module.replaceAll("/", "-")}.ts`)
    writeFileSync(path, entryText(module, relative(dirname(path), join(root, "src"))))
    return path
  })
  const tsconfig = join(work, "tsconfig.json")
  writeFileSync(tsconfig, JSON.stringify(compilerOptions(root, work, entryPoints)))
  const options = join(work, "typedoc.json")
  writeFileSync(options, JSON.stringify({ ...OPTIONS, entryPoints, tsconfig, out }))
  const typedoc = join(root, SITE, "node_modules/typedoc/bin/typedoc")
  const outcome = await runNode([typedoc, "--options", options], { cwd: join(root, SITE) })
  if (outcome.code !== 0) throw new Error(`TypeDoc: ${saidBy(outcome)}`)
  return new Map(listPages(out).map((path) => [path, readText(out, path)]))
}

function compilerOptions(root: string, work: string, files: readonly string[]): unknown {
  return {
    extends: relative(work, join(root, "tsconfig.base.json")),
    compilerOptions: {
      composite: false,
      declarationMap: false,
      noEmit: true,
      rootDir: root,
      typeRoots: [join(root, "node_modules/@types")],
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
    },
    files,
  }
}

/** Not by `listFiles` of the root: what it is in is called build. */
function listPages(folder: string): string[] {
  return listFiles(folder, "", ".md")
}

/** [RP68] What of the reference that is committed differs from what would be made. */
export function differences(root: string, made: Pages): Finding[] {
  const committed = existsSync(join(root, REFERENCE)) ? listPages(join(root, REFERENCE)) : []
  const all = [...new Set([...committed, ...made.keys()])].toSorted()
  return all.flatMap((path) => {
    const where = `${REFERENCE}/${path}`
    const text = made.get(path)
    if (text === undefined) return [{ where, what: "is of no use any more" }]
    if (!committed.includes(path)) return [{ where, what: "is missing" }]
    return readText(join(root, REFERENCE), path) === text ? [] : [{ where, what: "is out of date" }]
  })
}

export function writeReference(root: string, made: Pages): void {
  rmSync(join(root, REFERENCE), { recursive: true, force: true })
  for (const [path, text] of made) {
    mkdirSync(dirname(join(root, REFERENCE, path)), { recursive: true })
    writeFileSync(join(root, REFERENCE, path), text)
  }
}
