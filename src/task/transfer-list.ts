/** The objects that a user wants moved to another thread: checked before any thread is involved. */
import { requireArray, show, typeError, wrongType } from "../checks.ts"
import { isMovable } from "../codec/movable.ts"
import { isSharedBuffer } from "../memory/shared/shareables.ts"

const DEMAND = "an ArrayBuffer, a MessagePort, a stream or a FileHandle"

/** Checks that the list has objects that can be moved, each of them once. */
export function requireTransferList(name: string, list: readonly object[]): readonly object[] {
  for (const [i, thing] of requireArray(name, list).entries()) {
    const place = `${name}[${i}]`
    if (typeof thing !== "object" || thing === null) throw typeError(place, DEMAND, thing)
    if (isSharedBuffer(thing)) {
      throw wrongType(`Expected \`${place}\` to be ${DEMAND}, got shared memory, which is never moved: leave it out`)
    }
    if (ArrayBuffer.isView(thing)) {
      throw wrongType(`Expected \`${place}\` to be ${DEMAND}, got ${show(thing)}: name its buffer`)
    }
    if (!isMovable(thing)) throw typeError(place, DEMAND, thing)
    if (list.indexOf(thing) !== i) {
      throw wrongType(`Expected \`${place}\` to be named once, but it is also \`${name}[${list.indexOf(thing)}]\``)
    }
  }
  return [...list]
}
