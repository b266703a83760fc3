/** The files of a repository, without what is installed or built. */
import { type Dirent, existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const NOT_OURS = new Set(["node_modules", "dist", "build", "coverage", ".git"])

/**
 * Paths from the root, with `/`, of all files below `under` whose name ends in one of `endings`, sorted.
 * A folder that does not exist has no files.
 *
 * Why not `git ls-files`: a check must also see the file that is not committed yet.
 */
export function listFiles(root: string, under: string, ...endings: string[]): string[] {
  if (!existsSync(join(root, under))) return []
  const found: string[] = []
  const walk = (folder: string): void => {
    for (const entry of entriesOf(join(root, folder))) {
      if (NOT_OURS.has(entry.name)) continue
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile() && endings.some((ending) => entry.name.endsWith(ending))) found.push(path)
    }
  }
  walk(under)
  return found.sort()
}

function entriesOf(folder: string): Dirent[] {
  return readdirSync(folder, { withFileTypes: true })
}

export function readText(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8")
}

/** The number, from 1, of the line on which `offset` lies. */
export function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++
  return line
}
