/**
 * A function as text, for threads that cannot find it in a module: a function written in place, as in
 * `pool.submit((n) => n * n, 7)`. It must be self-contained. The text is evaluated over there, where none of the variables
 * around it exist.
 */
import { TaskNotPortableError } from "../errors.ts"
import { isInstance, messageOf } from "../user-values.ts"
import { functionOf } from "./host.ts"
import { withImports } from "./vite-imports.ts"

const WAYS_OUT =
  "Pass what it needs as arguments, or export it from a module of its own and wrap it in task(import.meta.url, …)"

/** The text of an expression whose value is this function. */
export function sourceOf(fn: (...args: never[]) => unknown): string {
  const text = Function.prototype.toString.call(fn)
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
 * As a function or arrow function stands; or a method, which is no expression by itself (`m(x) {}`, `async m(x) {}`, `*m() {}`, `get x() {}`).
 * A computed name may refer to anything, but what it is called does not matter.
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
    // Only parsed: what it would do is wrapped into a function that is never called.
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

/** What bundlers and test runners put into functions, and expect to find around them. */
const SHIMS = `const __name = (fn) => fn;`

/** The function, in this thread. */
export function evaluate(source: string): (...args: unknown[]) => unknown {
  const maker = functionOf(`"use strict"; ${SHIMS} return ${source}`) as () => (...args: unknown[]) => unknown
  return maker()
}

const UNKNOWN_VARIABLE = [
  /^(?<name>[\w$]+) is not defined$/u, // V8
  /^Can't find variable: (?<name>[\w$]+)$/u, // JavaScriptCore
]

/** What compilers make of the things that a module imports. */
const IMPORTED = /^__vite_ssr_import_\d+__$|^_interopRequire|^__TURBOPACK__|^__WEBPACK_|^_\w+_js_\d+$|^\w+_js_1$/

/** If the task failed because it refers to a variable outside of it: an error that names it. Otherwise the error itself. */
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
