/**
 * Gives the published types the names of the source.
 *
 * An entry that passes a class on with more behaviour declares it again, as `const Thread: typeof Class` beside `type Thread = Class`.
 * In one file the bundler then calls the class `Thread$2`, and editors and compilers show that name. To a user the type is the same
 * either way: the second declaration is left out, and the class has the name. If two types have one name, the one that `corepool` exports
 * keeps it.
 */
import { type Node, type ParseResult, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

/** A declaration of a name, and the class it is another name of. */
interface Again {
  readonly of: string
  readonly statement: Node & { readonly start: number; readonly end: number }
}

const CONST = /^declare const ([\w$]+): typeof ([\w$]+);?$/
const TYPE = /^type ([\w$]+)(?:<.*>)? = ([\w$]+)(?:<[\w$, ]*>)?;?$/
const SUFFIX = /\$\d+$/

/** From a name in the file of all types to the name it has in the end. */
export type Renamed = ReadonlyMap<string, string>

/**
 * The file of all types without second declarations, and the names that changed.
 *
 * @param exported - what `corepool` exports, as the file names it, and as users do
 */
export function withDeclaredNames(
  file: string,
  text: string,
  exported: ReadonlyMap<string, string>,
): { readonly text: string; readonly renamed: Renamed } {
  const consts = new Map<string, Again>()
  const types = new Map<string, Again>()
  const edits: Edit[] = []
  const { program, comments } = parsed(file, text)
  for (const statement of program.body) {
    const { start, end } = statement
    const [, name, of] = CONST.exec(text.slice(start, end)) ?? []
    if (name !== undefined && of !== undefined) consts.set(name, { of, statement })
    const [, type, typeOf] = TYPE.exec(text.slice(start, end)) ?? []
    if (type !== undefined && typeOf !== undefined) types.set(type, { of: typeOf, statement })
  }
  const renamed = new Map<string, string>()
  for (const [again, { of, statement }] of consts) {
    const type = types.get(again)
    const plain = of.replace(SUFFIX, "")
    if (type?.of !== of || again.replace(SUFFIX, "") !== plain) continue
    for (const { start, end } of [statement, type.statement]) {
      const comment = comments.find((it) => it.end < start && text.slice(it.end, start).trim() === "")
      edits.push({ start: comment?.start ?? start, end: end + 1, text: "" })
    }
    renamed.set(again, plain).set(of, plain)
  }
  for (const [inside, outside] of exported) {
    if (renamed.has(inside) || inside === outside || inside.replace(SUFFIX, "") !== outside) continue
    renamed.set(inside, outside).set(outside, inside)
  }
  return { text: exportedOnce(withNames(file, edited(text, edits), renamed)), renamed }
}

/** The text with the names replaced, but not in comments. */
function withNames(file: string, text: string, renamed: Renamed): string {
  const edits = new Map<number, Edit>() // by place: `export { A }` has the name once, and two nodes for it
  new Visitor({
    Identifier({ name, start }) {
      const by = renamed.get(name)
      if (by !== undefined && by !== name) edits.set(start, { start, end: start + name.length, text: by })
    },
  }).visit(parsed(file, text).program)
  return edited(text, [...edits.values()])
}

function parsed(file: string, text: string): ParseResult {
  const result = parseSync(file, text, { sourceType: "module" })
  if (result.errors.length > 0) throw new Error(`${file}: ${result.errors[0]?.message}`)
  return result
}

function exportedOnce(text: string): string {
  return text.replace(/(?<=^export \{ ).*(?= \})/m, (names) => [...new Set(names.split(", "))].join(", "))
}
