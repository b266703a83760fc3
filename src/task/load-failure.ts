/**
 * Why a module could not be loaded, in words, with the file and the line if the error has them or they can be found.
 *
 * Node knows in which line of a module a syntax error is, but tells only a program that dies of it. So this looks for
 * itself: the text of the module, without what only modules may contain, is parsed as a script. If that fails with the
 * same message, its line is the line. A module that can be parsed so is followed to those that it imports by relative
 * names.
 */
import { isInstance, messageOf, propertyOf } from "../user-values.ts"

/** How many modules are looked at. The error is told in any case. */
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

/** What the error itself says: Bun's have a position; the stack may begin with one, or have one in its first frame. */
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
    const text = textOf(url)
    if (text === undefined) continue
    const line = lineOf(text, message)
    if (line !== undefined) return `${url}:${line}`
    for (const imported of importsIn(text, url)) if (seen.size < MOST_MODULES) seen.add(imported)
  }
  return undefined
}

/** Of a file: what else a module may be loaded from is not asked a second time. */
function textOf(url: string): string | undefined {
  try {
    return process.getBuiltinModule("node:fs").readFileSync(new URL(url), "utf8")
  } catch {
    return undefined // no file, or one that this thread may not read
  }
}

const STATIC_IMPORT =
  /^[ \t]*(?:import|export)\b(?:[\w$*\s{},]*?\bfrom)?\s*(?<quote>["'])(?<name>[^"'\n]+)\k<quote>(?:\s*with\s*\{[^}]*\})?/gm
const EXPORT_LIST = /^[ \t]*export\s*\{[^}]*\}/gm

function importsIn(text: string, url: string): string[] {
  const names = [...text.matchAll(STATIC_IMPORT)].map(({ groups }) => groups?.["name"] ?? "")
  return names.filter((name) => /^(?:\.{0,2}\/|file:)/.test(name)).map((name) => new URL(name, url).href)
}

/** The line in which the text cannot be parsed for that reason; undefined if it can, or for another one. */
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
    const failure = failureOf(`${before}${script}${after}`)
    if (failure?.message === message) return failure.line
  }
  return undefined
}

/** The same lines, with nothing in them. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, "")
}

/** Only parses. The name of the file and the line stand before the message in the stack. */
function failureOf(script: string): { readonly message: string; readonly line: number } | undefined {
  const { Script } = process.getBuiltinModule("node:vm")
  try {
    void new Script(script, { filename: "module" })
  } catch (error) {
    const line = /^module:(?<line>\d+)\n/.exec(String(propertyOf(error, "stack")))?.groups?.["line"]
    if (line !== undefined) return { message: messageOf(error), line: Number(line) }
  }
  return undefined
}
