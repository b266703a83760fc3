/**
 * The compiled modules of src as a browser gets them: all code in one file, and in the place of each module one that
 * exports its names from there. A thread would otherwise load three hundred files before its first task.
 */
import type { Plugin } from "esbuild"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { listFiles } from "../../check/files.ts"
import { atOnce } from "../../bundle/browser.ts"
import { oneFile } from "./one-file.ts"
import { exportsOf, importsOf } from "./rewrite.ts"

const SRC = "build/src"

/** Beside the module of the host that starts workers by an address relative to its own. */
const ALL = `${SRC}/host/browser/threads/all.js`

export class Library {
  readonly #texts: ReadonlyMap<string, string>

  private constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts
  }

  static async of(root: string): Promise<Library> {
    const paths = usableIn(root)
    const names = new Map(paths.map((path) => [path, namesOf(root, path)]))
    const exported = [...names].map(([path, own], at) => {
      const list = own.map((name) => `${name} as ${name}_${at}`)
      return `export { ${list.join(", ")} } from "./${path}"`
    })
    const all = await oneFile({
      stdin: { contents: exported.join("\n"), resolveDir: root },
      plugins: [forBrowsers(root)],
    })
    const texts = new Map([[ALL, all]])
    for (const [at, [path, own]] of [...names].entries()) {
      const list = own.map((name) => `${name}_${at} as ${name}`)
      texts.set(path, `export { ${list.join(", ")} } from ${JSON.stringify(relative(path, ALL))}`)
    }
    return new Library(texts)
  }

  /** The text of a module, given by its path from the root. */
  at(path: string): string | undefined {
    return this.#texts.get(path)
  }
}

function relative(from: string, to: string): string {
  return `./${posix.relative(dirname(from), to)}`
}

/** The file that a module of src imports by a name; undefined if it is not one of src. */
function fileOf(path: string, specifier: string): string | undefined {
  if (specifier === "#atomics") return `${SRC}/memory/atomics.js`
  if (specifier.startsWith("#host/")) return `${SRC}/host/browser/${specifier.slice("#host/".length)}.js`
  return specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined
}

/** What a page can load: what the library and the tests use, less what needs parts of a host that browsers have not. */
export function usableIn(root: string): string[] {
  const seen = new Map<string, boolean>()
  const isUsable = (path: string): boolean => {
    const known = seen.get(path)
    if (known !== undefined) return known
    seen.set(path, true) // modules may import each other in a circle
    const usable =
      existsSync(join(root, path)) &&
      importsOf(readFileSync(join(root, path), "utf8")).every(({ specifier }) => {
        const other = fileOf(path, specifier)
        return other !== undefined && isUsable(other)
      })
    seen.set(path, usable)
    return usable
  }
  return listFiles(join(root, SRC), "", ".js")
    .map((path) => `${SRC}/${path}`)
    .filter((path) => !path.startsWith(`${SRC}/host/node/`) && isUsable(path))
}

function namesOf(root: string, path: string): string[] {
  const text = readFileSync(join(root, path), "utf8")
  return [...new Set(exportsOf(text, (specifier) => namesOf(root, fileOf(path, specifier) as string)))]
}

/** Names resolve as a page resolves them; the program of a worker loads all of its parts at once. */
function forBrowsers(root: string): Plugin {
  return {
    name: "for browsers",
    setup(builder) {
      builder.onResolve({ filter: /^#/ }, ({ path }) => ({ path: join(root, fileOf("", path) as string) }))
      builder.onLoad({ filter: /worker-main\.js$/ }, ({ path }) => ({ contents: atOnce(readFileSync(path, "utf8")) }))
    },
  }
}
