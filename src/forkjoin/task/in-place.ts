/**
 * Whether an object has changed inside. A thief has copies of the objects in the fields of a completer. If its parts
 * have added something to an array in such a field, the array has to come back, though the field holds the same array.
 *
 * Compared are the objects that the codec copies: arrays, maps, sets, views of buffers that are not shared, and objects
 * with fields. Shared objects are the same everywhere, and tasks stay in their thread.
 */
import { isShareable, isSharedBuffer } from "../../memory/shared/shareables.ts"
import { isForkJoinTask } from "./life.ts"

/** What an object held. Any other value, or an object that is not compared, is its own snapshot. */
type Snapshot =
  | { readonly of: object; readonly bytes: Uint8Array }
  | { readonly of: object; readonly parts: readonly (readonly [unknown, unknown])[] }

/** What the value holds now. */
export function snapshotOf(value: unknown, seen: Map<object, unknown> = new Map()): unknown {
  if (!isLookedInto(value)) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  const bytes = bytesOf(value)
  if (bytes !== undefined) return { of: value, bytes: bytes.slice() } satisfies Snapshot
  const parts: (readonly [unknown, unknown])[] = []
  const snapshot: Snapshot = { of: value, parts }
  seen.set(value, snapshot)
  for (const [key, part] of partsOf(value)) parts.push([key, snapshotOf(part, seen)])
  return snapshot
}

/** Whether the value is another one, or holds something else. */
export function hasChanged(value: unknown, before: unknown, seen: Set<object> = new Set()): boolean {
  if (!isLookedInto(value)) return !Object.is(value, before)
  const snapshot = before as Snapshot | undefined
  if (typeof snapshot !== "object" || snapshot === null || snapshot.of !== value) return true
  if (seen.has(value)) return false
  seen.add(value)
  if ("bytes" in snapshot) {
    const now = bytesOf(value) as Uint8Array
    return now.length !== snapshot.bytes.length || now.some((byte, i) => byte !== snapshot.bytes[i])
  }
  let i = 0
  for (const [key, part] of partsOf(value)) {
    const [oldKey, old] = snapshot.parts[i++] ?? [NOTHING, undefined]
    if (!Object.is(key, oldKey) || hasChanged(part, old, seen)) return true
  }
  return i !== snapshot.parts.length
}

/** Whether the value is the object of which this is a snapshot. */
export function isSame(value: unknown, before: unknown): boolean {
  return isLookedInto(value) && (before as Snapshot | undefined)?.of === value
}

const NOTHING = Symbol("nothing")

function isLookedInto(value: unknown): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !isForkJoinTask(value) &&
    !isShareable(value) &&
    !isSharedBuffer(ArrayBuffer.isView(value) ? value.buffer : value)
  )
}

function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined
}

function partsOf(value: object): Iterable<readonly [unknown, unknown]> {
  if (value instanceof Map) return value
  if (value instanceof Set) return value.entries()
  if (value instanceof Date) return [["time", value.getTime()]]
  return Object.entries(value)
}
