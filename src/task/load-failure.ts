/**
 * A message that says why a module could not be loaded, with the file and the line if the error has them or they can be
 * found.
 *
 * Node knows in which line of a module a syntax error is, but prints it only when the error ends the program. So this
 * code searches itself: it parses the text of the module as a script, without the syntax that only modules may contain.
 * If that fails with the same message, it has found the line. If the module can be parsed, it goes on with the modules
 * that this one imports by relative names.
 */
import { readModule } from "#host/code/files"
import { syntaxErrorIn } from "#host/code/scripts"
import { isInstance, messageOf, propertyOf } from "../user-values.ts"

/** How many modules are searched. The message has the error in any case. */
const MOST_MODULES = 100

/**
 * The message of the error, and where it comes from, if that is known: `file:///app/tasks.js:3: Unexpected token '}'`.
 */
export function whyNotLoaded(module: string, error: unknown): string {
  const message = messageOf(error)
  const place = placeIn(error) ?? (isInstance(error, SyntaxError) ? findSyntaxError(module, message) : undefined)
  if (place === undefined || message.includes(place)) return `${module}: ${message}`
  return place.startsWith(`${module}:`) ? `${place}: ${message}` : `${module}: ${message} (${place})`
}

/** A file and a line, as the runtimes write them. */
const PLACE = String.raw`(?<place>(?:file:|[/\\]|[A-Za-z]:\\)[^\n]*?:\d+)`
const BEFORE_MESSAGE = new RegExp(`^${PLACE}\\n`)
const IN_FRAME = new RegExp(`^ {4}at (?:[^\\n]*\\()?${PLACE}(?::\\d+)?\\)?$`)

/** The place that the error itself names: Bun's have a position; the stack may have one at its start or first frame. */
function placeIn(error: unknown): string | undefined {
  const file = propertyOf(propertyOf(error, "position"), "file")
  const line = propertyOf(propertyOf(error, "position"), "line")
  if (typeof file === "string" && typeof line === "number") return `${file}:${line}`
  const stack = propertyOf(error, "stack")
  if (typeof stack !== "string") return undefined
  const frame = stack.split("\n").find((text) => text.startsWith("    at "))
  return (BEFORE_MESSAGE.exec(stack) ?? IN_FRAME.exec(frame ?? ""))?.groups?.["place"]
}

function findSyntaxError(module: string, message: string): string | undefined {
  const seen = new Set<string>([module])
  for (const url of seen) {
    const text = readModule(url)
    if (text === undefined) continue
    const line = lineOf(text, message)
    if (line !== undefined) return `${url}:${line}`
    for (const imported of importsIn(text, url)) if (seen.size < MOST_MODULES) seen.add(imported)
  }
  return undefined
}

const STATIC_IMPORT =
  /^[ \t]*(?:import|export)\b(?:[\w$*\s{},]*?\bfrom)?\s*(?<quote>["'])(?<name>[^"'\n]+)\k<quote>(?:\s*with\s*\{[^}]*\})?/gm
const EXPORT_LIST = /^[ \t]*export\s*\{[^}]*\}/gm

function importsIn(text: string, url: string): string[] {
  const names = [...text.matchAll(STATIC_IMPORT)].map(({ groups }) => groups?.["name"] ?? "")
  return names.filter((name) => /^(?:\.{0,2}\/|file:)/.test(name)).map((name) => new URL(name, url).href)
}

/** The line at which parsing the text fails with this message; undefined if it does not. */
function lineOf(text: string, message: string): number | undefined {
  const script = text
    .replaceAll(STATIC_IMPORT, blank)
    .replaceAll(EXPORT_LIST, blank)
    .replaceAll(/^([ \t]*)export\s+default\b/gm, "$1void ")
    .replaceAll(/^([ \t]*)export\b/gm, "$1")
    .replaceAll("import.meta", "import_meta")
  for (const [before, after] of [
    ['"use strict";', ""],
    ['"use strict";async () => {', "\n}"], // for `await` outside of functions
  ]) {
    const failure = syntaxErrorIn(`${before}${script}${after}`)
    if (failure?.message === message) return failure.line
  }
  return undefined
}

/** The same number of lines, all empty. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, "")
}
