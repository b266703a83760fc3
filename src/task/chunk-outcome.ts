/** What becomes of the items of a chunk on worker threads, and how messages name the items. */
import { propertyOf } from "../user-values.ts"

/**
 * What has become of a chunk: the milliseconds it took, the results of its first items, and perhaps the outcome of the
 * item after them. Items that have neither were not begun.
 */
export type ChunkOutcome<O> = readonly [time: number, results: O[], last?: LastOutcome]

/**
 * The result or the error of the last item that was begun. It is encoded by itself, so that the results before it
 * arrive even if it cannot be sent or read. Not encoded if it stays in its thread.
 */
export type LastOutcome =
  | { readonly isError: boolean; readonly bytes: Uint8Array; readonly things: readonly object[] }
  | { readonly isError: boolean; readonly value: unknown }

/** Whether the value may change later. */
export function isObject(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function"
}

/** Of longer texts, each is sent by itself: a thousand of them might not fit into memory a second time. */
const LONG_TEXT = 4096

/** Whether the value can be sent with a thousand others: it is small, cannot change, and nothing can go wrong. */
export function isSmall(value: unknown): boolean {
  switch (typeof value) {
    case "number":
    case "boolean":
    case "undefined":
      return true
    case "string":
      return value.length < LONG_TEXT
    case "bigint":
      return BigInt.asIntN(64, value) === value
    case "object":
      return value === null
    default:
      return false
  }
}

const FIRST = Symbol("first item")

/** Notes which item the first of these results belongs to. */
export function noteFirst<R extends object>(results: R, first: number): R {
  ;(results as { [FIRST]?: number })[FIRST] = first
  return results
}

/**
 * For an outcome that cannot be sent: the number of the item that is to blame, and `why` without the place of the
 * item's result in the outcome. Undefined if the outcome is not one of a chunk.
 */
export function itemToBlame(outcome: unknown, why: string): { item: number; why: string } | undefined {
  const ofAll = propertyOf(outcome, FIRST) as number | undefined
  const first = ofAll ?? (propertyOf(propertyOf(outcome, 1), FIRST) as number | undefined)
  if (first === undefined) return undefined
  let item = first
  const place = ofAll === undefined ? / in `\[1\]\[(\d+)\](`|\.|(?=\[))/ : / in `\[(\d+)\](`|\.|(?=\[))/
  const reason = why.replace(place, (_, index: string, end: string) => {
    item += Number(index)
    return end === "`" ? "" : " in `"
  })
  return { item, why: reason }
}

/** What says where in a list of items, the first argument of a task, the wrong one is; with the numbers of `map`. */
export function asItem(message: string, first: number): string {
  return message.replace(/ in `args\[0\]\[(\d+)\]/, (_, index: string) => ` in \`items[${first + Number(index)}]`)
}
