import { createRequire } from "node:module"
import { resolve } from "node:path"

/**
 * Loads a package that the program has installed, at once: an optional peer. It is looked for from corepool, as its
 * dependencies are; and from the program, if a bundler has moved corepool into it. A bundler does not see this.
 *
 * @param accept - Returns what is wanted of the package, or undefined if it is another package, or too old.
 * @throws What the runtime has thrown first, or undefined, if no such package is accepted.
 */
export function loadPackage<T>(name: string, accept: (module: unknown) => T | undefined): T {
  const places = [(import.meta as Partial<ImportMeta>).url, resolve("_")].filter((place) => place !== undefined)
  let cause: unknown
  for (const place of places) {
    try {
      const accepted = accept(createRequire(place)(name))
      if (accepted !== undefined) return accepted
    } catch (error) {
      cause ??= error
    }
  }
  throw cause
}
