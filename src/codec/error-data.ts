/**
 * Errors, with all that the runtime's own copying loses: the class, the name and the own fields of an error, in some
 * runtimes also its cause. Here an error keeps all of these, its class if the other thread knows it.
 *
 * Written are: the name of the nearest registered class, or an empty text; the name of the nearest class that every
 * thread knows; name, message and stack; then the fields, each after a mark, and a mark for the end.
 */
import { commonErrors, commonNames } from "../error-names.ts"
import { setOwn, propertyOf } from "../user-values.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { isEnumerableIn } from "./kept-methods.ts"
import { registeredAs, registeredFor } from "./revival.ts"
import { ERROR } from "./bytes/tags.ts"

const NO_MORE = 0
const FIELD = 1
const HIDDEN_FIELD = 2

export function writeError(encoder: Encoder, error: Error): void {
  encoder.begun(error, ERROR)
  const common = writeClass(encoder, error)
  const name = textIn(error, "name", common)
  const message = textIn(error, "message", "(The message of the error cannot be read)")
  encoder.text(name)
  encoder.text(message)
  encoder.text(textIn(error, "stack", `${name}: ${message}`))
  for (const key of Object.getOwnPropertyNames(error)) {
    if (key === "message" || key === "stack") continue
    // Errors often refer to a socket or a request, which cannot be copied. Such a field is left out.
    encoder.attempt(() => {
      const isEnumerable = isEnumerableIn(error, key)
      encoder.byte(isEnumerable ? FIELD : HIDDEN_FIELD)
      encoder.text(key)
      encoder.value(error[key as keyof Error], key)
    })
  }
  encoder.byte(NO_MORE)
}

/** Writes the classes. Returns the name of the nearest class that every thread knows. */
function writeClass(encoder: Encoder, error: Error): string {
  let registered = ""
  for (let prototype: unknown = error; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const common = commonNames.get(prototype as object)
    if (common !== undefined) {
      encoder.text(registered)
      encoder.text(common)
      return common
    }
    const found = registeredFor(prototype as object)
    if (registered === "" && found !== undefined && found.encode === undefined) registered = found.name
  }
  encoder.text(registered)
  encoder.text("Error") // of another global scope
  return "Error"
}

/** A text of the error. An error must arrive whatever is wrong with it, so errors of getters are ignored. */
function textIn(error: Error, key: "name" | "message" | "stack", ifUnreadable: string): string {
  try {
    const text: unknown = error[key]
    return typeof text === "string" ? text : ""
  } catch {
    return ifUnreadable
  }
}

export function readError(decoder: Decoder): Error {
  const registered = decoder.text()
  const common = decoder.text()
  const error = create(registered, common, decoder.text(), decoder.text())
  decoder.noted(error)
  const stack = decoder.text()
  setOwn(error, "stack", stack === "" ? undefined : stack, false)
  for (let mark = decoder.byte(); mark !== NO_MORE; mark = decoder.byte()) {
    if (mark !== FIELD && mark !== HIDDEN_FIELD) decoder.fail()
    setOwn(error, decoder.text(), decoder.value(), mark === FIELD)
  }
  return error
}

/** An error of that class. Its constructor is not called, because its parameters are unknown. */
function create(registered: string, common: string, name: string, message: string): Error {
  if (common === "DOMException" && registered === "") return new DOMException(message, name)
  const { prototype } = registeredAs(registered) ?? commonErrors.get(common) ?? Error
  const error = withoutStack(() => new Error(message))
  Object.setPrototypeOf(error, prototype)
  if (propertyOf(error, "name") !== name) setOwn(error, "name", name, false)
  return error
}

/**
 * Makes an error without a stack, because it gets that of the original, and collecting one takes longer than all the
 * rest. If the program has made the limit read-only, as `node --frozen-intrinsics` does, the stack is collected.
 */
function withoutStack(make: () => Error): Error {
  const { stackTraceLimit } = Error
  if (!Reflect.set(Error, "stackTraceLimit", 0)) return make()
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
