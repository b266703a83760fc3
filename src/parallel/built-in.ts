/** How other threads find the functions of this folder. */
import { defineBuiltIn } from "../task/definitions.ts"

/** No file: every thread of a ForkJoinPool has them from the start, see worker-program/all-classes.ts. */
const MODULE = "corepool:parallel"

/**
 * Makes a function of this folder a task.
 *
 * Not by `task`, for which it would be in a file, and have a name. Threads would load corepool once more then, if they
 * found it; but perhaps it was bundled into other files, by a tool that has given its functions names of one letter.
 */
export function builtIn<F extends (...args: never[]) => unknown>(name: string, fn: F): F {
  return defineBuiltIn({ module: MODULE, name }, fn)
}
