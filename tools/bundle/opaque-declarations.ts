/**
 * Leaves out of the published types what a user can do nothing with: the members of classes of the inside that a public constructor takes when corepool itself
 * calls it, and all that only these members name.
 */
import { type Class, parseSync, type Statement, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

/** Classes of which the published types have the name alone. */
export const OPAQUE: readonly string[] = ["SharedMemory", "GrowableMemory"]

/** The text of a file of types, in which these classes have no members, without the declarations that no export needs. */
export function withOpaqueClasses(name: string, text: string, opaque: readonly string[]): string {
  const emptied = edited(
    text,
    opaque.map((one) => emptyBody(statementsOf(name, text), one)),
  )
  const statements = statementsOf(name, emptied)
  const declared = new Map<string, Statement[]>()
  const needed = new Set<string>()
  for (const statement of statements) {
    if (statement.type === "ExportNamedDeclaration") namesIn(statement).forEach((one) => needed.add(one))
    for (const one of declaredBy(statement)) declared.set(one, [...(declared.get(one) ?? []), statement])
  }
  for (const one of needed) {
    for (const statement of declared.get(one) ?? []) namesIn(statement).forEach((used) => needed.add(used))
  }
  const edits: Edit[] = []
  let before = 0
  for (const statement of statements) {
    const names = declaredBy(statement)
    // With the comment before it.
    if (names.length > 0 && !names.some((one) => needed.has(one)))
      edits.push({ start: before, end: statement.end, text: "" })
    before = statement.end
  }
  return edited(emptied, edits)
}

function statementsOf(name: string, text: string): Statement[] {
  const { program, errors } = parseSync(name, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  return program.body
}

function emptyBody(statements: readonly Statement[], name: string): Edit {
  const found = statements.find((it): it is Class => it.type === "ClassDeclaration" && it.id?.name === name)
  if (found === undefined)
    throw new Error(`The types have no class ${name}: correct OPAQUE in tools/bundle/opaque-declarations.ts`)
  // With what it extends and implements: these are of the inside, too.
  return { start: found.id?.end ?? found.start, end: found.end, text: " {\n  #private;\n}" }
}

function declaredBy(statement: Statement): string[] {
  if (statement.type === "VariableDeclaration")
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  const { id } = statement as { id?: { name?: string } | null }
  return id?.name === undefined ? [] : [id.name]
}

function namesIn(statement: Statement): Set<string> {
  const names = new Set<string>()
  const program = { type: "Program", body: [statement], sourceType: "module", start: 0, end: 0 } as never
  new Visitor({ Identifier: ({ name }: { name: string }) => void names.add(name) }).visit(program)
  return names
}
