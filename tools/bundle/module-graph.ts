/**
 * The compiled modules of src, read: what each imports, and where what it exports comes from.
 */
import { readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { type ImportDeclaration, parseSync, type Program } from "oxc-parser"
import { withPlainNames } from "./plain-names.ts"

/** What a module imports from another one by one statement. */
export interface Import {
  readonly from: string
  readonly statement: ImportDeclaration
  /** From the variable to the name in the other module. Undefined for all of it (`import * as`). */
  readonly names: ReadonlyMap<string, string> | undefined
}

export interface CompiledModule {
  /** From the folder of the compiled modules: `lock/condition.js`. */
  readonly path: string
  readonly text: string
  readonly program: Program
  readonly imports: readonly Import[]
  /** Of what it exports by `export … from`: from the name to the other module, and the name there. */
  readonly passedOn: ReadonlyMap<string, Origin>
  /** Modules all of whose exports it exports as well. */
  readonly passedOnWhole: readonly string[]
  /** The other names that it exports. */
  readonly own: ReadonlySet<string>
}

/** The module that declares something, and its name there. A module of the runtime, if src/host passes it on from there. */
export interface Origin {
  readonly module: string
  readonly name: string
}

export class ModuleGraph {
  readonly #folder: string
  readonly #replaced: ReadonlyMap<string, string>
  readonly #modules = new Map<string, CompiledModule>()

  /** The modules in a folder. Some are replaced by these texts. */
  constructor(folder: string, replaced: ReadonlyMap<string, string>) {
    this.#folder = folder
    this.#replaced = replaced
  }

  module(path: string): CompiledModule {
    let module = this.#modules.get(path)
    if (module === undefined) {
      this.#modules.set(
        path,
        (module = read(
          path,
          withPlainNames(path, this.#replaced.get(path) ?? readFileSync(join(this.#folder, path), "utf8")),
        )),
      )
    }
    return module
  }

  /** Where what a module exports under this name is declared. */
  origin(path: string, name: string): Origin {
    const found = this.#origin(path, name)
    if (found === undefined) throw new Error(`${path} does not export ${name}`)
    return found
  }

  #origin(path: string, name: string): Origin | undefined {
    const { own, passedOn, passedOnWhole } = this.module(path)
    if (own.has(name)) return { module: path, name }
    const from = passedOn.get(name)
    if (from !== undefined) return isOfRuntime(from.module) ? from : this.#origin(from.module, from.name)
    for (const other of passedOnWhole) {
      const found = this.#origin(other, name)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** All names that a module exports. */
  exportsOf(path: string): string[] {
    const { own, passedOn, passedOnWhole } = this.module(path)
    const names = [...own, ...passedOn.keys(), ...passedOnWhole.flatMap((other) => this.exportsOf(other))]
    return [...new Set(names)].toSorted()
  }
}

function read(path: string, text: string): CompiledModule {
  const { program, errors } = parseSync(path, text, { sourceType: "module" })
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const imports: Import[] = []
  const passedOn = new Map<string, Origin>()
  const passedOnWhole: string[] = []
  const own = new Set<string>()
  for (const statement of program.body) {
    if (statement.type === "ImportDeclaration") {
      const from = moduleOf(path, statement.source.value)
      if (from !== undefined) imports.push({ from, statement, names: namesOf(statement) })
    } else if (statement.type === "ExportAllDeclaration") {
      const from = moduleOf(path, statement.source.value)
      if (from === undefined || statement.exported !== null)
        throw new Error(`${path}: cannot pass on ${statement.source.value}`)
      passedOnWhole.push(from)
    } else if (statement.type === "ExportNamedDeclaration") {
      const from = statement.source === null ? undefined : sourceOf(path, statement.source.value)
      for (const { local, exported } of statement.specifiers) {
        if (local.type !== "Identifier" || exported.type !== "Identifier") throw new Error(`${path}: a name in quotes`)
        if (from === undefined) own.add(exported.name)
        else passedOn.set(exported.name, { module: from, name: local.name })
      }
      for (const name of declaredBy(statement.declaration)) own.add(name)
    }
  }
  return { path, text, program, imports, passedOn, passedOnWhole, own }
}

function namesOf(statement: ImportDeclaration): Map<string, string> | undefined {
  const names = new Map<string, string>()
  for (const specifier of statement.specifiers) {
    if (specifier.type !== "ImportSpecifier" || specifier.imported.type !== "Identifier") return undefined
    names.set(specifier.local.name, specifier.imported.name)
  }
  return names
}

function declaredBy(declaration: unknown): string[] {
  if (typeof declaration !== "object" || declaration === null) return []
  const { id, declarations } = declaration as { id?: { name: string }; declarations?: { id: { name: string } }[] }
  return declarations === undefined ? (id === undefined ? [] : [id.name]) : declarations.map((one) => one.id.name)
}

/** Whether it is a module of the runtime. */
export function isOfRuntime(module: string): boolean {
  return module.startsWith("node:")
}

function sourceOf(path: string, source: string): string | undefined {
  return isOfRuntime(source) ? source : moduleOf(path, source)
}

/** How modules name those of src/host. */
const HOST = "#host/"

/** The module that another one names; undefined if it is one of the runtime, or of another package. */
export function moduleOf(path: string, source: string): string | undefined {
  if (source === "#atomics") return "memory/atomics.js"
  if (source.startsWith(HOST)) return `host/node/${source.slice(HOST.length)}.js`
  return source.startsWith(".") ? posix.join(dirname(path), source) : undefined
}
