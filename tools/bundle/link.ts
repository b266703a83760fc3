/**
 * Decides, for each import between modules, how it is in the published files. Modules that are bundled into one file (chunk-table.ts)
 * import each other as before. What a module imports from another file it takes when it is loaded, if its file is always
 * loaded after that one; otherwise the import is put off until a function uses it, and `X` becomes `(X ?? later_X())`.
 */
import type { ChunkTable } from "./chunk-table.ts"
import { CHUNK, type Edit, edited, LATER_CALL } from "./edit.ts"
import { type CompiledModule, type Import, isOfRuntime, type ModuleGraph, type Origin } from "./module-graph.ts"
import { usesIn } from "./uses.ts"

export interface Linked {
  /** From the path of a module to its text. */
  readonly texts: ReadonlyMap<string, string>
  /** Of a file: from the name of an export to what it is. */
  readonly exports: ReadonlyMap<string, ReadonlyMap<string, Origin>>
  /** From the names of a file and one that it imports, with a slash between, to what it takes from that. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>
}

/** What a module imports another file as, and a file that is loaded later. Both are modules that are in each bundle that uses them. */
export const FILE = "code:"
export const LATER = "later:"

/** A module that stands for a file of which a bundle uses these exports. */
export function fileModule(chunk: string, names: readonly string[]): string {
  return `export { ${names.join(", ")} } from "${CHUNK}${chunk}"\n`
}

/** A module that stands for a file that is loaded later: variables, and functions that load the file and set them. */
export function laterModule(chunk: string, names: readonly string[]): string {
  const load = `${LATER_CALL}(import("${CHUNK}${chunk}"))`
  return names
    .map((name) => `export let ${name}; export const later_${name} = () => (${name} = ${load}.${name})\n`)
    .join("")
}

/** Modules that another one stands for where it is loaded when the program runs, as a lower layer cannot name it. */
const STANDS_FOR: ReadonlyMap<string, string> = new Map([
  ["platform/worker/handler-part.js", "compat/in-thread/in-thread.js"],
  ["platform/worker/job-part.js", "distributed/node/job-in-thread.js"],
])

export class Linker {
  readonly #graph: ModuleGraph
  readonly #table: ChunkTable
  readonly #texts = new Map<string, string>()
  readonly #exports: ReadonlyMap<string, Map<string, Origin>>
  /** From the module and the name of what a file exports to its name there. */
  readonly #aliases = new Map<string, string>()
  readonly #taken = new Map<string, Set<string>>()

  constructor(graph: ModuleGraph, table: ChunkTable) {
    this.#graph = graph
    this.#table = table
    this.#exports = new Map(table.names.map((name) => [name, new Map<string, Origin>()]))
  }

  /**
   * The file and the name in it of what a module exports. Files know each other's exports by short names: as there are two thousand exports and imports between files, their
   * full names would be a twentieth of the package.
   */
  export(path: string, name: string): { readonly chunk: string; readonly name: string } {
    const { origin, chunk, exports } = this.#exporting(path, name)
    const key = `${origin.module} ${origin.name}`
    let alias = this.#aliases.get(key)
    if (alias === undefined) {
      for (let number = exports.size; alias === undefined || exports.has(alias); number++) alias = shortName(number)
      this.#aliases.set(key, alias)
      exports.set(alias, origin)
      this.#link(origin.module)
    }
    return { chunk, name: alias }
  }

  /** Has what a module exports under its own name, for code that looks it up when the program runs; in which file. */
  exportByName(path: string, name: string): string {
    const { origin, chunk, exports } = this.#exporting(path, name)
    const taken = exports.get(name)
    if (taken !== undefined && (taken.module !== origin.module || taken.name !== origin.name))
      throw new Error(`${path} cannot export ${name} under this name, which ${taken.module} has taken`)
    exports.set(name, origin)
    this.#link(origin.module)
    return chunk
  }

  #exporting(path: string, name: string): { origin: Origin; chunk: string; exports: Map<string, Origin> } {
    const origin = this.#graph.origin(path, name)
    const chunk = this.#table.chunkOf(origin.module)
    return { origin, chunk, exports: this.#exports.get(chunk) ?? new Map<string, Origin>() }
  }

  /** @returns What a file and one that it takes something from are called together. */
  #taking(own: string, chunk: string, name: string): string {
    const both = `${own}/${chunk}`
    this.#taken.set(both, (this.#taken.get(both) ?? new Set()).add(name))
    return both
  }

  /** After all exports have been asked for. */
  finish(): Linked {
    return { texts: this.#texts, exports: this.#exports, taken: this.#taken }
  }

  #link(path: string): void {
    if (this.#texts.has(path)) return
    const module = this.#graph.module(path)
    this.#texts.set(path, module.text) // until it is known; modules do not import each other in a circle
    this.#texts.set(path, this.#linked(module))
  }

  #linked(module: CompiledModule): string {
    const { text, program, imports } = module
    const edits: Edit[] = []
    for (const one of imports) edits.push(...this.#importEdits(module, one))
    for (const statement of program.body) {
      // Other modules take it from where it comes from.
      if (
        statement.type === "ExportAllDeclaration" ||
        (statement.type === "ExportNamedDeclaration" && statement.source !== null)
      )
        edits.push({ start: statement.start, end: statement.end, text: "" })
    }
    for (const { start, end, from: named } of usesIn(module).dynamic) {
      const from = STANDS_FOR.get(named) ?? named
      for (const name of this.#graph.exportsOf(from)) this.exportByName(from, name)
      edits.push({ start, end, text: JSON.stringify(`${CHUNK}${this.#table.chunkOf(from)}`) })
    }
    return edited(text, edits)
  }

  #importEdits(module: CompiledModule, { from, statement, names }: Import): Edit[] {
    const { start, end } = statement
    const own = this.#table.chunkOf(module.path)
    if (names === undefined) {
      if (this.#table.chunkOf(from) !== own)
        throw new Error(`${module.path}: imports all of ${from}, which is in another file`)
      this.#link(from)
      return []
    }
    const { declared, early, late } = usesIn(module)
    const statements: string[] = []
    const edits: Edit[] = []
    for (const [local, imported] of names) {
      const origin = this.#graph.origin(from, imported)
      if (isOfRuntime(origin.module)) {
        statements.push(`import { ${origin.name} as ${local} } from "${origin.module}";`)
        continue
      }
      const chunk = this.#table.chunkOf(origin.module)
      if (chunk === own) {
        this.#link(origin.module)
        statements.push(`import { ${origin.name} as ${local} } from "corepool:${origin.module}";`)
        continue
      }
      const { name } = this.export(from, imported)
      if (this.#table.isBefore(chunk, own)) {
        statements.push(`import { ${name} as ${local} } from "${FILE}${this.#taking(own, chunk, name)}";`)
        continue
      }
      if (early.has(local))
        throw new Error(`${module.path} (${own}) uses ${local} of ${origin.module} (${chunk}) as soon as it is loaded`)
      if (declared.has(local)) throw new Error(`${module.path}: ${local} is imported, and the name of a variable`)
      statements.push(
        `import { ${name} as ${local}, later_${name} as later${local} } from "${LATER}${this.#taking(own, chunk, name)}";`,
      )
      for (const use of late.get(local) ?? []) {
        edits.push({ ...use, text: `${use.isShorthand ? `${local}: ` : ""}(${local} ?? later${local}())` })
      }
    }
    return [{ start, end, text: statements.join(" ") }, ...edits]
  }
}

const FIRST = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/** A different one for each number: `a` … `Z`, `a0` … `Z9`, `a00` … No word of the language is like that. */
function shortName(number: number): string {
  if (number < FIRST.length) return FIRST.charAt(number)
  const rest = number - FIRST.length
  return `${shortName(Math.floor(rest / 10))}${rest % 10}`
}
