import { Buffer } from "node:buffer"

/**
 * A view of bytes, a Uint8Array, that reads and writes texts as the engine has them. The codec uses these methods for
 * every text that a task gets or returns, so they are the runtime's own, without a layer between.
 */
export { Buffer as Bytes } from "node:buffer"

/** From this size on, filling memory with zeros takes longer than asking the runtime to leave that out. */
const LARGE = 4096

/** Memory with arbitrary content, for a caller that is about to overwrite all of it. */
export function allocUninitialized(bytes: number): Uint8Array<ArrayBuffer> {
  return bytes < LARGE ? new Uint8Array(bytes) : new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}
