/**
 * The model checker: runs a few threads, unmodified synchronous code over `#atomics`, in every order in which their
 * steps can be taken. README.md in this folder tells how to write a model test.
 */
import * as facade from "#atomics"
import * as standIn from "./atomics.ts"
import { context } from "./context.ts"
import type { Model, Report } from "./model.ts"
import { search } from "./search.ts"
import { ModelError, ModelViolation } from "./trace.ts"

export type { Limits, Model, Report, Self } from "./model.ts"
export { ModelError, ModelViolation }

/**
 * Explores all executions of a model.
 *
 * @throws {ModelViolation} with the steps that lead to it, if one goes wrong
 * @throws {ModelError} if the model cannot be explored
 */
export function explore<S, R extends Record<string, unknown>>(model: Model<S, R>): Report {
  if (facade.load !== standIn.load) throw new ModelError("A model test needs node --conditions=model")
  if (context.memory !== undefined) throw new ModelError("A model cannot be explored inside of another one")
  try {
    return search(model)
  } catch (error) {
    if (!(error instanceof ModelViolation) || model.preemptions !== undefined) throw error
    throw simplest(model, error)
  }
}

/** A label for words of the model in traces: `name(words, "lock", { state: 0, owner: 1 })`. For the set-up. */
export function name(words: Int32Array, label: string, fields?: Readonly<Record<string, number>>): void {
  context.memory?.name(words, label, fields)
}

/** States that are looked through for a violation with fewer preemptions, which is easier to read. */
const STATES_FOR_SIMPLICITY = 20_000

function simplest<S, R extends Record<string, unknown>>(model: Model<S, R>, found: ModelViolation): ModelViolation {
  for (let preemptions = 0; ; preemptions++) {
    try {
      search({ ...model, preemptions, states: STATES_FOR_SIMPLICITY })
    } catch (error) {
      return error instanceof ModelViolation ? error : found
    }
  }
}
