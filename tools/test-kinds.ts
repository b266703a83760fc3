/**
 * What a test file is run on: the bundles that are published, the compiled modules, or the modules with the model checker's memory.
 *
 * A test that imports a module of src (`#src/…`), itself or by a file that it uses, runs on the modules: with the bundles
 * beside them, it would have two copies of corepool. All others run on what users get. See tools/bundle/development.ts.
 */
import { existsSync } from "node:fs"
import { join, posix } from "node:path"
import { readText } from "./check/files.ts"

export type TestKind = "shipped" | "modules" | "model"

/** An import of a module of src that is there when the program runs; also in the text of a program that the test starts. */
const INNER = /^(?!\s*(?:(?:import|export) type\b|\*|\/[/*])).*["']#(?:src\/|atomics["'])/m
/** Whatever may be the path of another file: imported, or run by a thread. */
const PATH = /["'`]((?:\.{1,2}\/)*[\w./-]+)\.[jt]s["'`]/g

/** The kind of a test file, given by its path from the root. */
export function kindOf(root: string, test: string): TestKind {
  if (test.endsWith(".model.test.ts")) return "model"
  if (!existsSync(join(root, test))) return "modules" // the runner reports it
  const seen = new Set<string>()
  const usesInner = (path: string): boolean => {
    if (seen.has(path)) return false
    seen.add(path)
    const text = readText(root, path)
    if (INNER.test(text)) return true
    for (const [, name = ""] of text.matchAll(PATH)) {
      const other = `${posix.join(posix.dirname(path), name)}.ts`
      if (other.startsWith("test/") && existsSync(join(root, other)) && usesInner(other)) return true
    }
    return false
  }
  return usesInner(test) ? "modules" : "shipped"
}

/** The condition under which node is to resolve names for tests of a kind, if there is one. */
export function conditionsFor(kind: TestKind): string[] {
  return kind === "modules" ? [] : [`--conditions=${kind}`]
}
