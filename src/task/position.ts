import { readIfAllowed } from "#host/code/files"

/**
 * The position of a function in its file, found by its text. An engine tells from where a function was submitted, but
 * not where it is written. The text in the file may differ from the text that the engine has loaded: types may have
 * been blanked out, or a tool may have compiled it in memory. Then only the name of the function can be looked for.
 */
export interface Position {
  /** From 1 on. */
  readonly line: number
  /** From 0 on. */
  readonly column: number
}

/** A larger file is not searched: the search would cost more than it is worth. */
const LARGEST = 2 ** 22

/** The file that was read last: the functions of a module are often submitted one after the other. */
let last = { path: "", text: "" }

/** The text of a file; empty if it cannot be read, or is too large. */
export function readText(path: string): string {
  if (last.path !== path) last = { path, text: readIfAllowed(path, LARGEST) }
  return last.text
}

/** The position of a function with this text; if there are several, of the one nearest to the line. */
export function positionOf(source: string, text: string, line: number): Position | undefined {
  let found: Position | undefined
  let distance = Infinity
  for (const at of occurrences(source, text)) {
    const position = positionAt(text, at)
    if (Math.abs(position.line - line) >= distance) break // they come in ascending order
    distance = Math.abs(position.line - line)
    found = position
  }
  return found
}

/** The position of the declaration of a function of this name. */
export function declarationOf(name: string, text: string): Position | undefined {
  if (!/^[\w$]+$/.test(name)) return undefined
  const escaped = name.replaceAll("$", String.raw`\$`)
  const declared = new RegExp(String.raw`\b(?:function\s*\*?|const|let|var)\s+${escaped}(?![\w$])`)
  const at = declared.exec(text)?.index
  return at === undefined ? undefined : { line: positionAt(text, at).line, column: 0 }
}

function positionAt(text: string, at: number): Position {
  let line = 1
  let begin = 0
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", begin)) {
    line++
    begin = end + 1
  }
  return { line, column: at - begin }
}

function* occurrences(source: string, text: string): Generator<number> {
  let isThere = false
  for (let at = text.indexOf(source); at !== -1; at = text.indexOf(source, at + 1)) {
    isThere = true
    yield at
  }
  if (isThere) return
  const first = source.charAt(0)
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    if (isBlankedOut(source, text, at)) yield at
  }
}

/** Whether the source is the text there with parts blanked out, as runtimes do with types. */
function isBlankedOut(source: string, text: string, at: number): boolean {
  if (at + source.length > text.length) return false
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i)
    if (char !== " " && char !== text.charAt(at + i)) return false
  }
  return true
}

/**
 * How a file says where it has its source map. Not written as one text, because tools would apply that to this file, or
 * to a bundle; and not as a sum of texts, because a minifier would join them.
 */
export const SOURCE_MAP: string = "//# source_URL=".replace(/_/, "Mapping")

/** Where the file has its source map, as its last lines say. */
export function sourceMapOf(text: string): string | undefined {
  const at = text.lastIndexOf(SOURCE_MAP)
  return at === -1 ? undefined : /^\S+/.exec(text.slice(at + SOURCE_MAP.length))?.[0]
}
