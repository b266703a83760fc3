import { areFramesKept } from "#host/runtime/capabilities"
import { isError } from "../user-values.ts"

/**
 * An error that keeps no future alive.
 *
 * An error keeps the objects alive whose methods were being called when it was made, one of which is the future of the
 * task. V8 lets go of them when the stack is read for the first time. On Deno the error keeps them even then, so there
 * the result is a copy: its class, its fields and the text of its stack are those of the error. The same goes for the
 * errors inside: a cause, those of an AggregateError, and other fields.
 *
 * It never throws, whatever the error.
 */
export function loosened(error: unknown): unknown {
  return loose(error, new Map())
}

/** So many errors are looked at, and so many items of a list: an error may have any number of others inside. */
const MOST = 100

/** `met` has the errors that were met, with what was made of each: an error may be inside itself. */
function loose(value: unknown, met: Map<unknown, unknown>): unknown {
  try {
    if (Array.isArray(value) && value.length <= MOST) {
      const items = value.map((item) => loose(item, met))
      return areFramesKept ? items : value
    }
    if (!isError(value) || met.size >= MOST) return value
    return met.get(value) ?? looseError(value, met)
  } catch {
    return value // which refuses to be looked at
  }
}

function looseError(error: Error, met: Map<unknown, unknown>): Error {
  const { stack } = error
  let copy = error
  if (areFramesKept) {
    copy = Reflect.construct(Error, [])
    copy.stack = stack as string // an error whose stack is set before it was read keeps nothing alive
    Reflect.setPrototypeOf(copy, Reflect.getPrototypeOf(error))
  }
  met.set(error, copy)
  for (const key of Reflect.ownKeys(error)) {
    const field = Reflect.getOwnPropertyDescriptor(error, key)
    if (key === "stack" || field === undefined) continue
    if ("value" in field) field.value = loose(field.value, met)
    if (areFramesKept) Reflect.defineProperty(copy, key, field)
  }
  return copy
}
