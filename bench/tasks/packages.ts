/** Finds the rivals, also from inside their threads: this runs in build/bench, what is installed lies beside the source. */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const { resolve } = createRequire(new URL("../../../bench/package.json", import.meta.url))

/** The module of an installed package, or of one of its subpaths. */
export async function installed<M>(name: string): Promise<M> {
  return (await import(pathToFileURL(resolve(name)).href)) as M
}
