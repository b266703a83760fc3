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
  for (const path of filesOf(root, test)) if (INNER.test(readText(root, path))) return "modules"
  return "shipped"
}

/** A test file and the files in test that it uses, directly or not. */
export function filesOf(root: string, test: string): Set<string> {
  const files = new Set([test])
  // What is added to a set while it is gone through has its turn.
  for (const path of files) {
    if (!existsSync(join(root, path))) continue // it is a test whose source is gone
    for (const [, name = ""] of readText(root, path).matchAll(PATH)) {
      const other = `${posix.join(posix.dirname(path), name)}.ts`
      if (other.startsWith("test/") && existsSync(join(root, other))) files.add(other)
    }
  }
  return files
}

/** The condition under which node is to resolve names for tests of a kind, if there is one. */
export function conditionsFor(kind: TestKind): string[] {
  return kind === "modules" ? [] : [`--conditions=${kind}`]
}
