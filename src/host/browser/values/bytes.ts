/** Views of bytes that read and write texts, in place of Node's Buffer: the part of its methods that corepool uses. */

type Encoding = "latin1" | "utf16le" | "utf8"

/** From this length on the engine's own coders are faster than a loop. */
const LONG = 64
/** How many characters `String.fromCharCode` gets at once: many more do not fit on the stack. */
const PIECE = 4096

const encoder = new TextEncoder()
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const utf16 = new TextDecoder("utf-16le", { ignoreBOM: true })
/** What browsers call latin1 is windows-1252, which differs for the bytes from 0x80 to 0x9f. */
const western = new TextDecoder("windows-1252")

/** @internal */
export class ByteView extends Uint8Array<ArrayBuffer> {
  /** Writes the text, and returns how many bytes that were. */
  write(text: string, at: number, size: number, encoding: Encoding): number {
    if (encoding === "utf16le") {
      for (let i = 0, to = at; i < text.length; i++, to += 2) {
        const code = text.charCodeAt(i)
        this[to] = code & 0xff
        this[to + 1] = code >>> 8
      }
    } else if (encoding === "utf8") return encoder.encodeInto(text, viewOf(this, at, at + size)).written
    // As UTF-8 a text has the same length only if it is ASCII: then the engine has written it already.
    else if (size < LONG || encoder.encodeInto(text, viewOf(this, at, at + size)).read < text.length) {
      for (let i = 0; i < size; i++) this[at + i] = text.charCodeAt(i)
    }
    return size
  }

  override toString(encoding?: Encoding, start = 0, end: number = this.length): string {
    const view = viewOf(this, start, end)
    if (encoding === "utf16le") return ofUtf16(view)
    return encoding === "latin1" ? ofLatin1(view) : utf8.decode(view)
  }
}

function viewOf(bytes: Uint8Array<ArrayBuffer>, start: number, end: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start)
}

function ofLatin1(view: Uint8Array<ArrayBuffer>): string {
  if (view.length < LONG) return ofCodes(view)
  for (let i = 0; i < view.length; i++) {
    const byte = view[i] as number
    if (byte >= 0x80 && byte < 0xa0) return ofCodes(view)
  }
  return western.decode(view)
}

/** The decoder replaces half of a pair of surrogates. A text that has such a half is made of its codes. */
function ofUtf16(view: Uint8Array<ArrayBuffer>): string {
  const text = utf16.decode(view)
  if (!text.includes("\ufffd")) return text
  const codes = new Uint16Array(view.length / 2)
  for (let i = 0; i < codes.length; i++) codes[i] = (view[2 * i] as number) | ((view[2 * i + 1] as number) << 8)
  return ofCodes(codes)
}

function ofCodes(codes: Uint8Array | Uint16Array): string {
  let text = ""
  for (let at = 0; at < codes.length; at += PIECE) text += String.fromCharCode(...codes.subarray(at, at + PIECE))
  return text
}

function blank(size: number): ByteView {
  return new ByteView(new ArrayBuffer(size))
}

export type Bytes = ByteView

interface BytesClass {
  from(source: string | ArrayBuffer, offset?: Encoding | number, length?: number): ByteView
  alloc(size: number): ByteView
  allocUnsafe(size: number): ByteView
  allocUnsafeSlow(size: number): ByteView
  isBuffer(value: unknown): boolean
}

/** As the static methods of Buffer. */
export const Bytes: BytesClass = {
  from(source: string | ArrayBuffer, offset?: Encoding | number, length?: number): ByteView {
    if (typeof source !== "string") return new ByteView(source, offset as number | undefined, length)
    if (offset !== "latin1") return new ByteView(encoder.encode(source).buffer)
    const bytes = blank(source.length)
    bytes.write(source, 0, source.length, "latin1")
    return bytes
  },
  alloc: blank,
  allocUnsafe: blank,
  allocUnsafeSlow: blank,
  /** There are no Buffers. */
  isBuffer: (_value: unknown): boolean => false,
}

/** A browser fills all memory with zeros. */
export function allocUninitialized(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
