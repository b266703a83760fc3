/** What executors run. */
import { isPromiseLike, requireFunction, show, typeError } from "../checks.ts"
import { boundTo } from "../primordials.ts"
import { named, noteObject, noteResult } from "./call.ts"

/** A computation with a result. If it returns a promise, it goes on until the promise settles. */
export type Callable<T> = () => T | PromiseLike<T>

/** Something to run for its effect: a function, or an object with a `run` method. */
export type Runnable =
  | (() => unknown)
  | {
      /** Does the work. A returned promise is awaited. */
      run(): unknown
    }

function isRunnable(value: unknown): value is Runnable {
  if (typeof value === "function") return true
  return typeof value === "object" && value !== null && typeof (value as { run?: unknown }).run === "function"
}

export function requireRunnable(name: string, value: unknown): Runnable {
  if (!isRunnable(value)) throw typeError(name, "a function or an object with a run() method", value)
  return value
}

/** Starts the runnable, and returns what it returns, perhaps a promise of its end. */
export function start(runnable: Runnable): unknown {
  return typeof runnable === "function" ? runnable() : runnable.run()
}

/** A callable that runs the runnable to its end and then gives `result`. */
export function callableOf<T>(runnable: Runnable, result: T): Callable<T> {
  const body = requireRunnable("runnable", runnable)
  const callable: Callable<T> = () => {
    const pending = start(body)
    return isPromiseLike(pending) ? afterwards(pending, result) : result
  }
  if (typeof body === "function") noteResult(callable, body, result)
  else noteObject(callable, body)
  return named(callable, nameOf(body))
}

async function afterwards<T>(pending: PromiseLike<unknown>, result: T): Promise<T> {
  await pending
  return result
}

/**
 * A task together with its arguments.
 *
 * A function bound by the JavaScript engine: half the size of a closure over the arguments, and named after the task
 * without cost.
 */
export function bind<A extends unknown[], T>(task: (...args: A) => T | PromiseLike<T>, ...args: A): Callable<T> {
  requireFunction("task", task)
  if (args.length === 0) return task
  return boundTo<A, [], T | PromiseLike<T>>(task, undefined, ...args)
}

/** The command given to `execute`, with its arguments, as a runnable. */
export function commandOf<A extends unknown[]>(command: Runnable | ((...args: A) => unknown), args: A): Runnable {
  requireRunnable("command", command)
  return typeof command === "function" ? bind(command, ...args) : command
}

/** The name of a task in `toString()`. */
export function nameOf(task: unknown): string {
  try {
    if (typeof task === "function") return task.name.replace(/^(bound )+/, "") || "anonymous function"
    return Object.hasOwn(task as object, "toString") ? String(task) : show(task)
  } catch {
    return show(task) // toString, or a `name` that is no string, is user code
  }
}
