/** Lists of keys that were written. They are kept, as objects with the same keys come again and again. */
import type { MembersWriter } from "./generated.ts"
import { SLOTS } from "./bytes/tags.ts"

export interface KeyList {
  readonly keys: readonly string[]
  /** When it was written last. It can be referred to only in the same round. */
  round: number
  /** How it is written, if that was needed more than once. */
  bytes: Uint8Array | undefined
  /** How often it was needed. */
  uses: number
  /** If that is often: writes the members of an object that has these keys. */
  write: MembersWriter | undefined
}

/** Equal to no list of keys, as no object has the same one twice. */
export const nothingYet: KeyList = { keys: ["", ""], round: 0, bytes: undefined, uses: 0, write: undefined }

/** Where to look for such a list. */
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
