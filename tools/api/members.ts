/**
 * Members of public classes that the published types do not list: [RP76] in docs/spec/repository.md. A subclass of a program that has a member of
 * the same name would replace them without knowing. Members whose names begin with `c$`, and private members (`#x`), are not replaced by accident.
 *
 * It looks at the classes themselves, each with the classes that it extends: at their code, which has the fields as well as the methods.
 */
import { type Class, parseSync } from "oxc-parser"
import type { Declarations } from "./declarations.ts"
import { withBases } from "./documentation.ts"

/** Names of members that only corepool uses begin so: src/future/internals.ts. */
const RESERVED = /^c\$/

type AnyClass = abstract new (...args: never[]) => unknown

/** The public classes in what an entry exports, by their names. */
export function classesIn(exports: Readonly<Record<string, unknown>>): [string, AnyClass][] {
  return Object.entries(exports).filter((entry): entry is [string, AnyClass] => isClass(entry[1]))
}

/** The names of members of the class, and of those that it extends, that the types of this name do not list. */
export function unlistedMembers(declarations: Declarations, name: string, type: AnyClass): string[] {
  const listed = new Set(["constructor"])
  const locals = declarations.entries.flatMap(({ exports }) => exports.filter((one) => one.name === name))
  for (const base of withBases(declarations, [name, ...locals.map(({ local }) => local)]))
    for (const declaration of declarations.of(base))
      for (const { key } of declarations.members(declaration)) listed.add(key)
  const found = new Set<string>()
  for (const one of chainOf(type))
    for (const member of plainMembers(one)) if (!listed.has(member) && !RESERVED.test(member)) found.add(member)
  return [...found].toSorted()
}

/** The class and those that it extends, as far as they are written in JavaScript. */
export function* chainOf(type: AnyClass): Generator<AnyClass> {
  for (let one: unknown = type; isClass(one); one = Object.getPrototypeOf(one)) yield one
}

function plainMembers(type: AnyClass): string[] {
  const [statement] = parseSync("class.js", `(${Function.prototype.toString.call(type)})`).program.body
  let expression: unknown = statement?.type === "ExpressionStatement" ? statement.expression : undefined
  if ((expression as { type?: string } | undefined)?.type === "ParenthesizedExpression")
    expression = (expression as { expression: unknown }).expression
  return (expression as Class).body.body.flatMap((member) => {
    if (!("key" in member) || member.static || member.computed || member.key.type === "PrivateIdentifier") return []
    const { name, value } = member.key as { name?: string; value?: unknown }
    return [name ?? String(value)]
  })
}

function isClass(value: unknown): value is AnyClass {
  return typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value))
}
