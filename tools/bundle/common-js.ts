/**
 * ES modules made of a bundler's output, as CommonJS modules. What a module imports from another file of the bundle it takes once,
 * when it begins, into variables.
 *
 * A bundler can make CommonJS modules too. But these look up each import in the other module whenever it is used, which
 * in a queue or a lock is all the time. To take it once is the same as long as no module exports a
 * variable that changes, and modules do not import each other in a circle.
 */
import { CHUNK, type Edit, edited, LATER_CALL } from "./edit.ts"
import { laterUses } from "./later-uses.ts"
import { type ImportDeclaration, type Node, parseSync, type Program, Visitor } from "oxc-parser"

/** The code that loads another file of the bundle, given by its name in an import: `chunk:lock`. */
export type LoadCode = (source: string) => string

/** The function by which a file takes a module of the runtime, when it is loaded. */
export const BUILTIN = "corepoolBuiltin"

/** The body of a module with this name and text. Modules of the runtime are taken from the runtime. */
export function asCommonJs(name: string, text: string, load: LoadCode): string {
  const { program, errors } = parseSync(name, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`)
  const exported: string[] = []
  const loaders = new Map<string, string>()
  // Their names stay, so they are short; no others begin with this sign.
  const loaderOf = (source: string): string => {
    const loader = loaders.get(source) ?? `$${loaders.size}`
    loaders.set(source, loader)
    return loader
  }
  const later = laterUses(program, loaderOf)
  const rest = [
    ...topLevel(program, exported, load),
    ...dynamicImports(program, load, loaderOf),
    ...classNames(program),
  ]
  const isInside = ({ start, end }: Edit): boolean => later.some((outer) => outer.start <= start && end <= outer.end)
  const edits = [...later, ...rest.filter((edit) => !isInside(edit))]
  const functions = [...loaders].map(([source, loader]) => `function ${loader}() { return ${load(source)} }\n`).join("")
  return `${functions}${edited(text, edits).trim()}\nmodule.exports = { ${exported.join(", ")} };\n`
}

function* topLevel(program: Program, exported: string[], load: LoadCode): Generator<Edit> {
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      yield { start: statement.start, end: statement.end, text: asDeclaration(statement, load) }
    } else if (statement.type === "ExportNamedDeclaration" && statement.declaration === null && !statement.source) {
      for (const { local, exported: as } of statement.specifiers) exported.push(`${nameOf(as)}: ${nameOf(local)}`)
      yield { start: statement.start, end: statement.end, text: "" }
    } else if (/^(?:Import|Export)/.test(statement.type)) throw new Error(`Cannot translate ${statement.type}`)
  }
}

function asDeclaration({ source: { value }, specifiers }: ImportDeclaration, load: LoadCode): string {
  const from = value.startsWith(CHUNK) ? load(value) : `${BUILTIN}(${JSON.stringify(value)})`
  if (specifiers.length === 0) return `${from};`
  const names = specifiers.map((specifier) => {
    if (specifier.type !== "ImportSpecifier") throw new Error(`Cannot translate ${specifier.type}`)
    return `${nameOf(specifier.imported)}: ${specifier.local.name}`
  })
  return `const { ${names.join(", ")} } = ${from};`
}

/**
 * Only those of the bundle's own files: what else is imported is known when the program runs. `loaderOf` names the function that
 * loads a file that is needed later.
 */
function dynamicImports(program: Program, load: LoadCode, loaderOf: LoadCode): Edit[] {
  const edits: Edit[] = []
  const later = new Set<number>()
  new Visitor({
    CallExpression({ start, end, callee, arguments: [given] }) {
      if (callee.type !== "Identifier" || callee.name !== LATER_CALL || given?.type !== "ImportExpression") return
      if (given.source.type !== "Literal" || typeof given.source.value !== "string") return
      later.add(given.start)
      edits.push({ start, end, text: `${loaderOf(given.source.value)}()` })
    },
    ImportExpression({ start, end, source }) {
      if (later.has(start)) return
      if (source.type !== "Literal" || typeof source.value !== "string") return
      edits.push({ start, end, text: `Promise.resolve().then(() => ${load(source.value)})` })
    },
  }).visit(program)
  return edits
}

/**
 * The bundler writes `var Thread = class _Thread { … }` for a class that names itself. Users see that name: in `toString()`, in
 * what a console shows. So it becomes `class Thread` again.
 */
export function classNames(program: Program): Edit[] {
  const names = new Map<string, string>()
  const edits: Edit[] = []
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type !== "Identifier" || init?.type !== "ClassExpression" || init.id == null) return
      if (init.id.name === `_${id.name}`) names.set(init.id.name, id.name)
    },
  }).visit(program)
  new Visitor({
    Identifier({ name, start, end }: { name: string; start: number; end: number }) {
      const text = names.get(name)
      if (text !== undefined) edits.push({ start, end, text })
    },
  }).visit(program)
  return edits
}

function nameOf(name: Node): string {
  if (name.type !== "Identifier") throw new Error(`Cannot translate ${name.type}`)
  return name.name
}
