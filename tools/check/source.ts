/**
 * What the checks read out of a TypeScript file: imports, names, comments, the titles of tests.
 *
 * TypeScript 7 has no parser that JavaScript could call, so this is oxc's. Regular expressions would do
 * until the first test that keeps a seeded mistake in a string, and there are many in test/tools.
 */
import { type Argument, type Expression, parseSync, Visitor, type VisitorObject } from "oxc-parser"
import { lineAt, readText } from "./files.ts"

export interface Import {
  readonly line: number
  readonly specifier: string
  /** True if nothing of it is left when compiled: `import type`, `export type … from`, `import("x").T`. */
  readonly isType: boolean
}

export interface Mention {
  readonly line: number
  readonly text: string
}

export interface TestCase {
  readonly line: number
  /** The literal text of the title; of a template, the text around the holes. Undefined if it is computed. */
  readonly title: string | undefined
  /** How the test is switched off or singled out without a reason: `skip`, `only`, `todo`. */
  readonly mark: string | undefined
}

export class Source {
  readonly path: string
  readonly text: string
  readonly #parsed: ReturnType<typeof parseSync>

  constructor(root: string, path: string) {
    this.path = path
    this.text = readText(root, path)
    this.#parsed = parseSync(path, this.text)
  }

  /** Whatever names another module: imports, re-exports, `import("x")` with a literal, as value and as type. */
  imports(): Import[] {
    const found: Import[] = []
    const add = (source: Expression | null, isType: boolean): void => {
      if (source?.type !== "Literal" || typeof source.value !== "string") return
      found.push({ line: this.#line(source.start), specifier: source.value, isType })
    }
    this.#visit({
      ImportDeclaration: (node) => add(node.source, node.importKind === "type"),
      ExportNamedDeclaration: (node) => add(node.source, node.exportKind === "type"),
      ExportAllDeclaration: (node) => add(node.source, node.exportKind === "type"),
      ImportExpression: (node) => add(node.source, false),
      TSImportType: (node) => add(node.source, true),
    })
    return found
  }

  /** Identifiers, in values and in types, that are one of `names`. */
  identifiers(names: ReadonlySet<string>): Mention[] {
    const found: Mention[] = []
    this.#visit({
      Identifier: (node: { name: string; start: number }) => {
        if (names.has(node.name)) found.push({ line: this.#line(node.start), text: node.name })
      },
    })
    return found
  }

  /** Members of objects that are one of `names`, written as in `Date.now`. */
  members(names: ReadonlySet<string>): Mention[] {
    const found: Mention[] = []
    this.#visit({
      MemberExpression: ({ object, property, start }) => {
        if (object.type !== "Identifier" || property.type !== "Identifier") return
        const text = `${object.name}.${property.name}`
        if (names.has(text)) found.push({ line: this.#line(start), text })
      },
    })
    return found
  }

  /**
   * Calls of members with one of these names, as in `fn.call(it)`, but for members of private fields, which are
   * objects of the class's own making.
   */
  memberCalls(names: ReadonlySet<string>): Mention[] {
    const found: Mention[] = []
    this.#visit({
      CallExpression: ({ callee, start }) => {
        if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return
        const { object, property } = callee
        if (object.type === "MemberExpression" && object.property.type === "PrivateIdentifier") return
        if (names.has(property.name)) found.push({ line: this.#line(start), text: property.name })
      },
    })
    return found
  }

  /** Comments line by line. */
  commentLines(): Mention[] {
    return this.#parsed.comments.flatMap((comment) =>
      comment.value.split("\n").map((text, index) => ({ line: this.#line(comment.start) + index, text })),
    )
  }

  /** Calls of `test(…)` and `it(…)`, with `.skip`, `.only` and `.todo`. A subtest, `t.test(…)`, belongs to its test. */
  tests(): TestCase[] {
    const found: TestCase[] = []
    this.#visit({
      CallExpression: (node) => {
        const { callee } = node
        const [base, member] =
          callee.type === "MemberExpression" && callee.property.type === "Identifier"
            ? [callee.object, callee.property.name]
            : [callee, undefined]
        if (base.type !== "Identifier" || !TEST_FUNCTIONS.has(base.name)) return
        if (member !== undefined && !MARKS.has(member)) return
        const [title, options] = node.arguments
        found.push({ line: this.#line(node.start), title: literalText(title), mark: member ?? markIn(options) })
      },
    })
    return found
  }

  #visit(visitor: VisitorObject): void {
    new Visitor(visitor).visit(this.#parsed.program)
  }

  #line(offset: number): number {
    return lineAt(this.text, offset)
  }
}

const TEST_FUNCTIONS = new Set(["test", "it"])
const MARKS = new Set(["skip", "only", "todo"])

function literalText(title: Argument | undefined): string | undefined {
  if (title?.type === "Literal" && typeof title.value === "string") return title.value
  if (title?.type === "TemplateLiteral") return title.quasis.map((part) => part.value.raw).join("…")
  return undefined
}

/**
 * `{ skip: true }` marks a test; `{ skip: "no such call on this platform" }` gives its reason, a computed one decides
 * by itself.
 */
function markIn(options: Argument | undefined): string | undefined {
  if (options?.type !== "ObjectExpression") return undefined
  for (const property of options.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier" || !MARKS.has(property.key.name)) continue
    if (property.value.type === "Literal" && property.value.value === true) return property.key.name
  }
  return undefined
}
