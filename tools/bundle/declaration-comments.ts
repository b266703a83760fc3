/**
 * Leaves out of the published types the comments that no user can see: an editor shows the comment of what an entry exports, and of its members, also of those
 * that it inherits or that are of a type it names. All other comments are of the inside, and a tenth of all types.
 */
import { type Comment, type Node, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

type Declaration = Node & { readonly start: number; readonly end: number }

/** The text of a file of types, with the comments that can be seen. */
export function withVisibleComments(name: string, text: string): string {
  const { program, comments, errors } = parseSync(name, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const declarations = new Map<string, Declaration[]>()
  const exported = new Set<string>()
  for (const statement of program.body) {
    if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
      for (const { local } of statement.specifiers) if (local.type === "Identifier") exported.add(local.name)
      continue
    }
    for (const declared of namesOf(statement))
      declarations.set(declared, [...(declarations.get(declared) ?? []), statement])
  }
  const visible = visibleFrom(exported, declarations, comments.filter(isInternal), text)
  const edits: Edit[] = []
  for (const comment of comments) {
    const { start, end, type } = comment
    if (type !== "Block") continue
    if (isInternal(comment)) edits.push({ start, end, text: "/** @internal */" })
    for (const [declared, statements] of declarations) {
      const isOf = statements.some((it) => isBefore(comment, it, text))
      const isIn = statements.some((it) => it.start <= start && end <= it.end)
      if (isInternal(comment) || (!isOf && !isIn)) continue
      if (isOf ? !exported.has(declared) : !visible.has(declared)) edits.push(lineOf(comment, text))
    }
  }
  return edited(text, edits)
}

function isInternal(comment: Comment): boolean {
  return /@internal\b/.test(comment.value)
}

function namesOf(statement: Node): string[] {
  if (statement.type === "VariableDeclaration") {
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  }
  const { id } = statement as { id?: { name?: string } | null }
  return id?.name === undefined ? [] : [id.name]
}

/** What the exported declarations name, and what that names, except in members that are marked as internal. */
function visibleFrom(
  exported: ReadonlySet<string>,
  declarations: ReadonlyMap<string, readonly Declaration[]>,
  internal: readonly Comment[],
  text: string,
): Set<string> {
  const visible = new Set(exported)
  for (const name of visible) {
    for (const declaration of declarations.get(name) ?? []) {
      const hidden: Declaration[] = []
      const skip = (member: Declaration): void => {
        if (internal.some((comment) => isBefore(comment, member, text))) hidden.push(member)
      }
      const program = { type: "Program", body: [declaration], sourceType: "module", start: 0, end: 0 } as never
      new Visitor({
        PropertyDefinition: skip,
        MethodDefinition: skip,
        TSAbstractMethodDefinition: skip,
        TSAbstractPropertyDefinition: skip,
        TSPropertySignature: skip,
        TSMethodSignature: skip,
      }).visit(program)
      new Visitor({
        Identifier({ name: used, start, end }: { name: string; start: number; end: number }) {
          if (declarations.has(used) && !hidden.some((it) => it.start <= start && end <= it.end)) visible.add(used)
        },
      }).visit(program)
    }
  }
  return visible
}

/** Whether there is nothing but space between a comment and a node. */
function isBefore({ end }: Comment, node: Declaration, text: string): boolean {
  return end <= node.start && text.slice(end, node.start).trim() === ""
}

/** With the spaces before it, and the line break after it. */
function lineOf({ start, end }: Comment, text: string): Edit {
  const before = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  return { start: start - before, end: end + (text[end] === "\n" ? 1 : 0), text: "" }
}
