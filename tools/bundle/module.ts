/**
 * An entry as one ES module, for the bundlers of users, which ask for the condition `module`. They can leave out of it whatever a program
 * does not use; of CommonJS files they keep all. It is a copy of the code, and no part of the others (chunks.ts): a bundle that has
 * this entry and `corepool` has two of them. A runtime never loads it.
 */
import { build, type BuildOptions, transform } from "esbuild"
import { join } from "node:path"
import { type Class, type Expression, parseSync, type Program, type VariableDeclaration, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"
import { type Cut, cutting, requireUnused } from "./cuts.ts"
import { COMPILED } from "./entries.ts"
import { withPureParts } from "./pure-parts.ts"
import { inLines, shorten } from "./shorten.ts"
import { INNER_NAMES } from "./virtual-only.ts"

const PURE = "/* @__PURE__ */ "

/** Of members that only the classes of virtual threads have. */
const SHORT_NAMES: BuildOptions = {
  mangleProps: new RegExp(`^(?:${INNER_NAMES.join("|").replaceAll("$", "\\$")})$`),
  mangleCache: Object.fromEntries(INNER_NAMES.map((name, at) => [name, `${name.startsWith("c$") ? "c$" : "$"}${at}`])),
}

export interface ModuleOptions {
  /** What the module consists of, seen from the folder of compiled modules. */
  readonly contents: string
  readonly cuts?: Readonly<Record<string, Cut>>
  readonly more?: BuildOptions
  /** Whether it has the classes that those of other modules in the thread are the same as: see src/per-thread.ts. */
  readonly isWhole?: boolean
}

export async function bundleModule(root: string, options: ModuleOptions): Promise<string> {
  const { contents, cuts = {}, more = {}, isWhole = false } = options
  const { outputFiles = [] } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `${contents}\nexport { ${isWhole ? "joinCopies, " : ""}strayClasses } from "./per-thread.js"`,
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
    ...(isWhole ? {} : SHORT_NAMES),
    logLevel: "warning",
    ...more,
    plugins: [...(more.plugins ?? []), cutting(join(root, COMPILED), cuts)],
  })
  const text = outputFiles[0]?.text ?? ""
  requireUnused(text, cuts)
  const pure = new Set<string>()
  for (const { name, init } of variablesIn(text)) if (text.slice(0, init.start).endsWith(PURE)) pure.add(name)
  const shorter = withPureValues(await shorten("module.js", text, "module"), pure, isWhole)
  return await withShortNames(isWhole ? withPureParts(shorter) : shorter)
}

/**
 * Bundlers change the names of the module's own scope anyway, and classes that users see have theirs as a string. Short ones make the package 2 KB smaller. What
 * is pure is lost here, too, and comes back for the same variables.
 */
async function withShortNames(text: string): Promise<string> {
  const { code } = await transform(text, {
    format: "esm",
    target: "node20",
    charset: "ascii",
    minifyIdentifiers: true,
    minifyWhitespace: true,
  })
  const before = [...variablesIn(text)]
  const after = [...variablesIn(code)]
  const edits = after.flatMap(({ init: { start, type } }, at): Edit[] => {
    const { init } = before[at] ?? {}
    const isSame = init?.type === type || (init?.type === "UnaryExpression" && type === "Literal") // `!0` becomes `true`
    if (init === undefined || !isSame)
      throw new Error(`The module has other variables now: ${code.slice(start, start + 40)}`)
    return text.slice(0, init.start).endsWith(PURE) ? [{ start, end: start, text: PURE }] : []
  })
  return inLines("module.js", edited(code, edits), "module")
}

/**
 * To make a text shorter takes its comments away, also those that say what is pure: here they come back, for the variables of these
 * names. And for classes. Bundlers keep a class that has a member whose name is computed, such as a symbol of ours, as to compute
 * it might have an effect; unless the class is made by a call that is said to have none. The same call gives a class the name that users
 * see, whatever a bundler makes of the variable.
 */
function withPureValues(text: string, pure: ReadonlySet<string>, isWhole: boolean): string {
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
    if (init.id !== null) {
      inner.set(init.id.name, name)
      edits.push({ start: init.id.start - 1, end: init.id.end, text: "" })
    }
    if (isShown(init, shown)) shown.add(name)
    const hasInstances = !bases.has(name) || CONCRETE_BASES.has(name)
    if (!namesItself(init) && (exported.has(name) || (shown.has(name) && hasInstances))) {
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
  const rest = edited(text, edits).replaceAll(
    /(?<=[{,])(?:strayClasses|joinCopies),|,(?:strayClasses|joinCopies)(?=\})/g,
    "",
  )
  return `${named(isWhole ? "joinCopies({ [name]: made })" : "strayClasses().push(made)")}${rest}`
}

/** Other copies of corepool in the thread hear of the class: see src/per-thread.ts. (What calls it is exported until here, so that it is there.) */
const named = (tell: string): string => `function corepoolNamed(name, make) {
  const made = Object.defineProperty(make(), "name", { value: name });
  ${tell};
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

/** Those of them that have instances, and are not exported. */
const CONCRETE_BASES: ReadonlySet<string> = new Set(["ExecutorView"])

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
