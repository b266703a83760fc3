/**
 * The modules with which the program, or one of its threads, starts. A task in one of them is refused: another thread
 * would have to import the module, and so run the whole program again.
 */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"
import { perThread, VERSION } from "../per-thread.ts"

/** A worker thread finds itself in `process.argv`, not the program. It gets the entries as environment data. */
const KEY = `corepool@${VERSION} entries`

/** The entries of the threads of pools. Searching for these would take a good part of a thread's start. */
const NO_TASKS = /[/\\]corepool-thread\.cjs$|^\[worker eval\]$/

/** Absolute paths; and the URLs of their modules, made at the first request, because finding them takes a moment. */
const entries = perThread("entries", () => {
  const inherited = (getEnvironmentData(KEY) as string[] | undefined) ?? []
  const paths = [...new Set([...inherited, ...entriesIn(process.argv, process.execArgv)])]
  setEnvironmentData(KEY, paths)
  return { paths, urls: undefined as ReadonlySet<string> | undefined }
})

/** How a runtime names code that was typed in, or came from a pipe. */
const NO_MODULE = /\/(?:\[(?:eval\d*|stdin)\]|%5B(?:eval\d*|stdin)%5D|\$deno\$[^/]*)$/

/** Whether another thread must not, or cannot, import this module. */
export function isEntry(module: string): boolean {
  entries.urls ??= new Set(entries.paths.flatMap(urlsOf))
  return entries.urls.has(module) || NO_MODULE.test(module)
}

/** The paths of the modules with which a process with these arguments starts. */
function entriesIn(argv: readonly string[], execArgv: readonly string[]): string[] {
  // Here the next argument is not the name of a module: `node -e "…" data.json`
  if (execArgv.some((flag) => /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/.test(flag))) return []
  // A test runner may run several files in one process.
  const scripts = execArgv.includes("--test") ? argv.slice(1) : argv.slice(1, 2)
  return scripts.filter((script) => !NO_TASKS.test(script)).map((script) => resolve(script))
}

function urlsOf(path: string): string[] {
  return [path, found(path)].flatMap((file) => (file === undefined ? [] : [pathToFileURL(file).href]))
}

/** The file that a path means: the path may lack its ending, or be that of a folder or of a link. */
function found(path: string): string | undefined {
  try {
    const { createRequire } = process.getBuiltinModule("node:module") // webpack would replace an import
    return realpathSync(createRequire(resolve("_")).resolve(path))
  } catch {
    return undefined // not a file: `node -`, or a program that is part of the executable
  }
}
