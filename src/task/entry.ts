/**
 * The modules with which the program, or one of its threads, starts. A task in one of them is refused: another thread would
 * have to import the module, and so run the whole program again.
 */
import { realpathSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads"
import { perThread, VERSION } from "../per-thread.ts"

/** A worker thread sees itself in `process.argv`, not the program; it learns of that as threads learn of the space. */
const KEY = `corepool@${VERSION} entries`

/** What threads of pools start with. To look for it would be a good part of all that they have to do then. */
const NO_TASKS = /[/\\]corepool-boot\.cjs$|^\[worker eval\]$/

const entries = perThread("entries", () => {
  const inherited = (getEnvironmentData(KEY) as string[] | undefined) ?? []
  const all = new Set([...inherited, ...entriesIn(process.argv, process.execArgv)])
  setEnvironmentData(KEY, [...all])
  return all
})

/** How a runtime names what was typed in, or came from a pipe. */
const NO_MODULE = /\/(?:\[(?:eval\d*|stdin)\]|%5B(?:eval\d*|stdin)%5D|\$deno\$[^/]*)$/

/** Whether no other thread must, or can, import that. */
export function isEntry(module: string): boolean {
  return entries.has(module) || NO_MODULE.test(module)
}

/** The URLs of what these arguments of a process make it start with. */
export function entriesIn(argv: readonly string[], execArgv: readonly string[]): string[] {
  // What follows is not the name of a module then: `node -e "…" data.json`
  if (execArgv.some((flag) => /^(?:-e|-p|-pe|--eval|--print)(?:=|$)/.test(flag))) return []
  // A test runner may run several files in one process.
  const scripts = execArgv.includes("--test") ? argv.slice(1) : argv.slice(1, 2)
  return scripts.flatMap((script) => {
    if (NO_TASKS.test(script)) return []
    const paths = [resolve(script), found(script)].filter((path) => path !== undefined)
    return paths.map((path) => pathToFileURL(path).href)
  })
}

/** The file that is meant: a name may lack its ending, or be that of a folder or of a link. */
function found(script: string): string | undefined {
  try {
    const { createRequire } = process.getBuiltinModule("node:module") // by import, webpack would make something else of it
    return realpathSync(createRequire(resolve("_")).resolve(resolve(script)))
  } catch {
    return undefined // not a file: `node -`, or a program that lies inside of the executable
  }
}
