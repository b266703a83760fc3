/**
 * Makes the text of a file shorter, which makes it faster to load: spaces and the names of local variables go. The names of
 * functions and classes stay, since messages and stack traces show them; so do, in an ES module, all names of the file's own scope: bundlers are
 * to find them.
 */
import { parseSync, type Program, Visitor } from "oxc-parser"
import { minify } from "rolldown/utils"

/** Shorter lines would make the package larger, by a byte for each. */
const LINE = 2000

export async function shorten(name: string, text: string, kind: "script" | "module" = "script"): Promise<string> {
  const { code: shorter, errors } = await minify(name, text, {
    module: kind === "module",
    compress: { target: "es2023", keepNames: { function: true, class: true } },
    mangle: { toplevel: kind === "script", keepNames: true },
  })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  return inLines(name, asAscii(shorter), kind)
}

/** An engine keeps it in half the space. Only strings and patterns have other letters. */
function asAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

/**
 * With line breaks between statements. (The bundler would also break strings, with a backslash, and tools that look for `require("…")` fail.) In a script a `throw` has a line
 * for itself: of an error that nothing catches, Node prints the line in which it was thrown, before the message.
 */
export function inLines(name: string, code: string, sourceType: "script" | "module"): string {
  const { program } = parseSync(name, code, { sourceType })
  const throws = sourceType === "script" ? throwsIn(program) : new Set<number>()
  let text = ""
  let begin = 0
  for (const start of [...statements(program), ...throws].toSorted((a, b) => a - b)) {
    if (start === begin || (start - begin < LINE && !throws.has(start))) continue
    text += `${code.slice(begin, start)}\n`
    begin = start
  }
  return text + code.slice(begin)
}

/** Where statements that throw begin and end. */
function throwsIn(program: Program): Set<number> {
  const places = new Set<number>()
  new Visitor({
    ThrowStatement({ start, end }) {
      places.add(start).add(end)
    },
  }).visit(program)
  return places
}

/** Where statements, and members of classes, begin. */
function statements(node: unknown, found: number[] = []): number[] {
  if (Array.isArray(node)) for (const item of node as unknown[]) statements(item, found)
  else if (typeof node === "object" && node !== null) {
    const { body } = node as { body?: unknown }
    if (Array.isArray(body)) for (const { start } of body as { start: number }[]) found.push(start)
    for (const value of Object.values(node)) statements(value, found)
  }
  return found
}
