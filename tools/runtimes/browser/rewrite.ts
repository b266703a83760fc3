/**
 * A compiled module as a browser loads it: with addresses in the place of the names that only Node resolves. Nothing is
 * bundled, so every module stays one module, in the page and in all of its workers, which have no import maps.
 */
import { parseSync } from "oxc-parser"

/** The address for a name that is imported; undefined if a browser has nothing of that name. */
export type Resolve = (specifier: string) => string | undefined

export interface Import {
  readonly specifier: string
  /** What is imported by name; `*` for all, or for what a text loads later. */
  readonly names: readonly string[]
}

interface Place {
  readonly start: number
  readonly end: number
  readonly value: string
}

interface Found extends Import {
  readonly place: Place
}

function importsIn(text: string): Found[] {
  const { module } = parseSync("module.js", text, { sourceType: "module" })
  const found: Found[] = module.staticImports.map(({ moduleRequest: place, entries }) => ({
    place,
    specifier: place.value,
    names: entries.map(({ importName }) =>
      (importName.kind as string) === "Default" ? "default" : (importName.name ?? "*"),
    ),
  }))
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest: place, importName } of entries) {
      if (place == null) continue
      found.push({ place, specifier: place.value, names: [importName.name ?? "*"] })
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = /^(["'])([^"'\\]*)\1$/.exec(text.slice(moduleRequest.start, moduleRequest.end))
    if (literal === null) continue // an address that is known when the program runs
    const place = { start: moduleRequest.start, end: moduleRequest.end, value: literal[2] as string }
    found.push({ place, specifier: place.value, names: ["*"] })
  }
  return found
}

/** The names that a module exports; `namesOf` gives those of another one, for `export * from`. */
export function exportsOf(text: string, namesOf: (specifier: string) => string[]): string[] {
  const { module } = parseSync("module.js", text, { sourceType: "module" })
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ exportName, moduleRequest }) => {
      if ((exportName.kind as string) !== "None") return [exportName.name ?? "default"]
      return moduleRequest == null ? [] : namesOf(moduleRequest.value)
    }),
  )
}

/** What a module imports, at once or later. */
export function importsOf(text: string): Import[] {
  return importsIn(text)
}

/** `import.meta.resolve` of a name, which browsers resolve by import maps alone. */
const RESOLVED = /\bimport\.meta\.resolve\((["'])([^"'`\\]+)\1\)/g

/** A name without an address stays, and the browser refuses the module. */
export function rewritten(text: string, resolve: Resolve): string {
  let result = text
  // Several names may be exported from one specifier: it is written once.
  const places = new Map(importsIn(text).map(({ place }) => [place.start, place]))
  for (const { start, end, value } of [...places.values()].toSorted((a, b) => b.start - a.start)) {
    const address = resolve(value)
    if (address !== undefined) result = result.slice(0, start) + JSON.stringify(address) + result.slice(end)
  }
  return result.replaceAll(RESOLVED, (whole, _quote, name: string) => {
    const address = resolve(name)
    return address === undefined ? whole : `new URL(${JSON.stringify(address)}, import.meta.url).href`
  })
}
