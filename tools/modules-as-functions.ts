/**
 * ES modules made of a bundler's output, as bodies of functions. What a module imports from another part of the bundle it takes
 * from `parts`, and what it exports is what the function returns.
 *
 * A bundler can do that too, as CommonJS modules. But these look up each import in the other module whenever it is used, which
 * in a queue or a lock is all the time. Here it becomes a variable once. That is the same as long as nobody exports a
 * variable that changes, and modules do not import each other in a circle.
 */
import { type ImportDeclaration, type Node, parseSync, type Program, Visitor } from "oxc-parser"

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The body, for a module with this name and text. An import by name from another package stays what the runtime has. */
export function asFunctionBody(name: string, text: string): string {
  const { program, errors } = parseSync(name, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const exported: string[] = []
  const edits = [...topLevel(program, exported), ...dynamicImports(program)]
  let body = text
  for (const { start, end, text: by } of edits.toSorted((a, b) => b.start - a.start)) {
    body = `${body.slice(0, start)}${by}${body.slice(end)}`
  }
  return `${body.trimEnd()}\nreturn { ${exported.join(", ")} };`
}

function* topLevel(program: Program, exported: string[]): Generator<Edit> {
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      yield { start: statement.start, end: statement.end, text: asDeclaration(statement) }
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null && !statement.source) {
      for (const { local, exported: as } of statement.specifiers) exported.push(`${nameOf(as)}: ${nameOf(local)}`)
      yield { start: statement.start, end: statement.end, text: "" }
    } else if (/^(?:Import|Export)/.test(statement.type)) throw new Error(`Cannot translate ${statement.type}`)
  }
}

function asDeclaration({ source: { value }, specifiers }: ImportDeclaration): string {
  const from = value.startsWith("./")
    ? `parts[${JSON.stringify(value.slice(2))}]`
    : `process.getBuiltinModule(${JSON.stringify(value)})`
  const names = specifiers.map((specifier) => {
    if (specifier.type !== "ImportSpecifier") throw new Error(`Cannot translate ${specifier.type}`)
    return `${nameOf(specifier.imported)}: ${specifier.local.name}`
  })
  return `const { ${names.join(", ")} } = ${from};`
}

/** There is one other part that can be loaded so, and the boot loads it. */
function dynamicImports(program: Program): Edit[] {
  const edits: Edit[] = []
  new Visitor({
    ImportExpression({ start, end }) {
      edits.push({ start, end, text: "boot.rest(parts)" })
    },
  }).visit(program)
  return edits
}

function nameOf(name: Node): string {
  if (name.type !== "Identifier") throw new Error(`Cannot translate ${name.type}`)
  return name.name
}
