/** A page has many modules, and none of them is the program: a task says by `task(import.meta.url, …)` where it is. */

/** Matches nothing. */
export const NO_MODULE: RegExp = /(?!)/

export function entryPaths(): string[] {
  return []
}

export function urlsOf(path: string): string[] {
  return [path]
}
