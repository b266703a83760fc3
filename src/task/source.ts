/**
 * A function as text, for threads that cannot find it in a module: a function written in place, as in `pool.submit((n)
 * => n * n, 7)`. It must be self-contained: the other thread evaluates the text, and has none of the variables around
 * it.
 */
import { sourceText } from "../primordials.ts"
import { TaskNotPortableError } from "../errors.ts"
import { BoundedMap } from "./bounded-map.ts"
import { isInstance, messageOf } from "../user-values.ts"
import { functionOf } from "#host/code/evaluation"
import { withImports } from "./vite-imports.ts"

const WAYS_OUT =
  "Pass what it needs as arguments, or export it from a module of its own and wrap it in task(import.meta.url, …)"

/** A function as text. Functions with the same text are alike. */
export interface SourceText {
  /** The text as it stands. */
  readonly text: string
  /** An expression whose value is this function. */
  readonly expression: string
  /** Whether it may load modules: then it makes a difference from which file it was submitted. */
  readonly loads: boolean
}

const texts = new BoundedMap<SourceText>()

/** The text of a function. */
export function sourceOf(fn: (...args: never[]) => unknown): SourceText {
  const text = sourceText(fn)
  return texts.get(text) ?? texts.set(text, { text, expression: expressionOf(fn, text), loads: LOADING.test(text) })
}

/** As users write it, and as compilers and test runners do. */
const LOADING = /\bimport\b|\brequire\b|_import__\b/

function expressionOf(fn: (...args: never[]) => unknown, text: string): string {
  const name = fn.name === "" ? "The function" : `Function \`${fn.name}\``
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) {
    throw new TaskNotPortableError(
      `${name} has no source that could be sent to another thread: it is built in, or bound. For arguments, use submit(fn, ...args) or bind(fn, ...args) of corepool. ${WAYS_OUT}`,
    )
  }
  if (/^class\b/.test(text)) {
    throw new TaskNotPortableError(`${name} is a class and cannot be called as a task. ${WAYS_OUT}`)
  }
  for (const expression of candidates(text)) if (isExpression(expression)) return withImports(expression)
  throw new TaskNotPortableError(`${name} cannot be sent to another thread as source. ${WAYS_OUT}`)
}

/**
 * The text itself, for a function or an arrow function. Or the text of a method made an expression, which it is not by
 * itself (`m(x) {}`, `async m(x) {}`, `*m() {}`, `get x() {}`). A computed name may refer to any variable, so it is
 * left out.
 */
function candidates(text: string): string[] {
  const method = /^(?<prefix>(?:async\s+)?\*?\s*)(?<name>\[[^\]]*\]|#?[\w$]+|"[^"]*"|'[^']*')\s*\(/su.exec(text)
  const found = [`(${text})`]
  if (method?.groups !== undefined) {
    const { prefix = "", name = "" } = method.groups
    const rest = text.slice(prefix.length + name.length)
    found.push(`(${prefix.replace("*", "").trim()} function${prefix.includes("*") ? "*" : ""} ${rest})`)
  }
  return found
}

function isExpression(text: string): boolean {
  try {
    // Only parsed: the text is wrapped into a function that is never called.
    void functionOf(`"use strict"; return ${text}`)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw new TaskNotPortableError(
      `This program forbids to evaluate source, so a function cannot be sent to another thread as such. ${WAYS_OUT}`,
      { cause: error },
    )
  }
}

const UNKNOWN_VARIABLE = [
  /^(?<name>[\w$]+) is not defined$/u, // V8
  /^Can't find variable: (?<name>[\w$]+)$/u, // JavaScriptCore
  /^Cannot access '(?<name>exports|module)' before initialization\.?$/u, // what compile.ts hides
]

/** How compilers rename the imports of a module. */
const IMPORTED = /^__vite_ssr_import_\d+__$|^_interopRequire|^__TURBOPACK__|^__WEBPACK_|^_\w+_js_\d+$|^\w+_js_1$/

/** For the error of a task that refers to a variable outside of it: an error that names it. Else the error itself. */
export function explain(error: unknown): unknown {
  if (!isInstance(error, ReferenceError)) return error
  const message = messageOf(error)
  for (const pattern of UNKNOWN_VARIABLE) {
    const name = pattern.exec(message)?.groups?.["name"]
    if (name === undefined) continue
    const what = IMPORTED.test(name) ? ", an import of its module" : ""
    return new TaskNotPortableError(
      `The task refers to \`${name}\`${what}, which does not exist in the thread that runs it: a function that is sent as source must be self-contained. ${WAYS_OUT}`,
      { cause: error },
    )
  }
  return error
}
