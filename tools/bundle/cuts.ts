/**
 * Leaves out of compiled modules what cannot happen in a bundle: by rules that say what members, calls and functions are reduced to.
 * A rule that finds nothing stops the build, and so does a member that is left out and still used: the rules stay true.
 */
import type { Plugin } from "esbuild"
import { readFileSync } from "node:fs"
import { sep } from "node:path"
import { type Node, parseSync, Visitor } from "oxc-parser"
import { type Edit, edited } from "./edit.ts"
import { plainName, withPlainNames } from "./plain-names.ts"

/**
 * What is left of one file. Members are those of any object in it; private ones are written with their `#`, those named by a symbol as
 * `[SYMBOL]`.
 */
export interface Cut {
  /** What to read a member gives, as code. To assign to one that is never set does nothing. */
  readonly reads?: Readonly<Record<string, string>>
  /** What to call a method or function gives, as code. */
  readonly calls?: Readonly<Record<string, string>>
  /** Members of classes that are left out. */
  readonly without?: readonly string[]
  /** What methods and functions are reduced to: one expression that they return. */
  readonly results?: Readonly<Record<string, string>>
}

/** `cuts` has the paths of files below `folder`, without their endings. */
export function cutting(folder: string, cuts: Readonly<Record<string, Cut>>): Plugin {
  return {
    name: "cuts",
    setup(builder) {
      builder.onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(folder)) return undefined
        const file = path.slice(folder.length + 1, -".js".length).replaceAll(sep, "/")
        const text = readFileSync(path, "utf8")
        const cut = cuts[file]
        return { contents: withPlainNames(file, cut === undefined ? text : withCut(file, text, cut)) }
      })
    },
  }
}

/** Throws if a member that was left out is used in the finished text, unless other objects have one of that name. */
export function requireUnused(text: string, cuts: Readonly<Record<string, Cut>>): void {
  for (const [file, { without = [] }] of Object.entries(cuts)) {
    for (const name of without) {
      if (name.startsWith("#")) continue
      const written = name.startsWith("[") ? plainName(name.slice(1, -1)).replace("$", "\\$") : name
      const use = new RegExp(`.{0,40}\\.${written}\\b`).exec(text)
      if (use !== null && !new RegExp(`(?:^|[\\s;}*])(?:get )?${written}(?:\\(| = |: )`, "m").test(text))
        throw new Error(`${name} of ${file} is left out, and used: ${use[0]}`)
    }
  }
}

function withCut(file: string, text: string, cut: Cut): string {
  const { reads = {}, calls = {}, without = [], results = {} } = cut
  const { program, errors } = parseSync(file, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const edits: Edit[] = []
  const unused = new Set([...Object.keys(reads), ...Object.keys(calls), ...without, ...Object.keys(results)])
  const replace = (name: string, { start, end }: { start: number; end: number }, by: string): void => {
    unused.delete(name)
    edits.push({ start, end, text: by })
  }
  const reduce = (name: string | undefined, body: { start: number; end: number } | null | undefined): void => {
    if (name !== undefined && body != null && Object.hasOwn(results, name))
      replace(name, body, `{ return ${results[name]} }`)
  }
  new Visitor({
    MemberExpression(member) {
      const name = memberName(member)
      if (name !== undefined && Object.hasOwn(reads, name)) replace(name, member, `(${reads[name]})`)
    },
    AssignmentExpression(assignment) {
      const name = memberName(assignment.left)
      if (name !== undefined && Object.hasOwn(reads, name)) replace(name, assignment, "void 0")
    },
    CallExpression(call) {
      const name = memberName(call.callee) ?? (call.callee.type === "Identifier" ? call.callee.name : undefined)
      if (name !== undefined && Object.hasOwn(calls, name)) replace(name, call, `(${calls[name]})`)
    },
    MethodDefinition(method) {
      const name = keyName(method)
      if (name !== undefined && without.includes(name)) replace(name, method, "")
      else reduce(name, method.value.body)
    },
    PropertyDefinition(property) {
      const name = keyName(property)
      if (name !== undefined && without.includes(name)) replace(name, property, "")
    },
    FunctionDeclaration({ id, body }) {
      reduce(id?.name, body)
    },
  }).visit(program)
  if (unused.size > 0) throw new Error(`tools/bundle/virtual-only.ts: ${file} has no ${[...unused].join(", ")}`)
  return edited(text, outermost(edits))
}

/** Without those inside of others. */
function outermost(edits: readonly Edit[]): Edit[] {
  return edits.filter((edit) =>
    edits.every((other) => other === edit || other.start > edit.start || other.end < edit.end),
  )
}

function memberName(node: Node): string | undefined {
  if (node.type !== "MemberExpression") return undefined
  if (node.computed) return node.property.type === "Identifier" ? `[${node.property.name}]` : undefined
  return node.property.type === "PrivateIdentifier"
    ? `#${node.property.name}`
    : (node.property as { name?: string }).name
}

function keyName({ computed, key }: { computed: boolean; key: Node }): string | undefined {
  if (computed) return key.type === "Identifier" ? `[${key.name}]` : undefined
  return key.type === "PrivateIdentifier" ? `#${key.name}` : (key as { name?: string }).name
}
