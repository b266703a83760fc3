/** Files, as far as this program may read them. */
import { readFileSync, statSync } from "node:fs"

/** The text of a file; empty if it cannot be read, or has more than `largest` bytes. */
export function readIfAllowed(path: string, largest: number): string {
  if (!mayRead()) return ""
  try {
    return statSync(path).size > largest ? "" : readFileSync(path, "utf8")
  } catch {
    return "" // the engine's name of a file is no path, or the program may not read it (--permission)
  }
}

/** Asks beforehand, because Deno would ask the user at the terminal. */
function mayRead(): boolean {
  const { Deno } = globalThis as { Deno?: { permissions: { querySync(what: { name: "read" }): { state: string } } } }
  return Deno === undefined || Deno.permissions.querySync({ name: "read" }).state === "granted"
}

/** The text of the file of a module. Modules that are not files are not fetched a second time. */
export function readModule(url: string): string | undefined {
  try {
    return readFileSync(new URL(url), "utf8")
  } catch {
    return undefined // not a file, or one that this thread may not read
  }
}
