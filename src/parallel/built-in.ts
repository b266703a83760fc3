/** How other threads find the functions of this folder. */
import { defineBuiltIn } from "../task/definitions.ts"

/** Not a file: every thread of a ForkJoinPool has these functions from the start, see worker-program/all-classes.ts. */
const MODULE = "corepool:parallel"

/**
 * Makes a function of this folder a task.
 *
 * `task` would name it by its file. Threads would then load corepool once more, if they found the file at all: a
 * bundler may have put corepool into other files and shortened the names of its functions.
 */
export function builtIn<F extends (...args: never[]) => unknown>(name: string, fn: F): F {
  return defineBuiltIn({ module: MODULE, name }, fn)
}
