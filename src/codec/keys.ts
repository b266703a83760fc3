/**
 * Keys of shared objects. A key stands for a posted object that its handle alone cannot open: see shared-parts.ts. The
 * keys are in a file of their own because a program that sends nothing needs only this file.
 */
import { OwnMap, OwnSet } from "../primordials.ts"
import { isShareable, SHAREABLE } from "../memory/shared/shareables.ts"
import type { Handle } from "../memory/shared/shared-memory.ts"
import { perThread } from "../per-thread.ts"
import { registerShareable } from "./revival.ts"

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

/** Makes a part, given the object that it is a part of. */
type PartOpener = (whole: never, handle: Handle | undefined) => object

const names = perThread("names of keys", () => new OwnSet<string>())
const openers = perThread("parts", () => new OwnMap<string, PartOpener>())

/** Registers a name of objects that cannot be opened by their handle alone. */
export function registerKeyed(name: string): void {
  names.add(name)
  registerShareable(name, (handle: Handle) => new PostedKey(handle))
}

export function isKeyed(name: string): boolean {
  return names.has(name)
}

/**
 * Registers how the part with this name is found in the object that contains it. `open` gets that object, and the
 * handle of the part if the part has its own memory.
 */
export function registerPart(name: string, open: PartOpener): void {
  openers.set(name, open)
}

export function partOpener(name: string): PartOpener | undefined {
  return openers.get(name)
}

/** What is posted for an object: its key, if it came by one. */
export function postedFor(object: object): object {
  return keys.get(object) ?? object
}

/** `attached` is an object of this thread, the key of one, or the handle of one that was posted by itself. */
export function openedBy(attached: object, open: (handle: Handle) => object): object {
  if (!isShareable(attached)) return open(attached as Handle)
  if (!(KEY in attached)) return attached
  const before = opened.get(attached)
  if (before !== undefined) return before
  const object = open((attached as PostedKey).handle)
  opened.set(attached, object)
  keys.set(object, attached)
  return object
}
