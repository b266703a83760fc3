/** What the workers of attachments.test.ts run. */
import { LinkedBlockingQueue } from "corepool"
import { decode } from "#src/codec/codec.js"
import { EncodedValue } from "#src/codec/bytes/encoded-value.js"
import { registerKnownClasses } from "#src/platform/member/known-classes.js"

export interface Parcel {
  readonly kind: number
  readonly bytes: Uint8Array
  readonly attachments: readonly object[]
}

export function putInto({ kind, bytes, attachments }: Parcel): void {
  registerKnownClasses()
  const encoded = EncodedValue.toRead(kind, bytes.length)
  encoded.bytes.set(bytes)
  const { queue, text } = decode(encoded, attachments) as { queue: LinkedBlockingQueue<unknown>; text: string }
  queue.add({ text, isQueue: queue instanceof LinkedBlockingQueue })
}
