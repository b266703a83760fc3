/** What the start of a worker depends on: here on nothing. */

export function usable(path: string): string {
  return path
}

export function startsFiles(_execArgv?: readonly string[]): boolean {
  return true
}

export function overriddenOptions(): Record<string, undefined> {
  return {}
}
