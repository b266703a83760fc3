import { Buffer } from "node:buffer"

/** To fill so many bytes with zeros takes longer than to ask the runtime to leave that out. */
const LARGE = 4096

/** Memory in which anything may be, as all of it is about to be written. */
export function allocUninitialized(bytes: number): Uint8Array<ArrayBuffer> {
  return bytes < LARGE ? new Uint8Array(bytes) : new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer)
}
