/**
 * Recognises built-in objects, such as maps and dates. If the prototypes of a value contain the class, a getter or a
 * method of the class tells whether the value is genuine. A built-in object whose prototype was replaced counts as an
 * ordinary object. Proxies cannot be recognised.
 */
import { getterOf, isInstanceOf, methodOf } from "../../../primordials.ts"
import { SharedMemoryClass } from "../runtime/shared-memory.ts"

const tagOf = methodOf(Object.prototype, "toString") as unknown as (value: unknown) => string

const isEnumerable = methodOf(Object.prototype, "propertyIsEnumerable")

type Test = (value: unknown) => boolean

/** By a function that throws for all other values. */
function brand(type: object, read: (value: never) => unknown): Test {
  return (value) => {
    if (typeof value !== "object" || value === null || !isInstanceOf(type, value)) return false
    try {
      read(value as never)
      return true
    } catch {
      return false
    }
  }
}

const TypedArray = Object.getPrototypeOf(Uint8Array) as { readonly prototype: object }
const nameOfTypedArray = getterOf(TypedArray.prototype, Symbol.toStringTag)

const isArrayBuffer = brand(ArrayBuffer, getterOf(ArrayBuffer.prototype, "byteLength"))
const isSharedArrayBuffer = brand(SharedMemoryClass, getterOf(SharedMemoryClass.prototype, "byteLength"))
const isNumberObject = brand(Number, methodOf(Number.prototype, "valueOf"))
const isStringObject = brand(String, methodOf(String.prototype, "valueOf"))
const isBooleanObject = brand(Boolean, methodOf(Boolean.prototype, "valueOf"))
const isSymbolObject = brand(Symbol, methodOf(Symbol.prototype, "valueOf"))
const isBigIntObject = brand(BigInt, methodOf(BigInt.prototype, "valueOf"))
const { isError } = Error as { isError?: Test }

const isNativeError: Test = isError ?? ((value) => isInstanceOf(Error, value) || isTagged(value, "Error"))
const isDate = brand(Date, methodOf(Date.prototype, "getTime"))
/** The flags of a RegExp are read by getters, which also take the prototype. */
const isRegExp = brand(RegExp, getterOf(RegExp.prototype, "global"))
const isMap = brand(Map, getterOf(Map.prototype, "size"))
const isSet = brand(Set, getterOf(Set.prototype, "size"))
const isBoxedPrimitive: Test = (value) =>
  isNumberObject(value) ||
  isStringObject(value) ||
  isBooleanObject(value) ||
  isSymbolObject(value) ||
  isBigIntObject(value)

/** As those of Node. */
export const types: Readonly<Record<string, Test>> = {
  isArrayBuffer,
  isSharedArrayBuffer,
  isAnyArrayBuffer: (value) => isArrayBuffer(value) || isSharedArrayBuffer(value),
  isTypedArray: (value) => ArrayBuffer.isView(value) && nameOfTypedArray(value) !== undefined,
  isArgumentsObject: (value) => isTagged(value, "Arguments"),
  isGeneratorObject: (value) => isTagged(value, "Generator") || isTagged(value, "AsyncGenerator"),
  isModuleNamespaceObject: (value) => isTagged(value, "Module") && Object.getPrototypeOf(value) === null,
  isNativeError,
  isDate,
  isRegExp,
  isMap,
  isSet,
  isPromise: (value) => isInstanceOf(Promise, value),
  isNumberObject,
  isStringObject,
  isBooleanObject,
  isSymbolObject,
  isBoxedPrimitive,
  isProxy: () => false,
  isKeyObject: () => false,
}

function isTagged(value: unknown, tag: string): boolean {
  return typeof value === "object" && value !== null && tagOf(value) === `[object ${tag}]`
}

/** Whether two values have the same type and the same contents. */
export function isDeepStrictEqual(one: unknown, other: unknown, pairs: Map<unknown, unknown> = new Map()): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  if (pairs.get(one) === other) return true // a circle, which is compared further out
  pairs.set(one, other)
  const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b, pairs)
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other) || tagOf(one) !== tagOf(other)) return false
  if (isDate(one) && !same(Number(one), Number(other))) return false
  if ((isRegExp(one) || isBoxedPrimitive(one)) && !same(`${one as RegExp}`, `${other as RegExp}`)) return false
  if (isArrayBuffer(one) || isSharedArrayBuffer(one)) {
    return same(new Uint8Array(one as ArrayBuffer), new Uint8Array(other as ArrayBuffer))
  }
  if (isMap(one) || isSet(one)) {
    const [left, right] = [one as Map<unknown, unknown>, other as Map<unknown, unknown>]
    if (left.size !== right.size) return false
    const rest = [...right]
    for (const entry of left) {
      const at = rest.findIndex((each) => same(entry, each))
      if (at === -1) return false
      rest.splice(at, 1)
    }
  }
  if (isNativeError(one)) {
    const [left, right] = [one as Error, other as Error]
    if (left.message !== right.message || left.name !== right.name) return false
  }
  const keys = Reflect.ownKeys(one).filter((key) => isEnumerable(one, key))
  const others = Reflect.ownKeys(other).filter((key) => isEnumerable(other, key))
  return (
    keys.length === others.length &&
    keys.every((key) => others.includes(key) && same(Reflect.get(one, key), Reflect.get(other, key)))
  )
}
