/**
 * What of a value refers to memory that threads share. Such things can be posted to a thread, which gives it the same
 * memory; they cannot be written down as bytes.
 */
import { alone } from "../../checks.ts"
import type { Handle, Shared } from "./shared-memory.ts"

/** What every object has that has a handle, whichever copy of corepool it is of. */
export const SHAREABLE: unique symbol = Symbol.for("corepool.shareable")

/** The handle of something that also has memory that grows. */
export interface StoreHandle extends Handle {
  readonly store: SharedArrayBuffer
  /** Of what keeps its elements in an order. */
  readonly order?: SharedArrayBuffer
}

/** What was posted, if `SharedMemory.open` accepted it. */
export function storeHandleIn(sent: Shared): StoreHandle {
  return ("handle" in sent ? sent.handle : sent) as StoreHandle
}

/**
 * Whether it is an object of ours that threads can share. Does not read the handle, which may be what makes it shared.
 */
export function isShareable(value: object): boolean {
  return SHAREABLE in value
}

/**
 * What an object of ours has that is of no use in another thread, whichever copy of corepool it is of: why that is so,
 * as the end of a sentence.
 */
export const LOCAL: unique symbol = Symbol.for("corepool.local")

/** Whether it is such an object. */
export function isLocal(value: object): value is { readonly [LOCAL]: string } {
  return LOCAL in value
}

/**
 * What a part of a shared object has: which object that is, and what the part is called, whichever copy of corepool it
 * is of.
 */
export const PART: unique symbol = Symbol.for("corepool.part")

export interface Part {
  readonly whole: object
  readonly name: string
}

/**
 * Of a part without memory of its own: a clone of the part consists of the handle of the whole object. So it can be
 * posted as all shared objects can, and what arrives is opened by the class of the whole object.
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

/** Memory that threads share, for the data of a program. All 0. */
export function sharedBytes(count: number): SharedArrayBuffer {
  return new SharedArrayBuffer(count)
}

/**
 * What the memory of an object of ours counts for: not what it has, of which little may be in use, but what keeping it
 * costs at most.
 */
const OBJECT_BYTES = 65_536

/** How many bytes of shared memory are in what is posted: a buffer, or the handle of an object of ours. */
export function sharedBytesIn(sent: object): number {
  return isSharedBuffer(sent) ? (sent as SharedArrayBuffer).byteLength : OBJECT_BYTES
}
