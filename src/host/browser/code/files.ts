/** A page reads no files. */

export function readIfAllowed(_path: string, _largest: number): string {
  return ""
}

export function readModule(_url: string): string | undefined {
  return undefined
}
