/**
 * The arrays that threads can work on together: typed arrays over shared memory. Other typed arrays are copied into
 * such memory, and the result is copied back on success.
 *
 * The alternative was to refuse them. But a user who wants a plain Float64Array sorted would then write these very
 * copies, which take a hundredth of the time of sorting.
 */
import { types } from "#host/values/values"
import { typeError } from "../checks.ts"
import { kindOfTypedArray } from "../codec/bytes/views.ts"
import { isSharedBuffer, sharedBytes } from "../memory/shared/shareables.ts"

/** Arrays of numbers. */
export type NumberArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array

/** Arrays of bigints. */
export type BigIntArray = BigInt64Array | BigUint64Array

/** The arrays that parallel algorithms work on. */
export type TypedArray = NumberArray | BigIntArray

/** The type of the elements of such an array. */
export type ElementOf<A extends TypedArray> = A extends BigIntArray ? bigint : number

/** Any of them, for code that need not know the type of the elements. */
export interface Elements<E = unknown> {
  [index: number]: E
  readonly length: number
  readonly BYTES_PER_ELEMENT: number
  subarray(from: number, to: number): Elements<E>
  set(elements: Elements<E>, at?: number): void
  fill(value: E, from?: number, to?: number): this
  sort(compare?: (a: E, b: E) => number): this
}

interface ElementsClass {
  readonly BYTES_PER_ELEMENT: number
  new (memory: ArrayBufferLike, offset: number, length: number): Elements
  new (length: number): Elements
}

/** The kind of the array: "Float64Array". */
export function kindOf(array: object): string {
  return kindOfTypedArray(array) as string
}

function classOf(kind: string): ElementsClass {
  return (globalThis as unknown as Record<string, ElementsClass>)[kind] as ElementsClass
}

export function isTypedArray(value: unknown): value is TypedArray {
  return types.isTypedArray(value)
}

export function requireTypedArray<A>(name: string, value: A): A & Elements {
  if (!isTypedArray(value)) throw typeError(name, "a typed array", value)
  return value as A & Elements
}

/** A new array of that kind, over shared memory. All 0. */
export function newShared(kind: string, length: number): Elements {
  const type = classOf(kind)
  return new type(sharedBytes(length * type.BYTES_PER_ELEMENT), 0, length)
}

/** The same for ordinary memory. */
export function newOrdinary(kind: string, length: number): Elements {
  return new (classOf(kind))(length)
}

export function isShared(array: object): boolean {
  return isSharedBuffer(array)
}

/** The array, or a copy that threads can share. */
export function shared(array: Elements): Elements {
  if (isShared(array)) return array
  const copy = newShared(kindOf(array), array.length)
  copy.set(array)
  return copy
}
