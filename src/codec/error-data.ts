/**
 * Errors, so that they survive. The runtime's own copying loses the class, the name and the own fields of an error,
 * some also its cause. Here it keeps all of them; its class if the other thread knows it.
 *
 * Written are: the name of the nearest class that is registered, or nothing; that of the nearest that every thread
 * knows; name, message and stack; and fields, each after a mark, up to a mark that there are no more.
 */
import { commonErrors, commonNames } from "../error-names.ts"
import { methodOf } from "../primordials.ts"
import { setOwn, propertyOf } from "../user-values.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { registeredAs, registeredFor } from "./revival.ts"
import { ERROR } from "./bytes/tags.ts"

const isEnumerableIn = methodOf(Object.prototype, "propertyIsEnumerable")

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
    // An error often drags along what it happened to: a socket, a request. That is not worth failing for.
    encoder.attempt(() => {
      const isEnumerable = isEnumerableIn(error, key)
      encoder.byte(isEnumerable ? FIELD : HIDDEN_FIELD)
      encoder.text(key)
      encoder.value(error[key as keyof Error], key)
    })
  }
  encoder.byte(NO_MORE)
}

/** The name of the class that every thread knows. */
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

/**
 * Whatever is wrong with an error, that there was one has to be told. What a getter throws meanwhile is of no interest.
 */
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

/** An error of that class, though its constructor is not called: nobody knows what it would want. */
function create(registered: string, common: string, name: string, message: string): Error {
  if (common === "DOMException" && registered === "") return new DOMException(message, name)
  const { prototype } = registeredAs(registered) ?? commonErrors.get(common) ?? Error
  const error = withoutStack(() => new Error(message))
  Object.setPrototypeOf(error, prototype)
  if (propertyOf(error, "name") !== name) setOwn(error, "name", name, false)
  return error
}

/**
 * It gets another one, and to collect one takes longer than everything else together. But the limit can be set only as
 * long as the program has not made it read-only, as `node --frozen-intrinsics` does.
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
