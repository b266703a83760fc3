/**
 * Imports the modules of tasks. A thread of a pool may have to prepare itself for a module before, such as one in TypeScript; what
 * it does then is in src/platform/typescript.ts.
 */
import { importModule } from "./host.ts"

let prepare: ((url: string) => void) | undefined

/** What this thread does before it imports a module. */
export function beforeLoading(action: (url: string) => void): void {
  prepare = action
}

export function loadModule(url: string): Promise<Record<string, unknown>> {
  prepare?.(url)
  return importModule(url)
}
