/**
 * Short texts from bytes. Threads send each other the same texts again and again: keys, names of states, units. Finding
 * one that was read before takes less time than making it anew, and no memory.
 */
import type { Bytes } from "#host/values/bytes"

/**
 * Whether there are characters that do not fit into a byte. The engine answers at once for a text it keeps in bytes.
 */
export function isWide(text: string): boolean {
  return /[\u0100-\uffff]/.test(text)
}

/** From this length on the runtime's own copying of texts is faster than a loop over the characters. */
export const LONG_TEXT = 24

/** Longer texts seldom come again. */
const LONGEST = 24
/** A power of 2. A new text replaces the one in the same place. */
const PLACES = 1024

const known: string[] = Array.from({ length: PLACES }, () => "")

export function latin1(bytes: Bytes, start: number, length: number): string {
  if (length > LONGEST) return bytes.toString("latin1", start, start + length)
  let hash = length
  for (let i = start; i < start + length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  const place = (hash ^ (hash >>> 15)) & (PLACES - 1)
  const text = known[place] as string
  if (isSame(text, bytes, start, length)) return text
  return (known[place] = bytes.toString("latin1", start, start + length))
}

function isSame(text: string, bytes: Bytes, start: number, length: number): boolean {
  if (text.length !== length) return false
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

export function utf16(bytes: Bytes, start: number, length: number): string {
  return bytes.toString("utf16le", start, start + length * 2)
}
