/**
 * Functions that Vite has compiled, as it does for Vitest and for servers in development: `import()` has become a call
 * of a function that is not there in another thread, with names that only Vite understands. The text that is sent
 * brings one along.
 */
import { pathToFileURL } from "node:url"
import { propertyOf } from "../user-values.ts"

const IMPORT = "__vite_ssr_dynamic_import__"

/** An expression whose value is the same function, with `import()` as it was meant. */
export function withImports(expression: string): string {
  if (!expression.includes(IMPORT)) return expression
  const root = JSON.stringify(`${pathToFileURL(rootOfProject()).href}/.`)
  // `/@fs/…` is a path of the file system, `/…` one from the root of the project; anything else is as it was written.
  const load = `(name) => import(name.startsWith("/@fs/") ? "file://" + name.slice(4) : name.startsWith("/") ? ${root} + name : name)`
  return `((${IMPORT}) => ${expression})(${load})`
}

/** Vitest tells its tests; otherwise it is where Vite was started. */
function rootOfProject(): string {
  const config = propertyOf(propertyOf(globalThis, "__vitest_worker__"), "config")
  const root = propertyOf(config, "root")
  return typeof root === "string" ? root : process.cwd()
}
