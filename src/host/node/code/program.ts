/** The modules with which a program, or one of its threads, starts. */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/** The entries of the threads of pools. Searching for these would take a good part of a thread's start. */
const NO_TASKS = /[/\\]corepool-thread\.cjs$|^\[worker eval\]$/

/** How a runtime names code that was typed in, or came from a pipe. */
export const NO_MODULE: RegExp = /\/(?:\[(?:eval\d*|stdin)\]|%5B(?:eval\d*|stdin)%5D|\$deno\$[^/]*)$/

/** The absolute paths of the modules with which this thread has started. A worker does not find the program there. */
export function entryPaths(): string[] {
  const { argv, execArgv } = process
  // Here the next argument is not the name of a module: `node -e "…" data.json`
  if (execArgv.some((flag) => /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/.test(flag))) return []
  // A test runner may run several files in one process.
  const scripts = execArgv.includes("--test") ? argv.slice(1) : argv.slice(1, 2)
  return scripts.filter((script) => !NO_TASKS.test(script)).map((script) => resolve(script))
}

/** The URLs by which the module with this path can be imported. */
export function urlsOf(path: string): string[] {
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
