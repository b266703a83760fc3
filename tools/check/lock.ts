/**
 * The lock files are whole: [RP27] in docs/spec/repository.md.
 *
 * Tools written in other languages come as a package per platform. A registry that lacks one makes `npm install`
 * leave it out of the lock file without a word, and the next `npm ci` fails for everybody. An entry with version, os
 * and cpu is enough to mend it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { readText } from "./files.ts"
import type { Finding } from "./finding.ts"

interface Entry {
  readonly resolved?: string
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

/** Of the package, and of what has packages of its own. */
const FOLDERS = ["", "bench/", "docs/site/", "tools/runtimes/"]

export function checkLock(root: string): Finding[] {
  return FOLDERS.flatMap((folder) => {
    const where = `${folder}package-lock.json`
    if (existsSync(join(root, where))) return checkFile(root, where)
    return existsSync(join(root, `${folder}package.json`)) || folder === "" ? [{ where, what: "is missing" }] : []
  })
}

function checkFile(root: string, where: string): Finding[] {
  const { packages } = JSON.parse(readText(root, where)) as { packages: Record<string, Entry> }
  const findings: Finding[] = []
  for (const [path, entry] of Object.entries(packages)) {
    const user = path === "" ? "package.json" : path
    for (const name of Object.keys({
      ...entry.dependencies,
      ...entry.devDependencies,
      ...entry.optionalDependencies,
    })) {
      if (!isFound(packages, path, name)) findings.push({ where, what: `${name}, asked for by ${user}, has no entry` })
    }
    if (entry.resolved !== undefined) {
      findings.push({
        where,
        what: `${user} names a registry: ${entry.resolved} (npm install --omit-lockfile-registry-resolved)`,
      })
    }
  }
  return findings
}

/** Looks where node would: beside the package that asks, then one folder up, to the top. */
function isFound(packages: Readonly<Record<string, Entry>>, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    if (`${folder === "" ? "" : `${folder}/`}node_modules/${name}` in packages) return true
    if (folder === "") return false
  }
}
