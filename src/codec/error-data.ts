/**
 * Errors, so that they survive. The runtime's own copying loses the class, the name and the own fields of an error, some
 * also its cause. Here it keeps all of them; its class if the other thread knows it.
 *
 * Written are: the name of the nearest class that is registered, or nothing; that of the nearest that every thread knows;
 * name, message and stack; and fields, each after a mark, up to a mark that there are no more.
 */
import { commonErrors, commonNames } from "../error-names.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { registeredAs, registeredFor } from "./revival.ts"
import { ERROR } from "./tags.ts"

const NO_MORE = 0
const FIELD = 1
const HIDDEN_FIELD = 2

export function writeError(encoder: Encoder, error: Error): void {
  encoder.begun(error, ERROR)
  writeClass(encoder, error)
  encoder.text(textOf(error, "name"))
  encoder.text(textOf(error, "message"))
  encoder.text(textOf(error, "stack"))
  for (const key of Object.getOwnPropertyNames(error)) {
    if (key === "message" || key === "stack") continue
    // An error often drags along what it happened to: a socket, a request. That is not worth failing for.
    encoder.attempt(() => {
      const isEnumerable = Object.prototype.propertyIsEnumerable.call(error, key)
      encoder.byte(isEnumerable ? FIELD : HIDDEN_FIELD)
      encoder.text(key)
      encoder.value(error[key as keyof Error], key)
    })
  }
  encoder.byte(NO_MORE)
}

function writeClass(encoder: Encoder, error: Error): void {
  let registered = ""
  for (let prototype: unknown = error; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const common = commonNames.get(prototype as object)
    if (common !== undefined) {
      encoder.text(registered)
      encoder.text(common)
      return
    }
    const found = registeredFor(prototype as object)
    if (registered === "" && found !== undefined && found.encode === undefined) registered = found.name
  }
  encoder.text(registered)
  encoder.text("Error") // of another global scope
}

/** Whatever is wrong with an error, that there was one has to be told. */
function textOf(error: Error, key: "name" | "message" | "stack"): string {
  try {
    const text: unknown = error[key]
    return typeof text === "string" ? text : ""
  } catch {
    return "" // what a getter throws while an error is reported is of no interest
  }
}

export function readError(decoder: Decoder): Error {
  const registered = decoder.text()
  const common = decoder.text()
  const error = create(registered, common, decoder.text(), decoder.text())
  decoder.noted(error)
  const stack = decoder.text()
  define(error, "stack", stack === "" ? undefined : stack, false)
  for (let mark = decoder.byte(); mark !== NO_MORE; mark = decoder.byte()) {
    if (mark !== FIELD && mark !== HIDDEN_FIELD) decoder.fail()
    define(error, decoder.text(), decoder.value(), mark === FIELD)
  }
  return error
}

/** An error of that class, though its constructor is not called: nobody knows what it would want. */
function create(registered: string, common: string, name: string, message: string): Error {
  if (common === "DOMException" && registered === "") return new DOMException(message, name)
  const { prototype } = registeredAs(registered) ?? commonErrors.get(common) ?? Error
  const error = withoutStack(() => new Error(message))
  Object.setPrototypeOf(error, prototype)
  if (error.name !== name) define(error, "name", name, false)
  return error
}

/** It gets another one, and to collect one takes longer than everything else together. */
function withoutStack(make: () => Error): Error {
  const { stackTraceLimit } = Error
  try {
    Error.stackTraceLimit = 0
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** As an assignment, but also for `__proto__`. */
export function define(object: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(object, key, { value, enumerable, writable: true, configurable: true })
}
