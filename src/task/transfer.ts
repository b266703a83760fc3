/**
 * Moving instead of copying. Arguments of a task are moved if the view of the executor says so, `pool.with({ transfer:
 * [buffer] })`; results are moved if the task says so itself:
 *
 *     export function blur(pixels: Uint8ClampedArray): Uint8ClampedArray {
 *       …
 *       return transfer(pixels)
 *     }
 */
import { types } from "#host/values/values"
import { alone, requireObject, wrongType } from "../checks.ts"
import { bufferOf, sizeOfBuffer } from "../codec/bytes/views.ts"
import { perThread } from "../per-thread.ts"
import { apply } from "../primordials.ts"
import { runtime } from "#host/runtime/clock"
import { requireTransferList } from "./transfer-list.ts"

/** Values, and what of them is to be moved. An entry lives as long as its value. */
const lists = perThread("transfer lists", () => ({ isUsed: false, of: new WeakMap<object, readonly object[]>() }))

/**
 * Moves these parts of a result to the thread that gets it, instead of copying them: buffers, ports, streams; by
 * default the value itself, or its buffer if it is a view of one. Returns the value. Without effect if the task does
 * not run in another thread.
 *
 * The parts must be in the value. This thread cannot use them any more when the task has returned.
 */
export function transfer<T extends object>(value: T, list?: readonly object[]): T {
  requireObject("value", value)
  const moved = list ?? [ArrayBuffer.isView(value) ? bufferOf(value) : value]
  lists.of.set(value, requireTransferList("list", moved))
  lists.isUsed = true
  return value
}

/** Which parts of a result are to be moved, if any. */
export function transferListOf(value: unknown): readonly object[] | undefined {
  return lists.isUsed && typeof value === "object" && value !== null ? lists.of.get(value) : undefined
}

/** What is to be moved of these parts is to be moved of the whole. */
export function passOnTransfers(whole: object, parts: readonly unknown[]): void {
  if (!lists.isUsed) return
  const list = new Set<object>()
  for (const part of parts) for (const thing of transferListOf(part) ?? []) list.add(thing)
  if (list.size > 0) lists.of.set(whole, [...list])
}

/** Throws if a buffer of the list has been moved before. */
export function requirePresent(name: string, list: readonly object[]): void {
  for (const [i, thing] of list.entries()) {
    if (!types.isArrayBuffer(thing) || !isDetached(thing)) continue
    throw wrongType(`Expected \`${name}[${i}]\` to be a buffer with something in it, but it was transferred before`)
  }
}

/** Throws if an object of the list is not among the objects that were found in the value. */
export function requireAmong(name: string, list: readonly object[], things: readonly object[], value: string): void {
  for (const [i, thing] of list.entries()) {
    if (!things.includes(thing)) throw wrongType(`Expected \`${name}[${i}]\` to be in ${value}, but it is not`)
  }
}

function isDetached(buffer: ArrayBuffer): boolean {
  if (sizeOfBuffer(buffer) > 0) return false
  try {
    void new Uint8Array(buffer)
    return false
  } catch {
    return true // older runtimes have no other way to ask
  }
}

/** Undefined in the oldest supported runtimes. */
const { transfer: moveBuffer } = ArrayBuffer.prototype as { transfer?: (length?: number) => ArrayBuffer }

/** Moves the object to a new one in this thread: the given one is empty from now on. */
export function move<T extends object>(thing: T): T {
  if (types.isArrayBuffer(thing) && moveBuffer !== undefined) return apply(moveBuffer, thing, []) as T
  return runtime.clone(thing, alone({ transfer: [thing as unknown as ArrayBuffer] }))
}

/** Empties a buffer whose contents are elsewhere, as {@link move} does. */
export function empty(buffer: ArrayBuffer): void {
  if (moveBuffer === undefined) move(buffer)
  else apply(moveBuffer, buffer, [0])
}
