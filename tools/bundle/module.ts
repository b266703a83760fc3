/**
 * An entry as one ES module, for the bundlers of users, which ask for the condition `module`. They can leave out of it whatever a program
 * does not use; of CommonJS files they keep all. It is a copy of the code, and no part of the others (chunks.ts): a bundle that has
 * this entry and `corepool` has two of them. A runtime never loads it.
 */
import { build } from "esbuild"
import { join } from "node:path"
import { type Class, type Expression, parseSync, type Program, type VariableDeclaration, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"
import { type Cut, cutting, requireUnused } from "./cuts.ts"
import { COMPILED } from "./entries.ts"
import { shorten } from "./shorten.ts"
import { INNER_NAMES } from "./virtual-only.ts"

const PURE = "/* @__PURE__ */ "

export async function bundleModule(root: string, module: string, cuts: Readonly<Record<string, Cut>>): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `export * from "./${module}.js"\nexport { strayClasses } from "./per-thread.js"`,
      resolveDir: join(root, COMPILED),
    },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "ascii",
    legalComments: "none",
    external: ["croner"],
    minifySyntax: true,
    mangleProps: new RegExp(`^(?:${INNER_NAMES.join("|").replaceAll("$", "\\$")})$`),
    mangleCache: Object.fromEntries(
      INNER_NAMES.map((name, at) => [name, `${name.startsWith("c$") ? "c$" : "$"}${at}`]),
    ),
    plugins: [cutting(join(root, COMPILED), cuts)],
    logLevel: "warning",
  })
  const text = outputFiles[0]?.text ?? ""
  requireUnused(text, cuts)
  const pure = new Set<string>()
  for (const { name, init } of variablesIn(text)) if (text.slice(0, init.start).endsWith(PURE)) pure.add(name)
  return withPureValues(await shorten("module.js", text, "module"), pure)
}

/**
 * To make a text shorter takes its comments away, also those that say what is pure: here they come back, for the variables of these
 * names. And for classes. Bundlers keep a class that has a member whose name is computed, such as a symbol of ours, as to compute
 * it might have an effect; unless the class is made by a call that is said to have none. The same call gives a class the name that users
 * see, whatever a bundler makes of the variable.
 */
function withPureValues(text: string, pure: ReadonlySet<string>): string {
  const program = parse(text)
  const exported = exportsOf(program)
  const edits: Edit[] = []
  const inner = new Map<string, string>()
  const classes = new Set<string>()
  const shown = new Set<string>()
  const bases = basesIn(text)
  for (const { name, init } of variablesIn(text)) {
    const { start } = init
    if (init.type !== "ClassExpression") {
      if (pure.has(name)) edits.push({ start, end: start, text: PURE })
      continue
    }
    classes.add(name)
    // Without a name of its own it has that of the variable, which no bundler changes unless it shortens names.
    if (init.id !== null) {
      inner.set(init.id.name, name)
      edits.push({ start: init.id.start - 1, end: init.id.end, text: "" })
    }
    if (isShown(init, shown)) shown.add(name)
    if (!namesItself(init) && (exported.has(name) || (shown.has(name) && !bases.has(name)))) {
      edits.push({ start, end: start, text: `${PURE}corepoolNamed("${name}", () => ` })
      edits.push({ start: init.end, end: init.end, text: ")" })
    } else if (hasEffects(init)) {
      edits.push({ start, end: start, text: `${PURE}(() => ` })
      edits.push({ start: init.end, end: init.end, text: ")()" })
    }
  }
  // The compiler may give a class a second name, by an assignment that follows it.
  for (const statement of program.body) {
    if (statement.type !== "ExpressionStatement") continue
    const { expression, start, end } = statement
    if (expression.type !== "AssignmentExpression" || expression.operator !== "=") continue
    const { left, right } = expression
    if (left.type !== "Identifier" || right.type !== "Identifier" || !classes.has(right.name)) continue
    inner.set(left.name, right.name)
    edits.push({ start, end, text: "" })
  }
  for (const { type, start, end, ...statement } of program.body) {
    if (type !== "VariableDeclaration") continue
    const { declarations } = statement as VariableDeclaration
    const isAlias = declarations.every(
      ({ id, init }) => init === null && id.type === "Identifier" && inner.has(id.name),
    )
    if (isAlias) edits.push({ start, end, text: "" })
  }
  const isEdited = (at: number): boolean => edits.some(({ start, end }) => start <= at && at < end)
  new Visitor({
    Identifier({ name, start, end }: { name: string; start: number; end: number }) {
      const outer = inner.get(name)
      if (outer !== undefined && outer !== name && !isEdited(start)) edits.push({ start, end, text: outer })
    },
  }).visit(program)
  return `${NAMED}${edited(text, edits).replace(/(?<=[{,])strayClasses,|,strayClasses(?=\})/, "")}`
}

/** Other copies of corepool in the thread hear of the class: see src/per-thread.ts. (What calls it is exported until here, so that it is there.) */
const NAMED = `function corepoolNamed(name, make) {
  const made = Object.defineProperty(make(), "name", { value: name });
  strayClasses().push(made);
  return made;
}
`

/** The names of what the module exports, inside and outside. */
function exportsOf(program: Program): Set<string> {
  const names = new Set<string>()
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue
    for (const { local, exported } of statement.specifiers) {
      for (const name of [local, exported]) if (name.type === "Identifier") names.add(name.name)
    }
  }
  return names
}

/** Whether what a console shows of its instances begins with its name, given the names of such classes. */
function isShown({ superClass, body: { body } }: Class, others: ReadonlySet<string>): boolean {
  if (superClass?.type === "Identifier" && others.has(superClass.name)) return true
  return body.some((member) => "key" in member && member.key.type === "Identifier" && member.key.name === "INSPECT")
}

/** Whether the class has a block of code that names it. */
function namesItself({ body: { body } }: Class): boolean {
  return body.some((member) => member.type === "StaticBlock")
}

/** The classes that others extend: of most there are no instances. */
function basesIn(text: string): Set<string> {
  const names = new Set<string>()
  for (const { init } of variablesIn(text)) {
    if (init.type === "ClassExpression" && init.superClass?.type === "Identifier") names.add(init.superClass.name)
  }
  return names
}

/** Whether to evaluate the class might have an effect, as bundlers see it. */
function hasEffects({ superClass, body: { body } }: Class): boolean {
  if (superClass !== null) return true
  return body.some((member) => {
    if (member.type === "StaticBlock") return true
    if (member.type === "TSIndexSignature") return false
    return member.computed || (member.type !== "MethodDefinition" && member.static)
  })
}

/** Those of the module's own scope that have a value from the beginning. */
function* variablesIn(text: string): Generator<{ readonly name: string; readonly init: Expression }> {
  for (const statement of parse(text).body) {
    if (statement.type !== "VariableDeclaration") continue
    for (const { id, init } of statement.declarations) {
      if (id.type === "Identifier" && init !== null) yield { name: id.name, init }
    }
  }
}

function parse(text: string): Program {
  const { program, errors } = parseSync("module.js", text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(errors[0]?.message)
  return program
}
