/** Values as bytes, for their way to another thread. */
import { deserialize, serialize } from "node:v8"
import { show } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"

export function encode(value: unknown): Uint8Array {
  try {
    return serialize(value)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new NotSerializableError(`Cannot send ${show(value)} to another thread: ${why}`, { cause })
  }
}

/** The bytes must not change meanwhile: a copy of shared ones. */
export function decode(bytes: Uint8Array): unknown {
  return deserialize(bytes)
}
