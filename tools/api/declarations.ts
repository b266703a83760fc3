/**
 * The published types as data: what each entry of the package exports, which members it has, and which comment stands on each of them.
 *
 * It reads what the build has written to dist, so it sees what an editor of a user sees. TypeScript 7 has no parser that JavaScript could
 * call, so the parser is oxc's.
 */
import { type Comment, type Node, parseSync, Visitor } from "oxc-parser"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { ENTRIES, SHIPPED, WORKER_ENTRY } from "../bundle/entries.ts"
import { lineAt, readText } from "../check/files.ts"

/** The file that has all declarations, of which the entries export some. */
export const TYPES = `${SHIPPED}/types.d.cts`

export type Place = Node & { readonly start: number; readonly end: number }

export interface Export {
  /** As users import it. */
  readonly name: string
  /** As it is called in the file with all declarations. */
  readonly local: string
}

export interface EntryExports {
  /** As users import it: `corepool/lock`. */
  readonly specifier: string
  readonly exports: readonly Export[]
}

export interface Member {
  /** As it is written: `submit`, `[Symbol.iterator]`, `constructor`. */
  readonly key: string
  readonly node: Place
  /** True for a constructor without parameters, and for what begins with `private`. */
  readonly isTrivial: boolean
}

export class Declarations {
  readonly text: string
  readonly entries: readonly EntryExports[]
  readonly #byName = new Map<string, Place[]>()
  /** From the offset at which something begins to the documenting comment before it. */
  readonly #comments = new Map<number, Comment>()
  readonly #allComments: readonly Comment[]

  constructor(root: string) {
    this.text = readText(root, TYPES)
    const { program, comments } = parsed(TYPES, this.text)
    this.#allComments = comments
    for (const comment of comments) {
      if (comment.type !== "Block" || !comment.value.startsWith("*")) continue
      const space = /^\s*/.exec(this.text.slice(comment.end, comment.end + 200))?.[0].length ?? 0
      this.#comments.set(comment.end + space, comment)
    }
    const published = new Map<string, string>()
    for (const statement of program.body) {
      if (statement.type === "ExportNamedDeclaration" && statement.declaration === null) {
        for (const { local, exported } of statement.specifiers) published.set(nameOf(exported), nameOf(local))
        continue
      }
      for (const name of namesOf(statement)) this.#byName.set(name, [...(this.#byName.get(name) ?? []), statement])
    }
    this.entries = [...ENTRIES, WORKER_ENTRY]
      .filter(({ name }) => existsSync(join(root, SHIPPED, `${name}.d.cts`)))
      .map(({ name }) => ({
        specifier: name === "index" ? "corepool" : `corepool/${name}`,
        exports: exportsOf(root, `${SHIPPED}/${name}.d.cts`, published),
      }))
  }

  /** All declarations of a name; a class, an interface or a type may have several. */
  of(local: string): readonly Place[] {
    return this.#byName.get(local) ?? []
  }

  /** The text of the documenting comment that stands on a declaration or a member. */
  comment(node: Place): string | undefined {
    return this.#comments.get(node.start)?.value
  }

  isInternal(node: Place): boolean {
    return /@internal\b/.test(this.comment(node) ?? "")
  }

  line(node: Place): number {
    return lineAt(this.text, node.start)
  }

  source(node: Place): string {
    return this.text.slice(node.start, node.end)
  }

  /** The members that a declaration itself has and users may use. */
  members(declaration: Place): Member[] {
    const found: Member[] = []
    for (const list of listsOfMembers(declaration)) {
      for (const node of list) {
        const { key, accessibility } = node as { key?: Place; accessibility?: string | null }
        if (key?.type === "PrivateIdentifier" || accessibility === "private" || this.isInternal(node)) continue
        found.push({ key: this.#keyOf(node, key), node, isTrivial: isTrivial(node) })
      }
    }
    return found
  }

  /** What of a declaration is not for users: comments, private members other than constructors, and what is internal. */
  hidden(declaration: Place): { readonly start: number; readonly end: number }[] {
    const isInside = ({ start, end }: Comment): boolean => declaration.start <= start && end <= declaration.end
    const found: { start: number; end: number }[] = this.#allComments.filter(isInside)
    for (const list of listsOfMembers(declaration)) {
      for (const node of list) {
        const { key, accessibility, kind } = node as { key?: Place; accessibility?: string | null; kind?: string }
        const isPrivate = key?.type === "PrivateIdentifier" || (accessibility === "private" && kind !== "constructor")
        if (isPrivate || this.isInternal(node)) found.push(node)
      }
    }
    return found
  }

  /** The names of the classes and interfaces that a declaration takes members from, or that its value is one of. */
  bases(declaration: Place): string[] {
    if (declaration.type === "ClassDeclaration") {
      const { superClass } = declaration
      const own = superClass?.type === "Identifier" ? [superClass.name] : []
      return [...own, ...(declaration.implements ?? []).flatMap(({ expression }) => identifierOf(expression))]
    }
    if (declaration.type === "TSInterfaceDeclaration")
      return declaration.extends.flatMap(({ expression }) => identifierOf(expression))
    if (declaration.type === "VariableDeclaration") {
      return declaration.declarations.flatMap(({ id }) => {
        const type = id.type === "Identifier" ? id.typeAnnotation?.typeAnnotation : undefined
        return type?.type === "TSTypeQuery" ? identifierOf(type.exprName) : []
      })
    }
    return []
  }

  /** The names of all declarations that a declaration mentions, except in what is internal or private. */
  mentions(declaration: Place): Set<string> {
    const hidden: Place[] = []
    const isHidden = (place: Place): boolean => hidden.some((it) => it.start <= place.start && place.end <= it.end)
    for (const list of listsOfMembers(declaration)) {
      for (const node of list) {
        const { accessibility } = node as { accessibility?: string | null }
        if (accessibility === "private" || this.isInternal(node)) hidden.push(node)
      }
    }
    const names = new Set<string>()
    new Visitor({
      Identifier: (node: Place & { name: string }) => {
        if (this.#byName.has(node.name) && !isHidden(node)) names.add(node.name)
      },
    }).visit({ type: "Program", body: [declaration], sourceType: "module", start: 0, end: 0 } as never)
    return names
  }

  #keyOf(node: Place, key: Place | undefined): string {
    if (key === undefined) return this.source(node)
    const { computed } = node as { computed?: boolean }
    return computed === true ? `[${this.source(key)}]` : this.source(key)
  }
}

function parsed(path: string, text: string): ReturnType<typeof parseSync> {
  const result = parseSync(path, text, { sourceType: "module", lang: "dts" })
  if (result.errors.length > 0) throw new Error(`${path}: ${result.errors[0]?.message}`)
  return result
}

function exportsOf(root: string, path: string, published: ReadonlyMap<string, string>): Export[] {
  const imported = new Map<string, string>()
  const exports: Export[] = []
  for (const statement of parsed(path, readText(root, path)).program.body) {
    if (statement.type === "ImportDeclaration") {
      for (const specifier of statement.specifiers) {
        if (specifier.type === "ImportSpecifier") imported.set(specifier.local.name, nameOf(specifier.imported))
      }
    } else if (statement.type === "ExportNamedDeclaration") {
      for (const { local, exported } of statement.specifiers) {
        const from = statement.source === null ? (imported.get(nameOf(local)) ?? "") : nameOf(local)
        exports.push({ name: nameOf(exported), local: published.get(from) ?? from })
      }
    }
  }
  return exports.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function nameOf(name: { readonly type: string }): string {
  const { name: identifier, value } = name as { name?: string; value?: string }
  return identifier ?? value ?? ""
}

function namesOf(statement: Node): string[] {
  if (statement.type === "VariableDeclaration")
    return statement.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []))
  const { id } = statement as { id?: { name?: string } | null }
  return id?.name === undefined ? [] : [id.name]
}

function identifierOf(node: Node): string[] {
  return node.type === "Identifier" ? [node.name] : []
}

/** A class and an interface have one list of members; a type may be made of several objects; so may the type of a constant. */
function listsOfMembers(declaration: Place): (readonly Place[])[] {
  switch (declaration.type) {
    case "ClassDeclaration":
    case "TSInterfaceDeclaration":
      return [declaration.body.body]
    case "TSTypeAliasDeclaration":
      return objectsOf(declaration.typeAnnotation)
    case "VariableDeclaration":
      return declaration.declarations.flatMap(({ id }) =>
        id.type === "Identifier" && id.typeAnnotation ? objectsOf(id.typeAnnotation.typeAnnotation) : [],
      )
    default:
      return []
  }
}

function objectsOf(type: Node): (readonly Place[])[] {
  if (type.type === "TSTypeLiteral") return [type.members]
  if (type.type === "TSUnionType" || type.type === "TSIntersectionType") return type.types.flatMap(objectsOf)
  return []
}

function isTrivial(node: Place): boolean {
  return node.type === "MethodDefinition" && node.kind === "constructor" && node.value.params.length === 0
}
