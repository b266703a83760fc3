/**
 * Which parts of a value refer to memory that threads share. Such parts can be posted to a thread, which then has the
 * same memory; they cannot be encoded as bytes.
 */
import { alone } from "../../checks.ts"
import type { Handle, Shared } from "./shared-memory.ts"

/** Marks every object that has a handle, whichever copy of corepool made it. */
export const SHAREABLE: unique symbol = Symbol.for("corepool.shareable")

/** The handle of an object that also has memory that grows. */
export interface StoreHandle extends Handle {
  readonly store: SharedArrayBuffer
  /** Only for an object that keeps its elements in an order. */
  readonly order?: SharedArrayBuffer
}

/** The posted handle, if `SharedMemory.open` accepted it. */
export function storeHandleIn(sent: Shared): StoreHandle {
  return ("handle" in sent ? sent.handle : sent) as StoreHandle
}

/**
 * Whether it is an object of corepool that threads can share. Does not read the handle: reading it may make the object
 * shared.
 */
export function isShareable(value: object): boolean {
  return SHAREABLE in value
}

/**
 * Marks an object of corepool that is of no use in another thread, whichever copy of corepool made it. The value says
 * why, as the end of a sentence.
 */
export const LOCAL: unique symbol = Symbol.for("corepool.local")

/** Whether it is such an object. */
export function isLocal(value: object): value is { readonly [LOCAL]: string } {
  return LOCAL in value
}

/**
 * Marks a part of a shared object, whichever copy of corepool made it. The value says which object that is, and what
 * the part is called.
 */
export const PART: unique symbol = Symbol.for("corepool.part")

export interface Part {
  readonly whole: object
  readonly name: string
}

/**
 * The property `handle` of a part without memory of its own: a clone of the part consists of the handle of the whole
 * object. So it can be posted as all shared objects can, and the class of the whole object opens the clone.
 */
export const handleOfWhole: PropertyDescriptor = /* @__PURE__ */ alone({
  enumerable: true,
  get(this: { readonly [PART]: Part }) {
    return (this[PART].whole as { readonly handle: Handle }).handle
  },
})

/** Whether it is such a part. */
export function isPart(value: object): value is { readonly [PART]: Part } {
  return PART in value
}

/** Whether it is a buffer that threads share, or a view of one. */
export function isSharedBuffer(value: object): boolean {
  return (ArrayBuffer.isView(value) ? value.buffer : value) instanceof SharedArrayBuffer
}

/** Memory that threads share, for the data of a program, all 0. */
export function sharedBytes(count: number): SharedArrayBuffer {
  return new SharedArrayBuffer(count)
}

/**
 * What the memory of an object of corepool counts for: not its size, of which little may be in use, but the most that
 * keeping it costs.
 */
const OBJECT_BYTES = 65_536

/** How many bytes of shared memory the posted thing holds: a buffer, or the handle of an object of corepool. */
export function sharedBytesIn(sent: object): number {
  return isSharedBuffer(sent) ? (sent as SharedArrayBuffer).byteLength : OBJECT_BYTES
}
