/** Marks values that are moved to another thread instead of copied, in the manner of piscina. */
import { types } from "#host/values/values"
import { perThread } from "../../per-thread.ts"

/** The property of a {@link PiscinaTransferable} with the object, or the array of objects, to be moved. */
export const transferableSymbol: unique symbol = Symbol.for("corepool.compat.transferable")
/** The property of a {@link PiscinaTransferable} with the value that is sent in its place. */
export const valueSymbol: unique symbol = Symbol.for("corepool.compat.value")

/** An object that says itself what of it is to be moved. */
export interface PiscinaTransferable {
  /** What is to be moved: an object, or an array of objects. */
  readonly [transferableSymbol]: object
  /** What is sent in place of the object. */
  readonly [valueSymbol]: object
}

const marked = perThread("movables", () => new WeakSet<object>())

/** Whether the value has both properties. */
export function isTransferable(value: unknown): value is PiscinaTransferable {
  return typeof value === "object" && value !== null && transferableSymbol in value && valueSymbol in value
}

/** Whether {@link move} has made or marked the object. */
export function isMovable(value: unknown): value is PiscinaTransferable {
  return isTransferable(value) && marked.has(value)
}

/** Marks an object that says itself what of it is to be moved. */
export function markMovable(value: object): void {
  marked.add(value)
}

/**
 * Marks an argument or a result of a task: it is moved to the other thread instead of copied. Buffers, views of
 * buffers, ports, and objects with the two properties of {@link PiscinaTransferable} can be moved. `move` returns any
 * other value unchanged.
 */
export function move<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value
  const moved = isTransferable(value) ? value : wrapped(value)
  markMovable(moved)
  return moved as T
}

function wrapped(value: object): PiscinaTransferable {
  return {
    [transferableSymbol]: ArrayBuffer.isView(value) && !types.isSharedArrayBuffer(value.buffer) ? value.buffer : value,
    [valueSymbol]: value,
  }
}

/** The value to send, and what of it is to be moved. */
export function unwrapped(value: unknown): { readonly value: unknown; readonly list: readonly object[] } {
  if (!isMovable(value)) return { value, list: [] }
  const list = value[transferableSymbol]
  return { value: value[valueSymbol], list: Array.isArray(list) ? (list as object[]) : [list] }
}
