/**
 * Functions that other threads can run. A function does not travel; what travels is where to find it.
 *
 *     // fib.ts
 *     export const fib = task(import.meta.url, function fib(n: number): number { … })
 *
 *     // elsewhere
 *     pool.submit(fib, 40)
 *
 * A task is the function itself, and is called as one where it is. Other threads import its module, once, and take the
 * export of its name.
 *
 * For a module that knows nothing of corepool, `tasksOf` makes references to what it exports:
 *
 *     const { fib } = tasksOf<typeof import("./fib.js")>(new URL("./fib.js", import.meta.url))
 */
import { requireFunction, typeError } from "../checks.ts"
import { perThread } from "../per-thread.ts"
import { importModule } from "./host.ts"

/** Where a function is to be found. */
export interface Place {
  /** The absolute URL of its module. */
  readonly module: string
  /** The name under which the module exports it. */
  readonly name: string
}

/** A function that other threads can run. */
export type Task<A extends never[] = never[], T = unknown> = (...args: A) => T

const places = perThread("tasks", () => new WeakMap<object, Place>())

/**
 * Makes a function of this module a task. It must be exported under its own name: `export const NAME = task(import.meta.url,
 * function NAME(…) { … })`. So is a class of tasks, see RecursiveTask.
 */
export function task<F extends ((...args: never[]) => unknown) | (abstract new (...args: never[]) => object)>(
  moduleUrl: string | URL,
  fn: F,
): F {
  const module = requireModule(moduleUrl)
  requireFunction("fn", fn as () => unknown)
  if (fn.name === "") {
    throw typeError("fn", "a function with the name under which it is exported", fn)
  }
  return defineTask({ module, name: fn.name }, fn)
}

/** Makes a function a task that is found at this place, whatever its own name is. */
export function defineTask<F extends object>(place: Place, fn: F): F {
  places.set(fn, place)
  defined.set(keyOf(place), fn as unknown as (...args: never[]) => unknown)
  return fn
}

/** The tasks of this thread, by their places. They are few, and exist as long as their modules. */
const defined = perThread("tasks by place", () => new Map<string, (...args: never[]) => unknown>())

function keyOf({ module, name }: Place): string {
  return `${module}#${name}`
}

/** The task with this place, if this thread has loaded it. */
export function taskAt(place: Place): ((...args: never[]) => unknown) | undefined {
  return defined.get(keyOf(place))
}

/** The functions among the exports of a module, each as a task; called here, it loads the module and so gives a promise. */
export type TasksOf<M> = {
  readonly [Name in keyof M as M[Name] extends (...args: never[]) => unknown ? Name : never]: M[Name] extends (
    ...args: infer A
  ) => infer T
    ? (...args: A) => Promise<Awaited<T>>
    : never
}

/** References to the functions that a module exports, without loading it. A name that it does not export fails when used. */
export function tasksOf<M>(moduleUrl: string | URL): TasksOf<M> {
  const module = requireModule(moduleUrl)
  const made = new Map<string, unknown>()
  const handler: ProxyHandler<object> = {
    get(_, name) {
      // An `await` of this object asks for `then`, and must not be answered with a task.
      if (typeof name === "symbol" || name === "then") return undefined
      let reference = made.get(name)
      if (reference === undefined) made.set(name, (reference = referenceTo({ module, name })))
      return reference
    },
  }
  return new Proxy(Object.freeze({}), handler) as TasksOf<M>
}

/** A function that loads the module and calls the one it stands for. */
export function referenceTo(place: Place): (...args: unknown[]) => Promise<unknown> {
  const reference = async (...args: unknown[]): Promise<unknown> => {
    const exports = await importModule(place.module)
    const fn = exportNamed(place.name, exports)
    if (typeof fn !== "function") throw new TypeError(`${place.module} exports no function \`${place.name}\``)
    return Reflect.apply(fn, undefined, args) as unknown
  }
  Object.defineProperty(reference, "name", { value: place.name })
  places.set(reference, place)
  return reference
}

/** Of a CommonJS module, the runtime may not know all names beforehand; they are in what it exports by default. */
export function exportNamed(name: string, exports: Record<string, unknown>): unknown {
  if (Object.hasOwn(exports, name)) return exports[name]
  const whole = exports["default"]
  return typeof whole === "object" && whole !== null && Object.hasOwn(whole, name)
    ? (whole as Record<string, unknown>)[name]
    : undefined
}

/** Where the function is to be found, if it is a task. */
export function placeOf(fn: object): Place | undefined {
  return places.get(fn)
}

function requireModule(moduleUrl: string | URL): string {
  const text = String(moduleUrl)
  if ((typeof moduleUrl !== "string" && !(moduleUrl instanceof URL)) || !URL.canParse(text)) {
    throw typeError("moduleUrl", "the absolute URL of a module, such as `import.meta.url`", moduleUrl)
  }
  return text
}
