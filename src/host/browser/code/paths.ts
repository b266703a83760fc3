/** Paths are URLs here, and relative ones are taken from the address of the page or of the worker. */
import { scope } from "../runtime/globals.ts"

export function isAbsolute(path: string): boolean {
  return path.startsWith("/")
}

export function resolve(...parts: string[]): string {
  let at = scope.location?.href ?? ""
  for (const part of parts) at = new URL(part, at).href
  return at
}

export function join(first: string, ...parts: string[]): string {
  return [first.replace(/\/$/, ""), ...parts].join("/")
}

export function dirname(path: string): string {
  return path.replace(/\/[^/]*$/, "")
}

export function fileURLToPath(url: string | URL): string {
  return String(url)
}

export function pathToFileURL(path: string): URL {
  return new URL(path, scope.location?.href)
}

export function workingFolder(): string {
  return resolve(".")
}
