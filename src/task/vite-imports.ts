/**
 * Functions that Vite has compiled, as it does for Vitest and for servers in development: Vite replaces `import()` by a
 * call of a function that does not exist in another thread, with names that only Vite understands. The text that is
 * sent brings such a function along.
 */
import { pathToFileURL, workingFolder } from "#host/code/paths"
import { propertyOf } from "../user-values.ts"

const IMPORT = "__vite_ssr_dynamic_import__"

/** An expression whose value is the same function, with `import()` as the user wrote it. */
export function withImports(expression: string): string {
  if (!expression.includes(IMPORT)) return expression
  const root = JSON.stringify(`${pathToFileURL(rootOfProject()).href}/.`)
  // `/@fs/…` is a path of the file system, `/…` one from the root of the project; other names are as the user wrote
  // them.
  const load = `(name) => import(name.startsWith("/@fs/") ? "file://" + name.slice(4) : name.startsWith("/") ? ${root} + name : name)`
  return `((${IMPORT}) => ${expression})(${load})`
}

/** Vitest gives it to its tests; otherwise it is the folder in which Vite was started. */
function rootOfProject(): string {
  const config = propertyOf(propertyOf(globalThis, "__vitest_worker__"), "config")
  const root = propertyOf(config, "root")
  return typeof root === "string" ? root : workingFolder()
}
