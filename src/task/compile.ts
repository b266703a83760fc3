/**
 * Makes a function from its text, in this thread, as if it stood in the file from which it was submitted, in the same
 * line and column. So stack traces and debuggers show that file, and its imports, by name or by a relative path, are
 * resolved from there.
 *
 * How it works. A runtime knows for each script that it has compiled to which file its `import()` belongs. A script
 * that comes from a text belongs to a file only if the loader of CommonJS modules compiles it (node:vm can do the same,
 * but warns of that). So the text is made a CommonJS module, which no `require` ever finds. The function must not see
 * the variables of such a module, since it did not see them in its own file; only `require` is left to it.
 */
import { functionOf } from "#host/code/evaluation"
import { resolve } from "#host/code/paths"
import { isCovered, moduleAt } from "#host/code/scripts"
import { IN_FILE, type Origin } from "./origin.ts"
import { readText, SOURCE_MAP, sourceMapOf } from "./position.ts"

type AnyFunction = (...args: unknown[]) => unknown

/** Helpers that compilers and bundlers call in functions, and define around them. */
const SHIMS: ReadonlyMap<string, string> = new Map([
  ["__name", "const __name = (fn) => fn;"],
  ["__importStar", "const __importStar = (module) => __whole(module);"],
  ["__importDefault", "const __importDefault = (module) => (module?.__esModule ? module : { default: module });"],
  ["_interopRequireWildcard", "const _interopRequireWildcard = (module) => __whole(module);"],
])
const WHOLE =
  "const __whole = (module) => (module?.__esModule || module?.[Symbol.toStringTag] === 'Module' ? module : { ...module, default: module });"

/** The names that every CommonJS module has, and that the function must not see. */
const HIDDEN = "exports, module"

/** A line or column beyond this is not worth the blanks. */
const FARTHEST = 2 ** 17

/** `source` is an expression; `name` is for a function that has none of its own. */
export function compile(source: string, name: string, origin: Origin | undefined): AnyFunction {
  const shims = [...SHIMS].filter(([known]) => source.includes(known)).map(([, shim]) => shim)
  if (shims.some((shim) => shim.includes("__whole"))) shims.unshift(WHOLE)
  const before = `"use strict";${shims.join("")}return { [${JSON.stringify(name)}]: `
  const after = `}[${JSON.stringify(name)}]`
  const evaluate = moduleAt(fileOf(origin))
  // Then imports are resolved from the file of `functionOf`.
  if (evaluate === undefined) return functionOf(`${before}${source}\n${after}`)() as AnyFunction
  const text = `module.exports = (function () { ${before}${blanks(origin)}${source}\n${after};let ${HIDDEN} })();`
  const map = origin?.map === IN_FILE ? sourceMapOf(readText(origin.file)) : origin?.map
  return evaluate(map === undefined ? text : `${text}\n${SOURCE_MAP}${map}`) as AnyFunction
}

function fileOf(origin: Origin | undefined): string {
  if (origin === undefined) return resolve("[corepool]")
  // V8 would mix up its coverage data of the file with that of this piece of it.
  return isCovered() ? `${origin.file}#inline` : origin.file
}

/** Blanks that move the function to its line and column. The source begins with a bracket before the function. */
function blanks(origin: Origin | undefined): string {
  if (origin === undefined || origin.line === 1) return ""
  const { line, column } = origin
  return "\n".repeat(Math.min(line - 1, FARTHEST)) + " ".repeat(Math.min(Math.max(column - 1, 0), FARTHEST))
}
