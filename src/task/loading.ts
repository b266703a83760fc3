/**
 * Imports the modules of tasks. A thread of a pool may first have to prepare itself for a module, such as one in
 * TypeScript: see src/host/node/code/typescript.ts.
 */
import { importModule } from "#host/code/evaluation"
import { OwnMap } from "../primordials.ts"

let prepare: ((url: string) => void) | undefined

/** Sets the action that this thread does before it imports a module. */
export function beforeLoading(action: (url: string) => void): void {
  prepare = action
}

/** Modules of corepool's own that have no file: how this thread loads them, by URL. */
const own = new OwnMap<string, () => Promise<Record<string, unknown>>>()

/** From now on this thread loads the module of that URL by `load`. */
export function provideModule(url: string, load: () => Promise<Record<string, unknown>>): void {
  own.set(url, load)
}

export function loadModule(url: string): Promise<Record<string, unknown>> {
  const provided = own.get(url)
  if (provided !== undefined) return provided()
  prepare?.(url)
  return importModule(url)
}
