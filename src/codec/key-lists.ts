/** Lists of keys that were written. They are kept, because objects with the same keys come again and again. */
import type { MembersWriter } from "./generated.ts"
import { SLOTS } from "./bytes/tags.ts"

export interface KeyList {
  readonly keys: readonly string[]
  /** The round in which it was written last. It can be referred to only in the same round. */
  round: number
  /** Its bytes, if it was written more than once. */
  bytes: Uint8Array | undefined
  /** How often it was used. */
  uses: number
  /** Writes the members of an object with these keys; generated if the list is used often. */
  write: MembersWriter | undefined
}

/** Equal to no list of keys, as no object has the same one twice. */
export const nothingYet: KeyList = { keys: ["", ""], round: 0, bytes: undefined, uses: 0, write: undefined }

/** The slot in which such a list is kept. */
export function slotFor(keys: readonly string[]): number {
  const { length } = keys
  if (length === 0) return 0
  const first = keys[0] as string
  const last = keys[length - 1] as string
  return (length * 5 + first.length * 3 + last.length + last.charCodeAt(0)) & (SLOTS - 1)
}

export function areEqual(a: readonly string[], b: readonly string[]): boolean {
  const { length } = a
  if (length !== b.length) return false
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false
  return true
}
