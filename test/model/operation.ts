/** What a thread does to memory, one step each. */
import { longAt, longOf, numberOf } from "./long.ts"

/** A step that only reads or changes the word itself, or the two words of 64 bits. */
export type Access = "load" | "store" | "add" | "exchange" | "compareAndSet" | "read" | "write" | LongAccess

/** Their operands and results are numbers that stand for values: see long.ts. Their address is that of the first word. */
type LongAccess = "loadLong" | "exchangeLong" | "compareAndSetLong"

export type Code = Access | "wait" | "listen" | "notify" | "pause" | "block"

export interface Operation {
  readonly code: Code
  readonly words: Int32Array
  readonly index: number
  /** Which word of the model it is, whatever view it was reached through; {@link NOWHERE} for `pause` and `block`. */
  readonly address: number
  /** The value, amount, expected value or, for `block`, the time. */
  readonly a: number
  /** The new value of `compareAndSet`, the time of `wait`. */
  readonly b: number
}

/** The address of what is not memory of the model. */
export const NOWHERE = -1

export function isPlain(code: Code): boolean {
  return code === "read" || code === "write"
}

export function isLong(code: Access): code is LongAccess {
  return code === "loadLong" || code === "exchangeLong" || code === "compareAndSetLong"
}

/** False if two of its kind, on one word, can be swapped. Waiting and notifying count as changes: of the wait queue. */
export function isChange(code: Code): boolean {
  return code !== "load" && code !== "read" && code !== "loadLong"
}

/**
 * Carries out an access and returns what the code that asked for it gets to know: for `compareAndSet` 1 or 0, for a
 * store always 0, lest two threads with the same knowledge look different.
 */
export function carryOut(code: Access, words: Int32Array, index: number, a: number, b: number): number {
  if (isLong(code)) return carryOutLong(code, longAt(words, index), a, b)
  const old = words[index] as number
  switch (code) {
    case "load":
    case "read":
      return old
    case "store":
    case "write":
      words[index] = a
      return 0
    case "exchange":
      words[index] = a
      return old
    case "add":
      words[index] = old + a
      return old
    case "compareAndSet":
      if (old !== (a | 0)) return 0
      words[index] = b
      return 1
  }
}

function carryOutLong(code: LongAccess, long: BigInt64Array, a: number, b: number): number {
  const old = numberOf(long[0] as bigint)
  if (code === "loadLong") return old
  if (code === "exchangeLong") {
    long[0] = longOf(a)
    return old
  }
  if (old !== a) return 0
  long[0] = longOf(b)
  return 1
}
