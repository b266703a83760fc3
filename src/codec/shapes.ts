/**
 * Lists of keys from bytes. Objects with the same keys come again and again, and comparing a list with one that was
 * read before takes less time than making its texts.
 */
import type { Bytes } from "#host/values/bytes"
import { type Builder, builderFor, OFTEN } from "./generated.ts"

export interface Shape {
  readonly keys: readonly string[]
  /**
   * Whether the keys can be assigned. `__proto__` cannot, and properties that all objects inherit may be read-only.
   */
  readonly isAssignable: boolean
  /** How often it was found. */
  uses: number
  /** Makes an object of the next values; generated if the shape is found often. */
  build: Builder | undefined
}

interface KnownShape extends Shape {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** A power of 2. A new list replaces the one in the same place. */
const PLACES = 256
/** Longer lists are not kept. */
const LONGEST = 2048

const known: (KnownShape | undefined)[] = Array.from({ length: PLACES })

/** The shape whose keys are these bytes, if it is known. */
export function findShape(bytes: Bytes, view: DataView, start: number, size: number): Shape | undefined {
  const shape = known[placeFor(bytes, start, size)]
  if (shape === undefined || !isSame(shape, view, bytes, start, size)) return undefined
  if (shape.uses < OFTEN && ++shape.uses === OFTEN && shape.isAssignable) shape.build = builderFor(shape.keys)
  return shape
}

/** A new shape. */
export function makeShape(bytes: Bytes, start: number, size: number, keys: readonly string[]): Shape {
  const isAssignable = !keys.some((key) => key in Object.prototype)
  const copy = Uint8Array.from(bytes.subarray(start, start + size))
  const view = new DataView(copy.buffer)
  const shape: KnownShape = { keys, isAssignable, uses: 0, build: undefined, bytes: copy, view }
  if (size <= LONGEST) known[placeFor(bytes, start, size)] = shape
  return shape
}

function placeFor(bytes: Bytes, start: number, size: number): number {
  const middle = bytes[start + (size >> 1)] as number
  const last = bytes[start + size - 1] as number
  return (size * 7 + middle * 31 + last * 3 + (bytes[start] as number)) & (PLACES - 1)
}

function isSame(shape: KnownShape, view: DataView, bytes: Bytes, start: number, size: number): boolean {
  if (shape.bytes.length !== size) return false
  let i = 0
  for (; i + 4 <= size; i += 4) if (shape.view.getInt32(i) !== view.getInt32(start + i)) return false
  for (; i < size; i++) if (shape.bytes[i] !== bytes[start + i]) return false
  return true
}
