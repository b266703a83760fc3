/** How a function is told to another thread, and found there. */
import { pathToFileURL } from "node:url"
import { requireFunction } from "../checks.ts"
import { TaskNotPortableError } from "../errors.ts"
import { evaluate, explain, sourceOf } from "./source.ts"
import { type Place, placeOf } from "./task.ts"

/** Plain data: where the function is, or its text. */
export type TaskReference = Place | { readonly source: string }

const known = new WeakMap<object, TaskReference>()

/** The reference to a function, as short as can be; `TaskNotPortableError` if there is none. */
export function referenceOf(fn: (...args: never[]) => unknown): TaskReference {
  requireFunction("task", fn)
  let reference = known.get(fn)
  if (reference === undefined) known.set(fn, (reference = makeReference(fn)))
  return reference
}

function makeReference(fn: (...args: never[]) => unknown): TaskReference {
  const place = placeOf(fn)
  if (place === undefined) return { source: sourceOf(fn) }
  if (place.module === entryModule()) {
    throw new TaskNotPortableError(
      `Task \`${place.name}\` is defined in the module with which the program starts. Another thread would have to import that, and so run the whole program again. Move the task to a module of its own`,
    )
  }
  return place
}

/** The module with which the program started, if it is one. */
function entryModule(): string | undefined {
  const [, script] = process.argv
  return script === undefined ? undefined : pathToFileURL(script).href
}

/** A function found by a reference, ready to be called. */
export interface FoundTask {
  readonly fn: (...args: unknown[]) => unknown
  /** What an error it throws means. */
  explain(error: unknown): unknown
}

const asItIs = (error: unknown): unknown => error

/** Finds the function in this thread. The caller keeps it: a module is imported once anyway, but a source is parsed each time. */
export async function find(reference: TaskReference): Promise<FoundTask> {
  if ("source" in reference) return { fn: evaluate(reference.source), explain }
  const { module, name } = reference
  let exports: Record<string, unknown>
  try {
    exports = (await import(module)) as Record<string, unknown>
  } catch (error) {
    throw new TaskNotPortableError(`The module of task \`${name}\` could not be loaded: ${module}`, { cause: error })
  }
  const fn = exports[name]
  if (typeof fn !== "function") throw new TaskNotPortableError(notExported(reference, exports))
  return { fn: fn as FoundTask["fn"], explain: asItIs }
}

function notExported({ module, name }: Place, exports: Record<string, unknown>): string {
  const functions = Object.keys(exports).filter((key) => typeof exports[key] === "function")
  const there = functions.length === 0 ? "no functions" : functions.map((key) => `\`${key}\``).join(", ")
  return `${module} exports no function \`${name}\`; it exports ${there}. A task must be exported under its own name`
}
