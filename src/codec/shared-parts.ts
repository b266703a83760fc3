/**
 * Shared objects that a thread cannot open by their handle alone.
 *
 * - A part of another shared object: the two locks of a ReentrantReadWriteLock, a condition of a lock. The whole object
 *   is sent along with its part, and the part that arrives belongs to the whole object that arrives.
 * - A synchronizer of the program's own, if its class is registered. The receiver calls the class with the handle, as
 *   its base class requires, and copies the other fields.
 *
 * If the object has memory of its own, its handle is posted, as for all shared objects. But the thread that receives
 * the handle makes a key of it (keys.ts), since only the value says how to open the object. From then on the key
 * stands for the object. If the same object comes again, the thread finds its own object. If an object comes back
 * to the thread that sent it, that thread gets its own object.
 */
import { NotSerializableError } from "../errors.ts"
import { isShareable, type Part, PART } from "../memory/shared/shareables.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import { messageOf } from "../user-values.ts"
import { SHARED_INSTANCE, SHARED_PART } from "./bytes/tags.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { openedBy, partOpener, postedFor } from "./keys.ts"
import type { RegisteredClass } from "./revival.ts"

// ------------------------------------------------------------------ parts

export function writePart(encoder: Encoder, object: { readonly [PART]: Part }): void {
  if (!encoder.takesAttachments) {
    encoder.refuse(object, "cannot be written down as bytes: post it to the thread that needs it")
  }
  const { name, whole } = object[PART]
  encoder.begun(object, SHARED_PART)
  encoder.text(name)
  encoder.value(whole, "lock")
  encoder.count(isShareable(object) ? encoder.attach(postedFor(object)) + 1 : 0)
}

export function readPart(decoder: Decoder): object {
  const number = decoder.expected()
  const name = decoder.text()
  const whole = decoder.value()
  const attachment = decoder.count()
  const open = partOpener(name)
  if (open === undefined) {
    throw new NotSerializableError(`The value contains a ${name}, which this thread does not know how to open`)
  }
  const opening = (handle: Handle | undefined): object => {
    try {
      return open(whole as never, handle)
    } catch (error) {
      throw new NotSerializableError(`The ${name} could not be opened in this thread: ${messageOf(error)}`, {
        cause: error,
      })
    }
  }
  const object = attachment === 0 ? opening(undefined) : openedBy(decoder.attachment(attachment - 1), opening)
  return decoder.arrived(number, object)
}

// ------------------------------------------------------------------ synchronizers of the program

/** Writes an instance whose class is registered without `encode` and `decode`. */
export function writeSharedInstance(encoder: Encoder, instance: object, { name }: RegisteredClass): void {
  encoder.begun(instance, SHARED_INSTANCE)
  encoder.text(name)
  encoder.count(encoder.attach(postedFor(instance)))
  encoder.members(
    instance,
    Object.keys(instance).filter((key) => key !== "handle"),
  )
}

export function readSharedInstance(decoder: Decoder, { name, prototype }: RegisteredClass): object {
  const number = decoder.expected()
  let isNew = false
  const instance = openedBy(decoder.attachment(decoder.count()), (handle) => {
    isNew = true
    try {
      return Reflect.construct(prototype.constructor, [handle]) as object
    } catch (error) {
      throw new NotSerializableError(`The instance of ${name} could not be made: ${messageOf(error)}`, { cause: error })
    }
  })
  decoder.arrived(number, instance)
  decoder.members(isNew ? instance : {}) // an object that this thread had before keeps its own fields
  return instance
}
