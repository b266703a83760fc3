/** Whether two values are equal in depth, as `deepEqual` of node:assert/strict has it. Weak collections and promises equal themselves alone. */

/** The pairs that are being compared, further out: a circle in one has to be one in the other. */
type Pairs = Map<object, object>

export function isDeepStrictEqual(a: unknown, b: unknown): boolean {
  return areEqual(a, b, new Map())
}

function areEqual(a: unknown, b: unknown, pairs: Pairs): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false
  if (kindOf(a) !== kindOf(b)) return false
  if (pairs.has(a)) return pairs.get(a) === b
  pairs.set(a, b)
  const equal = areInsidesEqual(a, b, pairs) && arePropertiesEqual(a, b, pairs)
  pairs.delete(a)
  return equal
}

function kindOf(value: object): string {
  return Array.isArray(value) ? "array" : Object.prototype.toString.call(value)
}

/** What an object has besides its properties. */
function areInsidesEqual(a: object, b: object, pairs: Pairs): boolean {
  if (a instanceof Date) return Object.is(a.getTime(), (b as Date).getTime())
  if (a instanceof RegExp) return areRegExpsEqual(a, b as RegExp)
  if (a instanceof Error) return areErrorsEqual(a, b as Error, pairs)
  if (a instanceof Map) return b instanceof Map && areMapsEqual(a, b, pairs)
  if (a instanceof Set) return b instanceof Set && areMapsEqual(entriesOf(a), entriesOf(b), pairs)
  if (a instanceof WeakMap || a instanceof WeakSet || a instanceof Promise) return false
  if (Array.isArray(a)) return a.length === (b as unknown[]).length
  if (ArrayBuffer.isView(a)) return areBytesEqual(bytesOf(a), bytesOf(b as ArrayBufferView))
  if (isBuffer(a)) return areBytesEqual(new Uint8Array(a), new Uint8Array(b as ArrayBuffer))
  return ["Number", "String", "Boolean", "Symbol", "BigInt"].every(
    (name) => kindOf(a) !== `[object ${name}]` || Object.is(a.valueOf(), b.valueOf()),
  )
}

function areRegExpsEqual(a: RegExp, b: RegExp): boolean {
  return a.source === b.source && a.flags === b.flags && a.lastIndex === b.lastIndex
}

/** Their texts are not enumerable. */
function areErrorsEqual(a: Error, b: Error, pairs: Pairs): boolean {
  if (a.message !== b.message || a.name !== b.name) return false
  if (Object.hasOwn(a, "cause") !== Object.hasOwn(b, "cause") || !areEqual(a.cause, b.cause, pairs)) return false
  const [errors, others] = [a, b].map((error) => (error as { errors?: unknown }).errors)
  return Object.hasOwn(a, "errors") === Object.hasOwn(b, "errors") && areEqual(errors, others, pairs)
}

function entriesOf(set: ReadonlySet<unknown>): Map<unknown, unknown> {
  return new Map(Array.from(set, (element) => [element, true]))
}

/** In any order; a key that is an object may stand for one that is equal to it. */
function areMapsEqual(a: Map<unknown, unknown>, b: Map<unknown, unknown>, pairs: Pairs): boolean {
  if (a.size !== b.size) return false
  const left = new Map(b)
  return [...a].every(([key, value]) => {
    const match = left.has(key)
      ? key
      : [...left.keys()].find(
          (other) =>
            typeof other === "object" && areEqual(key, other, pairs) && areEqual(value, left.get(other), pairs),
        )
    if (!left.has(match) || !areEqual(value, left.get(match), pairs)) return false
    return left.delete(match)
  })
}

function isBuffer(value: object): value is ArrayBuffer {
  return /^\[object (?:Shared)?ArrayBuffer\]$/.test(kindOf(value))
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function areBytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

function arePropertiesEqual(a: object, b: object, pairs: Pairs): boolean {
  const [keys, others] = [propertiesOf(a), propertiesOf(b)]
  if (keys.length !== others.length) return false
  return keys.every((key) => others.includes(key) && areEqual(Reflect.get(a, key), Reflect.get(b, key), pairs))
}

/** Enumerable ones; those of views are their bytes, which are compared already. */
function propertiesOf(object: object): (string | symbol)[] {
  const symbols = Object.getOwnPropertySymbols(object).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(object, key),
  )
  const names = ArrayBuffer.isView(object) && !(object instanceof DataView) ? [] : Object.keys(object)
  return [...names, ...symbols]
}
