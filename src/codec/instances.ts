/**
 * Objects that their class, or the runtime, makes anew in the other thread: instances of registered classes, shared
 * objects, and foreign objects.
 */
import { pop, push } from "../primordials.ts"
import { NotSerializableError } from "../errors.ts"
import { isShareable } from "../memory/shared/shareables.ts"
import { isMovable } from "./movable.ts"
import { isClonedByRuntime } from "./classification.ts"
import { describe } from "./foreign.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { setOwn, messageOf } from "../user-values.ts"
import { isRevivable, type RegisteredClass, registeredAs, reviveShareable } from "./revival.ts"
import { isKeyed } from "./keys.ts"
import { readSharedInstance, writeSharedInstance } from "./shared-parts.ts"
import { ATTACHMENT, CUSTOM_INSTANCE, INSTANCE, SHARED_OBJECT } from "./bytes/tags.ts"

// ------------------------------------------------------------------ registered classes

/** Instances whose data is being written. In the other thread they do not exist before that data is read. */
const unfinished: object[] = []

export function writeInstance(encoder: Encoder, instance: object, registered: RegisteredClass): void {
  const { name, encode, decode } = registered
  if (encode === undefined && decode === undefined) {
    if (isShareable(instance)) {
      writeRegisteredShareable(encoder, instance as Sharing, registered)
      return
    }
    encoder.begun(instance, INSTANCE)
    encoder.text(name)
    encoder.members(instance, Object.keys(instance))
    return
  }
  if (unfinished.includes(instance)) {
    encoder.refuse(instance, "refers to itself, which a class with `encode` or `decode` cannot")
  }
  push(unfinished, instance)
  try {
    encoder.byte(CUSTOM_INSTANCE)
    encoder.text(name)
    encoder.value(encode === undefined ? { ...instance } : encode(instance), "encode()")
  } finally {
    pop(unfinished)
  }
  encoder.noted(instance)
}

export function readInstance(decoder: Decoder): object {
  const registered = classNamed(decoder.text())
  if (registered.decode !== undefined) {
    const number = decoder.expected()
    return decoder.arrived(number, makeInstance(registered, decoder.members({})))
  }
  const instance = Object.create(registered.prototype) as object
  decoder.noted(instance)
  return decoder.members(instance)
}

export function readCustomInstance(decoder: Decoder): object {
  const registered = classNamed(decoder.text())
  const instance = makeInstance(registered, decoder.value())
  decoder.noted(instance)
  return instance
}

function classNamed(name: string): RegisteredClass {
  const registered = registeredAs(name)
  if (registered !== undefined) return registered
  throw new NotSerializableError(
    `The value contains an instance of ${name}, which is not registered in this thread: call registerClass(${name}) in the module of the class`,
  )
}

function makeInstance({ name, prototype, decode }: RegisteredClass, data: unknown): object {
  try {
    if (decode !== undefined) return decode(data)
  } catch (error) {
    throw new NotSerializableError(`The instance of ${name} could not be made: ${messageOf(error)}`, { cause: error })
  }
  const instance = Object.create(prototype) as object
  for (const [key, value] of Object.entries(Object(data) as object)) setOwn(instance, key, value, true)
  return instance
}

// ------------------------------------------------------------------ shared objects

type Sharing = { readonly handle: unknown }

/** A class of corepool is written like any shared object; a class of the program is written with its name. */
function writeRegisteredShareable(encoder: Encoder, object: Sharing, registered: RegisteredClass): void {
  if (encoder.takesAttachments && isKeyed((object.handle as { corepool: string }).corepool)) {
    writeSharedInstance(encoder, object, registered)
  } else writeShareable(encoder, object)
}

export function readRegisteredShareable(decoder: Decoder): object {
  return readSharedInstance(decoder, classNamed(decoder.text()))
}

/**
 * Attaches the object itself. The code that posts the attachments posts its handle instead, or the object, of which
 * only the handle arrives. Reading `handle` marks the object as shared, so it is read only if the object is to be sent.
 */
export function writeShareable(encoder: Encoder, object: Sharing): void {
  if (!encoder.takesAttachments) {
    encoder.refuse(object, "cannot be written down as bytes: post it to the thread that needs it")
  }
  const { handle } = object
  const { corepool: name } = handle as { corepool: string }
  if (isKeyed(name)) encoder.refuse(object, "cannot be opened by another thread: register its class by registerClass")
  if (!isRevivable(name)) {
    encoder.refuse(object, "cannot be opened by another thread alone: send what it belongs to, or its handle")
  }
  encoder.begun(object, SHARED_OBJECT)
  encoder.text(name)
  encoder.count(encoder.attach(object))
}

export function readShareable(decoder: Decoder): object {
  const name = decoder.text()
  const attached = decoder.attachment(decoder.count())
  let object: object | undefined
  try {
    object = isShareable(attached) ? attached : reviveShareable(name, attached)
  } catch (error) {
    throw new NotSerializableError(`The ${name} could not be opened in this thread: ${messageOf(error)}`, {
      cause: error,
    })
  }
  if (object === undefined) {
    throw new NotSerializableError(`The value contains a ${name}, which this thread does not know how to open`)
  }
  decoder.noted(object)
  return object
}

// ------------------------------------------------------------------ things of the runtime

/** Attaches objects that only the runtime can copy, and objects that are to be moved. */
export function writeForeign(encoder: Encoder, value: object): void {
  if (encoder.takesAttachments && (encoder.isTransferred(value) || isClonedByRuntime(value))) {
    encoder.begun(value, ATTACHMENT)
    encoder.count(encoder.attach(value))
    return
  }
  const what = describe(value)
  if (isMovable(value)) {
    encoder.refuse(value, "cannot be copied, only moved: post it and name it in the transfer list", what)
  }
  if (isClonedByRuntime(value)) {
    encoder.refuse(value, "can be copied only by the runtime, not as bytes: post it", what)
  }
  encoder.refuse(value, "cannot be copied", what)
}
