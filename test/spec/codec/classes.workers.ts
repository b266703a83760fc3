/** What the workers of classes.test.ts run. They have registered no class. */
import { decode } from "#src/codec/codec.js"
import { EncodedValue } from "#src/codec/bytes/encoded-value.js"
import type { Parcel } from "./attachments.workers.ts"

export function describe({ kind, bytes }: Parcel): object {
  const encoded = EncodedValue.toRead(kind, bytes.length)
  encoded.bytes.set(bytes)
  let value: unknown
  try {
    value = decode(encoded)
  } catch (error) {
    value = error // which is what is described then
  }
  const { name, message, price } = value as Error & { price?: unknown }
  return { type: (value as object).constructor.name, name, message, price }
}
