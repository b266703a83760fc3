/** What the workers of classes.test.ts run. They have registered no class. */
import { decode } from "#src/codec/codec.js"
import { Letter } from "#src/codec/bytes/letter.js"
import type { Parcel } from "./attachments.workers.ts"

export function describe({ kind, bytes }: Parcel): object {
  const letter = Letter.toRead(kind, bytes.length)
  letter.bytes.set(bytes)
  let value: unknown
  try {
    value = decode(letter)
  } catch (error) {
    value = error // which is what is described then
  }
  const { name, message, price } = value as Error & { price?: unknown }
  return { type: (value as object).constructor.name, name, message, price }
}
