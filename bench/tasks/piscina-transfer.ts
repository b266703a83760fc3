/** piscina's way to hand a result over instead of copying it. */
import { installed } from "./packages.ts"
import { touch as touched } from "./work.ts"

const { default: Piscina } = await installed<{ readonly default: { move(buffer: ArrayBuffer): ArrayBuffer } }>(
  "piscina",
)

export function touch(buffer: ArrayBuffer): ArrayBuffer {
  return Piscina.move(touched(buffer))
}
