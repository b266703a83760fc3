/** The settings that the start of a worker depends on. A browser has none. */

export function usable(path: string): string {
  return path
}

export function startsFiles(_execArgv?: readonly string[]): boolean {
  return true
}

export function overriddenOptions(): Record<string, undefined> {
  return {}
}
