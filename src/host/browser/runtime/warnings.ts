import { scope } from "./globals.ts"

/** Warns the user in the console. */
export function warn(message: string, code: string): void {
  scope.console.warn(`[${code}] ${message}`)
}
