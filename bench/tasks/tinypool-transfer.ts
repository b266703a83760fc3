/** tinypool's way to hand a result over instead of copying it. */
import { installed } from "./packages.ts"
import { touch as touched } from "./work.ts"

const { Tinypool } = await installed<{ readonly Tinypool: { move(buffer: ArrayBuffer): ArrayBuffer } }>("tinypool")

export function touch(buffer: ArrayBuffer): ArrayBuffer {
  return Tinypool.move(touched(buffer))
}
