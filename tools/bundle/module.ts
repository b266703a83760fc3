/**
 * An entry as one ES module, for the bundlers of users, which ask for the condition `module`. They can leave out of it whatever a program
 * does not use; of CommonJS files they keep all. It is a copy of the code, and no part of the others (chunks.ts): a bundle that has
 * this entry and `corepool` has two of them. A runtime never loads it.
 */
import { build } from "esbuild"
import { type Expression, parseSync } from "oxc-parser"
import { classNames, type Edit, edited } from "./common-js.ts"
import { COMPILED } from "./entries.ts"
import { shorten } from "./shorten.ts"

const PURE = "/* @__PURE__ */ "

export async function bundleModule(root: string, module: string): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`${COMPILED}/${module}.js`],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "ascii",
    legalComments: "none",
    external: ["croner"],
    logLevel: "warning",
  })
  const text = outputFiles[0]?.text ?? ""
  const pure = new Set<string>()
  for (const { name, init } of variablesIn(text)) if (text.slice(0, init.start).endsWith(PURE)) pure.add(name)
  return withPureValues(await shorten("module.js", text, "module"), pure)
}

/**
 * To make a text shorter takes its comments away, also those that say what is pure: here they come back, for the variables of these
 * names. And for classes. Bundlers keep a class that has a member whose name is computed, such as a symbol of ours, as to compute
 * it might have an effect; unless the class is made by a call that is said to have none.
 */
function withPureValues(text: string, pure: ReadonlySet<string>): string {
  const program = parse(text)
  const edits: Edit[] = classNames(program)
  // The compiler may give a class a second name, by an assignment that follows it: that becomes part of the call.
  const classes = new Set<string>()
  for (const { name, init } of variablesIn(text)) if (init.type === "ClassExpression") classes.add(name)
  const aliases = new Map<string, string>()
  for (const { type, start, end, ...statement } of program.body) {
    if (type !== "ExpressionStatement") continue
    const { expression } = statement as { expression: Expression }
    if (expression.type !== "AssignmentExpression" || expression.operator !== "=") continue
    const { left, right } = expression
    if (left.type !== "Identifier" || right.type !== "Identifier" || !classes.has(right.name)) continue
    aliases.set(right.name, left.name)
    edits.push({ start, end, text: "" })
  }
  for (const { name, init } of variablesIn(text)) {
    const { start, end } = init
    if (init.type === "ClassExpression") {
      const head = init.id === null ? `class ${name}` : "class"
      edits.push({ start, end: start + "class".length, text: `${PURE}(() => { ${head}` })
      const alias = aliases.get(name)
      edits.push({ start: end, end, text: ` return ${alias === undefined ? "" : `${alias} = `}${name} })()` })
    } else if (pure.has(name)) edits.push({ start, end: start, text: PURE })
  }
  return edited(text, edits)
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

function parse(text: string): ReturnType<typeof parseSync>["program"] {
  const { program, errors } = parseSync("module.js", text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(errors[0]?.message)
  return program
}
