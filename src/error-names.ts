/**
 * The error classes that every thread knows, by name. A name may have several classes: each copy of corepool in a
 * thread has its own.
 */
import { perThread } from "./per-thread.ts"

export interface ErrorClass {
  readonly prototype: Error
}

/** Of several classes of one name, the last: it came with the program, after the copy that started the thread. */
export const commonErrors: Map<string, ErrorClass> = perThread("errors", () => new Map<string, ErrorClass>())

/** The names, by the prototypes of all of them. */
export const commonNames: Map<object, string> = perThread("names of errors", () => new Map<object, string>())

/** The names are passed explicitly: bundlers shorten the names of classes. */
export function nameErrors(classes: Readonly<Record<string, ErrorClass>>): void {
  for (const [name, type] of Object.entries(classes)) know(name, type)
}

function know(name: string, type: ErrorClass): void {
  commonErrors.set(name, type)
  commonNames.set(type.prototype, name)
}

/** As {@link nameErrors}, for a class of corepool, whose `name` it also sets. */
export function nameError(name: string, type: ErrorClass): void {
  Object.defineProperty(type, "name", { value: name, configurable: true })
  know(name, type)
}

/** The name of the errors of a class: its own name, or that of the class that it extends. */
export function nameOfErrors(type: ErrorClass): string | undefined {
  let step: unknown = type.prototype
  while (typeof step === "object" && step !== null) {
    const name = commonNames.get(step)
    if (name !== undefined) return name
    step = Object.getPrototypeOf(step)
  }
  return undefined
}

/** Whether the value is of a class with the same name as this one. Throws if the trap of a proxy does. */
export function isNamedLike(type: ErrorClass, value: unknown): boolean {
  const name = commonNames.get(type.prototype)
  if (name === undefined) return false
  for (let step = value; typeof step === "object" && step !== null; step = Object.getPrototypeOf(step) as unknown) {
    if (commonNames.get(step) === name) return true
  }
  return false
}
