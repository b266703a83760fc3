/** Which names a module declares, and where it uses which: while it is evaluated, or in functions that are called later. */
import type { ImportExpression, Node } from "oxc-parser"
import { type CompiledModule, moduleOf } from "./module-graph.ts"

/** Where a name stands in the text. */
export interface Use {
  readonly start: number
  readonly end: number
  /** In `{ name }`, where it is the name of the property too. */
  readonly isShorthand: boolean
}

export interface Uses {
  /** Names of variables, functions, classes and parameters, at whatever depth. */
  readonly declared: ReadonlySet<string>
  readonly early: ReadonlySet<string>
  readonly late: ReadonlyMap<string, readonly Use[]>
  /** The names of modules of ours in `import("…")`, with their quotes. */
  readonly dynamic: readonly { readonly start: number; readonly end: number; readonly from: string }[]
}

const known = new WeakMap<CompiledModule, Uses>()

export function usesIn(module: CompiledModule): Uses {
  let uses = known.get(module)
  if (uses === undefined) known.set(module, (uses = findUses(module)))
  return uses
}

function findUses(module: CompiledModule): Uses {
  const finder = new Finder(module.path)
  finder.visit(module.program.body, false)
  return finder
}

class Finder implements Uses {
  readonly declared = new Set<string>()
  readonly early = new Set<string>()
  readonly late = new Map<string, Use[]>()
  readonly dynamic: { start: number; end: number; from: string }[] = []
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** @param isLate Whether it is in a function, or in what is evaluated for each object of a class. */
  visit(node: unknown, isLate: boolean): void {
    if (Array.isArray(node)) {
      for (const one of node as unknown[]) this.visit(one, isLate)
    } else if (typeof node === "object" && node !== null && "type" in node) {
      this.#node(node as Node, isLate)
    }
  }

  #node(node: Node, isLate: boolean): void {
    switch (node.type) {
      case "ImportDeclaration":
      case "BreakStatement":
      case "ContinueStatement":
      case "MetaProperty":
        return
      case "ExportNamedDeclaration":
        if (node.source === null) this.visit([node.declaration, ...node.specifiers.map(({ local }) => local)], isLate)
        return
      case "Identifier":
        this.#use(node, isLate, false)
        return
      case "MemberExpression":
        this.visit([node.object, node.computed && node.property], isLate)
        return
      case "Property":
        if (node.shorthand && node.value.type === "Identifier") this.#use(node.value, isLate, true)
        else this.visit([node.computed && node.key, node.value], isLate)
        return
      case "MethodDefinition":
        this.visit([node.computed && node.key, node.value], isLate)
        return
      case "PropertyDefinition":
        this.visit(node.computed && node.key, isLate)
        this.visit(node.value, isLate || !node.static)
        return
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        if (node.id) this.declared.add(node.id.name)
        for (const parameter of node.params) this.#declare(parameter, true)
        this.visit(node.body, true)
        return
      case "ClassDeclaration":
      case "ClassExpression":
        if (node.id) this.declared.add(node.id.name)
        this.visit([node.superClass, node.body], isLate)
        return
      case "VariableDeclarator":
        this.#declare(node.id, isLate)
        this.visit(node.init, isLate)
        return
      case "CatchClause":
        this.#declare(node.param, isLate)
        this.visit(node.body, isLate)
        return
      case "LabeledStatement":
        this.visit(node.body, isLate)
        return
      case "ImportExpression":
        this.#import(node)
        this.visit(node.source, isLate)
        return
      default:
        for (const value of Object.values(node)) this.visit(value, isLate)
    }
  }

  #use(
    { name, start, end }: { name: string; start: number; end: number },
    isLate: boolean,
    isShorthand: boolean,
  ): void {
    if (!isLate) this.early.add(name)
    this.late.set(name, [...(this.late.get(name) ?? []), { start, end, isShorthand }])
  }

  #import({ source }: ImportExpression): void {
    if (source.type !== "Literal" || typeof source.value !== "string") return
    const from = moduleOf(this.#path, source.value)
    if (from !== undefined) this.dynamic.push({ start: source.start, end: source.end, from })
  }

  /** The names in a declaration: of a variable, or of several that are taken from an array or an object. */
  #declare(node: Node | null, isLate: boolean): void {
    if (node?.type === "Identifier") this.declared.add(node.name)
    else if (node?.type === "RestElement") this.#declare(node.argument, isLate)
    else if (node?.type === "ArrayPattern") for (const element of node.elements) this.#declare(element, isLate)
    else if (node?.type === "AssignmentPattern") {
      this.#declare(node.left, isLate)
      this.visit(node.right, isLate)
    } else if (node?.type === "ObjectPattern") {
      for (const property of node.properties) {
        if (property.type === "Property") this.visit(property.computed && property.key, isLate)
        this.#declare(property.type === "Property" ? property.value : property, isLate)
      }
    }
  }
}
