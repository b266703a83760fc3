/**
 * The modules with which the program, or one of its threads, starts. A task in one of them is refused: another thread
 * would have to import the module, and so run the whole program again.
 */
import { entryPaths, NO_MODULE, urlsOf } from "#host/code/program"
import { getEnvironmentData, setEnvironmentData } from "#host/threads/workers"
import { perThread, VERSION } from "../per-thread.ts"

/** A worker thread finds its own entry, not that of the program. It gets the entries as environment data. */
const KEY = `corepool@${VERSION} entries`

/** Absolute paths; and the URLs of their modules, made at the first request, because finding them takes a moment. */
const entries = perThread("entries", () => {
  const inherited = (getEnvironmentData(KEY) as string[] | undefined) ?? []
  const paths = [...new Set([...inherited, ...entryPaths()])]
  setEnvironmentData(KEY, paths)
  return { paths, urls: undefined as ReadonlySet<string> | undefined }
})

/** Whether another thread must not, or cannot, import this module. */
export function isEntry(module: string): boolean {
  entries.urls ??= new Set(entries.paths.flatMap(urlsOf))
  return entries.urls.has(module) || NO_MODULE.test(module)
}
