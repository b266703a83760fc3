/** How the runtime compiles texts, and what it knows of the code that it has compiled. */
import { dirname } from "node:path"
import { messageOf, propertyOf } from "../../../user-values.ts"

// oxlint-disable no-underscore-dangle -- the loader of CommonJS modules calls its methods so

/**
 * The class of CommonJS modules. Its documentation omits the methods that are used here, though many tools use them.
 */
interface CommonJs {
  new (id: string): {
    filename: string
    paths: readonly string[]
    exports: unknown
    _compile?(text: string, file: string, format: string): unknown
  }
  _nodeModulePaths?(folder: string): readonly string[]
}

/**
 * A function that evaluates a text as a CommonJS module at the place of this file, and returns what it exports; no
 * `require` ever finds this module.
 *
 * Undefined if the runtime lacks the method, or a task has taken away `process.env`, which the loader of CommonJS
 * modules reads.
 */
export function moduleAt(file: string): ((text: string) => unknown) | undefined {
  const { Module } = process.getBuiltinModule("node:module") as unknown as { Module: CommonJs }
  const module = new Module(file)
  if (module._compile === undefined || !hasEnvironment()) return undefined
  module.filename = file
  module.paths = Module._nodeModulePaths?.(dirname(file)) ?? []
  return (text) => {
    module._compile?.(text, file, "commonjs")
    return module.exports
  }
}

/**
 * Whether V8 collects data of which code was run. Deno lets a program read a variable only with a permission, without
 * which the answer is no.
 */
export function isCovered(): boolean {
  return propertyOf(propertyOf(process, "env"), "NODE_V8_COVERAGE") !== undefined
}

function hasEnvironment(): boolean {
  return typeof propertyOf(process, "env") === "object"
}

/** Whether stacks show the files from which the loaded ones were compiled. */
export function appliesSourceMaps(): boolean {
  return process.sourceMapsEnabled
}

/** The names that the runtimes give to files of their own, in stacks. */
export const FILES_OF_RUNTIME: RegExp = /^(?:node:|ext:|native$|$)/

/** The error with which parsing this script fails, and its line; undefined if the script is sound. */
export function syntaxErrorIn(script: string): { readonly message: string; readonly line: number } | undefined {
  const { Script } = process.getBuiltinModule("node:vm")
  try {
    void new Script(script, { filename: "module" })
  } catch (error) {
    // The name of the file and the line stand before the message in the stack.
    const line = /^module:(?<line>\d+)\n/.exec(String(propertyOf(error, "stack")))?.groups?.["line"]
    if (line !== undefined) return { message: messageOf(error), line: Number(line) }
  }
  return undefined
}
