/**
 * Makes a placeholder, in the thread of a thief, for a task that stays in the thread that made it: the completer of the
 * stolen task, or a task in one of its fields. The placeholder can be compared and passed on; using it throws an
 * IllegalStateError. With `undefined` in its place, code such as `if (completer) completer.sum += sum` would lose the
 * sum without an error.
 */
import { IllegalStateError } from "../../errors.ts"
import { FORK_JOIN_TASK } from "./life.ts"

const TRAPS = [
  "defineProperty",
  "deleteProperty",
  "get",
  "getOwnPropertyDescriptor",
  "getPrototypeOf",
  "has",
  "isExtensible",
  "ownKeys",
  "preventExtensions",
  "set",
  "setPrototypeOf",
] as const

/** `misused` is called with the error, as the code that uses the placeholder may catch it. */
export function outOfReach(what: string, misused: (error: unknown) => void): object {
  const handler: Record<string, (target: object, key?: unknown) => unknown> = {}
  for (const trap of TRAPS) {
    handler[trap] = (_target, key) => {
      if (key === FORK_JOIN_TASK) return true // isForkJoinTask() holds for a placeholder, too
      const error = notHere(what)
      misused(error)
      throw error
    }
  }
  return new Proxy({ [FORK_JOIN_TASK]: true }, handler)
}

function notHere(what: string): IllegalStateError {
  return new IllegalStateError(
    `${what} is in the thread that has made it, and this part was stolen by another one. Leave what the part has found in a field of its own: fields come back when the part is over, and then onCompletion() can use them, in the thread of the completer`,
  )
}
