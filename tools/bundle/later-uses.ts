/**
 * How a file uses what it takes from a file that is loaded later. In what the linker and the bundler make there is a function for each such thing,
 *
 *     var X, later_x = () => X = corepoolLater(import("chunk:far")).x
 *     (X ?? later_x())
 *
 * and every thread would make all these functions when it loads the file, and call few of them. So each use becomes `(X ??= $0().x)`, and the functions go.
 */
import type { Expression, Program, VariableDeclaration } from "oxc-parser"
import { Visitor } from "oxc-parser"
import { type Edit, LATER_CALL } from "./edit.ts"

interface Later {
  readonly variable: string
  /** The file, as in its import. */
  readonly source: string
  readonly property: string
}

/** The edits; `loaderOf` names the function that loads a file. */
export function laterUses(program: Program, loaderOf: (source: string) => string): Edit[] {
  const found = new Map<string, Later>()
  const declarations: VariableDeclaration[] = []
  new Visitor({
    VariableDeclaration(declaration) {
      for (const { id, init } of declaration.declarations) {
        const later = init && laterOf(init)
        if (id.type !== "Identifier" || !later) continue
        found.set(id.name, later)
        if (declarations.at(-1) !== declaration) declarations.push(declaration)
      }
    },
  }).visit(program)
  const edits: Edit[] = []
  const counts = new Map<string, number>()
  new Visitor({
    LogicalExpression({ end, operator, left, right }) {
      if (operator !== "??" || right.type !== "CallExpression" || right.callee.type !== "Identifier") return
      const { name } = right.callee
      const later = found.get(name)
      const variable = left.type === "LogicalExpression" ? left.right : left // in `other ?? X ?? later_x()`
      if (variable.type !== "Identifier" || later?.variable !== variable.name) return
      counts.set(name, (counts.get(name) ?? 0) - 1)
      const { start } = variable
      edits.push({ start, end, text: `(${variable.name} ??= ${loaderOf(later.source)}().${later.property})` })
    },
    Identifier({ name }: { name: string }) {
      if (found.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
    },
  }).visit(program)
  // What is left of each are its declaration and no use.
  for (const [name, count] of counts) if (count !== 1) throw new Error(`${name} is used in an unknown way`)
  return [...edits, ...declarations.flatMap((declaration) => withoutLater(declaration, found))]
}

/** What an initializer of the form above says. */
function laterOf(init: Expression): Later | undefined {
  if (init.type !== "ArrowFunctionExpression") return undefined
  const { body } = init
  return body.type === "BlockStatement" ? undefined : laterIn(body)
}

function laterIn(given: Expression): Later | undefined {
  const body = given.type === "ParenthesizedExpression" ? given.expression : given
  if (body.type !== "AssignmentExpression" || body.left.type !== "Identifier") return undefined
  const { left, right } = body
  if (right.type !== "MemberExpression" || right.property.type !== "Identifier") return undefined
  const { object, property } = right
  if (object.type !== "CallExpression" || object.callee.type !== "Identifier") return undefined
  const [imported] = object.arguments
  if (object.callee.name !== LATER_CALL || imported?.type !== "ImportExpression") return undefined
  const { source } = imported
  if (source.type !== "Literal" || typeof source.value !== "string") return undefined
  return { variable: left.name, source: source.value, property: property.name }
}

/** Removes the functions from a list of variables. */
function withoutLater(declaration: VariableDeclaration, found: ReadonlyMap<string, Later>): Edit[] {
  const { declarations } = declaration
  const isLater = declarations.map(({ id }) => id.type === "Identifier" && found.has(id.name))
  if (isLater.every(Boolean)) return [{ start: declaration.start, end: declaration.end, text: "" }]
  const lastKept = isLater.lastIndexOf(false)
  const edits: Edit[] = []
  declarations.forEach(({ start, end }, at) => {
    if (isLater[at] !== true) return
    // With the comma after it; those at the end with the comma before them.
    const next = declarations[at + 1]
    if (at < lastKept && next !== undefined) edits.push({ start, end: next.start, text: "" })
    else edits.push({ start: declarations[at - 1]?.end ?? start, end, text: "" })
  })
  return edits
}
