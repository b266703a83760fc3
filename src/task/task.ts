/**
 * Functions that other threads can run. The function itself is not sent, but a reference by which a thread finds it.
 *
 *     // fib.ts
 *     export const fib = task(import.meta.url, function fib(n: number): number { … })
 *
 *     // elsewhere
 *     pool.submit(fib, 40)
 *
 * A task is the function itself, and can be called as one where it is. Other threads import its module, once, and take
 * the export of its name.
 *
 * For a module that does not use corepool, `tasksOf` makes references to its exports:
 *
 *     const { fib } = tasksOf<typeof import("./fib.js")>(new URL("./fib.js", import.meta.url))
 */
import { isAbsolute, pathToFileURL } from "#host/code/paths"
import { requireFunction, show, typeError, wrongType } from "../checks.ts"
import { define, nameByText, type Place, requireOther, setPlace, taskAt } from "./definitions.ts"
import { perThread } from "../per-thread.ts"
import { apply } from "../primordials.ts"
import { setOwn } from "../user-values.ts"
import { importModule } from "#host/code/evaluation"

/** A function that other threads can run. */
export type Task<A extends never[] = never[], T = unknown> = (...args: A) => T

/**
 * Makes a function of this module a task: `export const NAME = task(import.meta.url, function NAME(…) { … })`. It is
 * exported under its own name. A class of tasks is defined in the same way, see RecursiveTask.
 *
 *     export const add = task(import.meta.url, (a: number, b: number) => a + b, "add")
 *
 * An arrow function, or a function whose name a minifier has dropped, is found by its text, if all threads load the
 * same file. A name as the third argument is safer.
 *
 * @param moduleUrl - `import.meta.url`; in CommonJS, `__filename`.
 * @param name - The name under which it is found, if that is not the function's own: for arrow functions, and for
 *   builds that rename functions.
 * @returns The very function.
 * @throws IllegalStateError if another function of this module is a task of that name already.
 */
export function task<F extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => object)>(
  moduleUrl: string | URL,
  fn: F,
  name?: string,
): F {
  const module = requireModule(moduleUrl)
  const callable = requireFunction("fn", fn as (...args: never[]) => unknown)
  define({ module, name: name === undefined ? ownName(callable) : requireName(name) }, callable, task)
  return fn
}

function ownName(fn: (...args: never[]) => unknown): string {
  const name: unknown = fn.name // of a class, it may be anything
  if (typeof name === "string" && name !== "") return name
  const byText = nameByText(fn)
  if (byText !== undefined) return byText
  throw new TypeError(
    `Expected \`fn\` to be a function with a name or a text by which other threads find it, got ${show(fn)} that is built in or bound: write task(import.meta.url, fn, "name")`,
  )
}

function requireName(name: unknown): string {
  if (typeof name === "string" && name !== "") return name
  throw typeError("name", "the name under which the function is exported", name)
}

/**
 * The functions that a module exports, each as a task. A call in this thread loads the module: it returns a promise.
 */
export type TasksOf<M> = {
  readonly [Name in keyof M as M[Name] extends (...args: never[]) => unknown ? Name : never]: M[Name] extends (
    ...args: infer A
  ) => infer T
    ? (...args: A) => Promise<Awaited<T>>
    : never
}

/**
 * References to the functions that a module exports, without loading it. A name that it does not export fails when
 * used.
 */
export function tasksOf<M>(moduleUrl: string | URL): TasksOf<M> {
  const module = requireModule(moduleUrl)
  const made = new Map<string, unknown>()
  const handler: ProxyHandler<object> = {
    get(_, name) {
      // An `await` of this object asks for `then`, which must not be a task.
      if (typeof name === "symbol" || name === "then") return undefined
      let reference = made.get(name)
      if (reference === undefined) made.set(name, (reference = referenceTo({ module, name, isExport: true })))
      return reference
    },
  }
  const references = new Proxy(Object.freeze({}), handler)
  referenceModules.set(references, module)
  return references as TasksOf<M>
}

const referenceModules = perThread("modules of references", () => new WeakMap<object, string>())

/** The URL of the module, if these are references made by {@link tasksOf}. */
export function moduleOfReferences(tasks: object): string | undefined {
  return referenceModules.get(tasks)
}

/** A function that loads the module and calls the function at this place. */
function referenceTo(place: Place): (...args: unknown[]) => Promise<unknown> {
  const reference = async (...args: unknown[]): Promise<unknown> => {
    const exports = await importModule(place.module)
    const fn = exportNamed(place.name, exports) ?? taskAt(place, undefined)
    if (typeof fn !== "function") throw wrongType(`${place.module} exports no function \`${place.name}\``)
    requireOther(fn, place)
    return apply(fn, undefined, args) as unknown
  }
  setOwn(reference, "name", place.name, false)
  setPlace(reference, place)
  return reference
}

/** For a CommonJS module the runtime may not know all names beforehand; they are in its default export. */
export function exportNamed(name: string, exports: Record<string, unknown>): unknown {
  if (Object.hasOwn(exports, name)) return exports[name]
  const whole = exports["default"]
  return typeof whole === "object" && whole !== null && Object.hasOwn(whole, name)
    ? (whole as Record<string, unknown>)[name]
    : undefined
}

function requireModule(moduleUrl: string | URL): string {
  const text = String(moduleUrl)
  if (typeof moduleUrl === "string" && isAbsolute(moduleUrl)) return pathToFileURL(moduleUrl).href
  if ((typeof moduleUrl !== "string" && !(moduleUrl instanceof URL)) || !URL.canParse(text)) {
    throw typeError(
      "moduleUrl",
      "the absolute URL of a module, such as `import.meta.url`, or its absolute path",
      moduleUrl,
    )
  }
  return text
}
