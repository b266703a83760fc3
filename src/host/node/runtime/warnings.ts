import { alone } from "../../../checks.ts"

/** Warns the user in the way of the runtime: `(node:1) [COREPOOL_X] Warning: …` on stderr, or an event of `process`. */
export function warn(message: string, code: string): void {
  process.emitWarning(message, alone({ code }))
}
