/**
 * Lets bundlers leave out of `browser/code.js` what a program does not use. They keep a variable whose value might have an effect when it is computed, a sum of two constants even, and
 * with it everything that the value names; and they keep each statement. Here these values are said to be pure, and the statements become parts of them. No module of src
 * computes a value for its effect alone: it would be a variable that nothing uses, which the linter finds.
 */
import { type Expression, parseSync, type Program } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"

const PURE = "/* @__PURE__ */ "

/** Statements that are needed with a class alone: how they begin, and the class, if its name is not in there. */
const BELONGING: readonly { readonly start: RegExp; readonly to?: string }[] = [
  { start: /^leaveToGuards\((\w+)\.prototype,/ },
  { start: /^thisThread\d*\.submitElsewhere=/, to: "ForkJoinTask" },
]

export function withPureParts(text: string): string {
  const program = parse(text)
  const edits: Edit[] = []
  /** By the names of variables: the statements that belong to them, in which `it` is the value. */
  const belonging = new Map<string, string>()
  const add = (name: string, code: string): unknown => belonging.set(name, `${belonging.get(name) ?? ""}${code};`)
  for (const statement of program.body) {
    if (statement.type !== "ExpressionStatement") continue
    const { expression, start, end } = statement
    const all = expression.type === "SequenceExpression" ? expression.expressions : [expression]
    const kept = all.filter((one) => !moved(one, text.slice(one.start, one.end), add))
    if (kept.length === all.length) continue
    const rest = kept.map((one) => text.slice(one.start, one.end)).join(",")
    edits.push({ start, end, text: rest === "" ? "" : `${rest};` })
  }
  if (belonging.size < BELONGING.length) throw new Error("A statement of tools/bundle/pure-parts.ts is gone")
  for (const statement of program.body) {
    if (statement.type !== "VariableDeclaration") continue
    for (const { id, init } of statement.declarations) {
      if (id.type !== "Identifier" || init === null) continue
      const { start, end } = init
      const isPure = text.slice(0, start).endsWith(PURE)
      const own = belonging.get(id.name)
      if (own === undefined && (isPure || !mayHaveEffect(init))) continue
      const value = text.slice(start, end)
      const body = own === undefined ? `(${value})` : `{let it=${value};${own}return it}`
      edits.push({ start, end, text: `${isPure ? "" : PURE}(()=>${body})()` })
      belonging.delete(id.name)
    }
  }
  if (belonging.size > 0) throw new Error(`No variable of this name: ${[...belonging.keys()].join(", ")}`)
  return edited(text, edits)
}

/** Whether the expression is a part of the value of a variable from now on. */
function moved(expression: Expression, text: string, add: (name: string, code: string) => unknown): boolean {
  // How the bundler fills the object of `import * as name`.
  if (expression.type === "CallExpression" && text.startsWith("__export(")) {
    const [object] = expression.arguments
    if (object?.type !== "Identifier") return false
    add(object.name, `__export(it${text.slice("__export(".length + object.name.length)}`)
    return true
  }
  for (const { start, to } of BELONGING) {
    const found = start.exec(text)
    if (found === null) continue
    const name = to ?? found[1] ?? ""
    add(name, to === undefined ? text.replace(`${name}.prototype`, "it.prototype") : text)
    return true
  }
  return false
}

/** As bundlers see it. */
function mayHaveEffect(node: Expression): boolean {
  switch (node.type) {
    case "Literal":
    case "Identifier":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "ClassExpression":
      return false
    case "UnaryExpression":
      return node.operator === "delete" || node.argument.type !== "Literal"
    case "ArrayExpression":
      return node.elements.some((one) => one !== null && (one.type === "SpreadElement" || mayHaveEffect(one)))
    case "ObjectExpression":
      return node.properties.some((one) => one.type === "SpreadElement" || one.computed || mayHaveEffect(one.value))
    default:
      return true
  }
}

function parse(text: string): Program {
  const { program, errors } = parseSync("code.js", text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(errors[0]?.message)
  return program
}
