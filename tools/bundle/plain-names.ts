/**
 * Puts the names of members that only corepool uses in place of the constants that src has for them: `task[BEGIN](flow)` becomes
 * `task.c$begin(flow)`. A constant would have to be made in one file and taken from it by all others, which makes the package 3 KB larger.
 *
 * The constants are those that the modules `internals.ts` export. They are used as names of members and for nothing else, or the build fails.
 */
import { type Node, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

const PREFIX = "c$"

/** The name that the constant has as its value: `c$takeBack` for TAKE_BACK. */
export function plainName(symbol: string): string {
  return PREFIX + symbol.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** A compiled module, with plain names in place of symbols. */
export function withPlainNames(path: string, text: string): string {
  if (!/\binternals\.js"/.test(text)) return text
  const { program, errors } = parseSync(path, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const symbols = new Set<string>()
  const edits: Edit[] = []
  for (const statement of program.body) {
    if (statement.type !== "ImportDeclaration" || !statement.source.value.endsWith("/internals.js")) continue
    for (const { local } of statement.specifiers) symbols.add(local.name)
    edits.push({ start: statement.start, end: statement.end, text: "" })
  }
  const known = (key: Node): string | undefined =>
    key.type === "Identifier" && symbols.has(key.name) ? plainName(key.name) : undefined
  const named = new Set<number>()
  /** What stands from `start` on, with the brackets, becomes `before` and the name. */
  const replace = (key: Node & { start: number; end: number }, start: number, before: string, name: string): void => {
    named.add(key.start)
    edits.push({ start, end: text.indexOf("]", key.end) + 1, text: `${before}${name}` })
  }
  const replaceKey = ({ computed, key }: { computed: boolean; key: Node & { start: number; end: number } }): void => {
    const name = computed ? known(key) : undefined
    if (name !== undefined) replace(key, text.lastIndexOf("[", key.start), "", name)
  }
  new Visitor({
    MemberExpression(member) {
      const name = member.computed ? known(member.property) : undefined
      if (name !== undefined) replace(member.property, member.object.end, member.optional ? "?." : ".", name)
    },
    MethodDefinition: replaceKey,
    PropertyDefinition: replaceKey,
    Property: replaceKey,
  }).visit(program)
  new Visitor({
    Identifier({ name, start }: { name: string; start: number }) {
      const isImport = edits.some((edit) => edit.text === "" && edit.start <= start && start < edit.end)
      if (symbols.has(name) && !named.has(start) && !isImport)
        throw new Error(`${path}: ${name} is used for something else than the name of a member`)
    },
  }).visit(program)
  return edited(text, edits)
}
