/** Objects that the runtime can move from thread to thread, instead of copying them. */
import { sizeOfBuffer } from "./bytes/views.ts"

const MOVABLE = /^(?:MessagePort|(?:Readable|Writable|Transform)Stream|FileHandle)$/

/** Whether the runtime can move it to another thread. */
export function isMovable(value: object): boolean {
  if (isArrayBuffer(value)) return true
  const { constructor } = value as { constructor?: { readonly name?: unknown } }
  return MOVABLE.test(String(constructor?.name))
}

/** Of any realm. */
function isArrayBuffer(value: object): boolean {
  try {
    sizeOfBuffer(value)
    return true
  } catch {
    return false
  }
}
