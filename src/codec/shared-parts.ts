/**
 * Shared objects that a thread cannot open by their handle alone.
 *
 * - A part of another shared object: the two locks of a ReentrantReadWriteLock, a condition of a lock. The whole object
 *   is sent along with its part, and the part that arrives belongs to the whole object that arrives.
 * - A synchronizer of the program's own, if its class is registered. The receiver calls the class with the handle, as
 *   its base class requires, and copies the other fields.
 *
 * If the object has memory of its own, its handle is posted, as for all shared objects. But the thread that receives
 * the handle makes a {@link PostedKey} of it, since only the value says how to open the object. From then on the key
 * stands for the object. If the same object comes again, the thread finds its own object. If an object comes back
 * to the thread that sent it, that thread gets its own object.
 */
import { NotSerializableError } from "../errors.ts"
import { isShareable, type Part, PART, SHAREABLE } from "../memory/shared/shareables.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import { perThread } from "../per-thread.ts"
import { messageOf } from "../user-values.ts"
import type { Decoder } from "./decoder.ts"
import type { Encoder } from "./encoder.ts"
import { type RegisteredClass, registerShareable } from "./revival.ts"
import { SHARED_INSTANCE, SHARED_PART } from "./bytes/tags.ts"

/** The mark of a key of any copy of corepool. */
const KEY: unique symbol = Symbol.for("corepool.key")

/** Stands for a shared object that was posted, and whose handle is not enough to open it. */
export class PostedKey {
  readonly handle: Handle

  constructor(handle: Handle) {
    this.handle = handle
  }

  /** @internal */
  get [SHAREABLE](): true {
    return true
  }

  /** @internal */
  get [KEY](): true {
    return true
  }
}

/** The opened objects by their keys, and the keys by their objects. Each keeps the other alive. */
const opened = perThread("opened by keys", () => new WeakMap<object, object>())
const keys = perThread("keys", () => new WeakMap<object, object>())

const names = perThread("names of keys", () => new Set<string>())
const openers = perThread("parts", () => new Map<string, (whole: never, handle: Handle | undefined) => object>())

/** Registers a name of objects that cannot be opened by their handle alone. */
export function registerKeyed(name: string): void {
  names.add(name)
  registerShareable(name, (handle: Handle) => new PostedKey(handle))
}

export function isKeyed(name: string): boolean {
  return names.has(name)
}

/**
 * Says how the part with this name is found in the object that it is a part of, with its handle, if it has memory of
 * its own.
 */
export function registerPart(name: string, open: (whole: never, handle: Handle | undefined) => object): void {
  openers.set(name, open)
}

/** `attached` is an object of this thread, the key of one, or the handle of one that was posted by itself. */
function openedBy(attached: object, open: (handle: Handle) => object): object {
  if (!isShareable(attached)) return open(attached as Handle)
  if (!(KEY in attached)) return attached
  const before = opened.get(attached)
  if (before !== undefined) return before
  const object = open((attached as PostedKey).handle)
  opened.set(attached, object)
  keys.set(object, attached)
  return object
}

// ------------------------------------------------------------------ parts

export function writePart(encoder: Encoder, object: { readonly [PART]: Part }): void {
  if (!encoder.takesAttachments) {
    encoder.refuse(object, "cannot be written down as bytes: post it to the thread that needs it")
  }
  const { name, whole } = object[PART]
  encoder.begun(object, SHARED_PART)
  encoder.text(name)
  encoder.value(whole, "lock")
  encoder.count(isShareable(object) ? encoder.attach(keys.get(object) ?? object) + 1 : 0)
}

export function readPart(decoder: Decoder): object {
  const number = decoder.expected()
  const name = decoder.text()
  const whole = decoder.value()
  const attachment = decoder.count()
  const open = openers.get(name)
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
  encoder.count(encoder.attach(keys.get(instance) ?? instance))
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
