/** What the tests of a file need that no browser has: such a file is not run there, and this is the reason. */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { HOME } from "../../check/run.ts"
import { kindOf } from "../../test-kinds.ts"
import { moduleOf, type Site } from "./modules.ts"
import { importsOf } from "./rewrite.ts"
import type { Place } from "./site.ts"

/** How the tests of a file run in a browser; or why not. */
export type Fit = { readonly site: Site; readonly place: Place } | { readonly lacks: string }

/** `source` is a test file, from the root. */
export function fitOf(root: string, source: string): Fit {
  const kind = kindOf(root, source)
  if (kind === "model") return { lacks: "the memory of the model checker, which is not that of a runtime" }
  const onSite = fitOn(root, source, kind)
  return kind === "shipped" && "lacks" in onSite ? fitOn(root, source, "modules") : onSite
}

function fitOn(root: string, source: string, site: Site): Fit {
  let place: Place = "window"
  const seen = new Set([source.replace(/^(.*)\.ts$/, "build/$1.js")])
  for (const path of seen) {
    const text = readFileSync(join(root, path), "utf8")
    if (BLOCKING.test(text)) place = "worker"
    for (const { specifier, names } of importsOf(text)) {
      if (specifier.startsWith(".")) {
        const other = posix.join(posix.dirname(path), specifier)
        if (!other.startsWith("build/test/"))
          return { lacks: `${other.split("/", 3).slice(1).join("/")}, a program for Node` }
        seen.add(other)
        continue
      }
      const module = moduleOf(site, specifier)
      if (module === undefined) return { lacks: specifier }
      const missing = names.find((name) => !hasExport(root, module, name))
      if (missing !== undefined) return { lacks: `${missing} of ${specifier}` }
    }
  }
  return { site, place }
}

/** A call of a method that blocks, by its name. */
const BLOCKING = /\.\w+Sync\(/

/** Stand-ins have a part of what their modules have. */
function hasExport(root: string, module: string, name: string): boolean {
  if (!module.includes("/stand-in/")) {
    return existsSync(join(root, module)) || !module.startsWith("build/src/host/") // the site makes some of the others
  }
  if (name === "*") return true
  const text = readFileSync(join(HOME, module), "utf8")
  return name === "default" ? text.includes("export default") : new RegExp(`^export .*\\b${name}\\b`, "m").test(text)
}
