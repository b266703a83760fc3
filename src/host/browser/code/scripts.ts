/** A browser compiles no text at the place of a file, and applies source maps in its tools only. */

export function moduleAt(_file: string): ((text: string) => unknown) | undefined {
  return undefined
}

export function isCovered(): boolean {
  return false
}

export function appliesSourceMaps(): boolean {
  return false
}

/** The names that engines give to code of their own, in stacks. */
export const FILES_OF_RUNTIME: RegExp = /^(?:native|\[native code\]|<anonymous>|$)/

export function syntaxErrorIn(_script: string): { readonly message: string; readonly line: number } | undefined {
  return undefined
}
