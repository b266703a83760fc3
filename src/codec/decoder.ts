import { types } from "#host/values/values"
import { push } from "../primordials.ts"
import { readAttachedView, readBuffer, readFarBuffer, readFarView, readResizableBuffer, readView } from "./binary.ts"
import { ByteReader } from "./bytes/byte-reader.ts"
import { setOwn } from "../user-values.ts"
import { readError } from "./error-data.ts"
import { readCustomInstance, readInstance, readRegisteredShareable, readShareable } from "./instances.ts"
import { GRAPH, type EncodedValue } from "./bytes/encoded-value.ts"
import { readPacked } from "./bytes/packed.ts"
import { readPart } from "./shared-parts.ts"
import { type Shape, findShape, makeShape } from "./shapes.ts"
import {
  ABSENT,
  ATTACHED_VIEW,
  ATTACHMENT,
  BIGINT_64,
  BIGINT_LONG,
  BOXED,
  BUFFER,
  CUSTOM_INSTANCE,
  DATE,
  DICTIONARY,
  ERROR,
  FAR_BUFFER,
  FAR_VIEW,
  INSTANCE,
  MAP,
  OBJECT,
  PACKED_ARRAY,
  REGEXP,
  RESIZABLE_BUFFER,
  SET,
  SHARED_INSTANCE,
  SHARED_OBJECT,
  SHARED_PART,
  SIMILAR_OBJECT,
  SLOTS,
  SMALL_INT,
  SPARSE,
  VIEW,
} from "./bytes/tags.ts"

const MANY_HOLES = 10_000

/** In place of a value that is absent, until it is removed. */
const NOTHING = Symbol("nothing")

/** Reads a value that an Encoder wrote. */
export class Decoder extends ByteReader {
  /** All objects that may be referred to, by number; undefined if the value has no references. */
  #things: (object | undefined)[] | undefined
  readonly #shapes: (Shape | undefined)[] = Array.from({ length: SLOTS })
  /** The round in which each shape was read; shapes of earlier rounds are out of date. */
  readonly #rounds = new Float64Array(SLOTS)
  #round = 0
  /** How many NOTHINGs were read and not removed yet. */
  #absent = 0

  decode(encoded: EncodedValue, attachments: readonly object[], isStrange: boolean): unknown {
    this.begin(encoded, attachments, isStrange)
    this.#things = encoded.kind === GRAPH ? [] : undefined
    this.#round++
    this.#absent = 0
    try {
      const value = this.value()
      if (this.at !== this.end || this.#absent !== 0) this.fail()
      return value
    } finally {
      this.#things = undefined
      this.drop()
    }
  }

  /**
   * The cases are numbers and not names: only then does the engine jump to a case, instead of trying one after the
   * other.
   */
  value(): unknown {
    const tag = this.byte()
    if (tag >= SMALL_INT) return tag - SMALL_INT
    switch (tag) {
      case 1: // UNDEFINED_VALUE
        return undefined
      case 2: // NULL_VALUE
        return null
      case 3: // FALSE_VALUE
        return false
      case 4: // TRUE_VALUE
        return true
      case 5: // INT_VALUE
        return this.view.getInt32(this.pass(4), true)
      case 6: // DOUBLE_VALUE
        return this.double()
      case 9: // LATIN1_TEXT
        return this.latin1()
      case 10: // UTF16_TEXT
        return this.utf16()
      case 12: // ARRAY
        return this.#array()
      case 14: // OBJECT
        return this.#object(this.#readShape())
      case 15: // SIMILAR_OBJECT
        return this.#object(this.#earlierShape())
      case 11: // REFERENCE
        return this.#reference()
      default:
        return this.#rarer(tag)
    }
  }

  #rarer(tag: number): unknown {
    switch (tag) {
      case BIGINT_64:
        return this.view.getBigInt64(this.pass(8), true)
      case BIGINT_LONG:
        return this.#longBigint()
      case DICTIONARY:
        return this.#dictionary(this.#note({}))
      case ABSENT:
        this.#absent++
        return NOTHING
      case MAP:
        return this.#map()
      case SET:
        return this.#set()
      case DATE:
        return this.#note(new Date(this.double()))
      case REGEXP:
        return this.#note(new RegExp(this.text(), this.text()))
      case BOXED:
        return this.#boxed()
      case BUFFER:
        return this.#note(readBuffer(this))
      case RESIZABLE_BUFFER:
        return this.#note(readResizableBuffer(this))
      case VIEW:
        return this.#note(readView(this))
      case PACKED_ARRAY:
        return this.#packed()
      case FAR_BUFFER:
        return this.#note(readFarBuffer(this))
      case FAR_VIEW:
        return this.#note(readFarView(this))
      case ATTACHMENT:
        return this.#note(this.attachment(this.count()))
      case ATTACHED_VIEW:
        return this.#note(readAttachedView(this))
      case ERROR:
        return readError(this)
      case INSTANCE:
        return readInstance(this)
      case CUSTOM_INSTANCE:
        return readCustomInstance(this)
      case SHARED_OBJECT:
        return readShareable(this)
      case SHARED_PART:
        return this.isStrange ? this.fail() : readPart(this)
      case SHARED_INSTANCE:
        return readRegisteredShareable(this)
      default:
        return this.fail()
    }
  }

  // ------------------------------------------------------------------ references

  /** Numbers an object that may be referred to from now on. */
  noted(thing: object): void {
    if (this.#things !== undefined) push(this.#things, thing)
  }

  #note<T extends object>(thing: T): T {
    this.noted(thing)
    return thing
  }

  /** Reserves a number for an object that is made later. */
  expected(): number {
    return this.#things === undefined ? -1 : push(this.#things, undefined) - 1
  }

  arrived(number: number, thing: object): object {
    if (this.#things !== undefined) this.#things[number] = thing
    return thing
  }

  #reference(): object {
    return this.#things?.[this.count()] ?? this.fail()
  }

  // ------------------------------------------------------------------ arrays and objects

  #array(): unknown[] {
    const length = this.count()
    const array: unknown[] = []
    this.noted(array)
    for (let i = 0; i < length; i++) {
      if (this.source[this.at] === SPARSE) {
        this.at++
        this.#sparse(array, length)
        break
      }
      array[i] = this.value()
    }
    return array
  }

  #packed(): number[] {
    const length = this.count()
    const width = this.byte()
    if (width !== 1 && width !== 2 && width !== 4 && width !== 8) this.fail()
    const start = this.pass(length * width)
    const array: number[] = []
    this.noted(array)
    readPacked(this.view, start, array, length, width)
    return array
  }

  #sparse(array: unknown[], length: number): void {
    // First a length for which no engine reserves memory: a few bytes must not cost megabytes.
    if (length > MANY_HOLES) array.length = 2 ** 32 - 1
    array.length = length
    for (let left = this.count(); left > 0; left--) {
      const index = this.count()
      if (index >= length) this.fail()
      array[index] = this.value()
    }
  }

  #object(shape: Shape): object {
    const object: Record<string, unknown> = {}
    if (this.#things === undefined) {
      const { build } = shape
      if (build === undefined) return this.#fill(object, shape)
      const absent = this.#absent
      const built = build(this) as Record<string, unknown>
      if (this.#absent !== absent) this.#removeAbsent(built, shape.keys)
      return built
    }
    push(this.#things, object)
    return this.#fill(object, shape)
  }

  /** Removes members that were deleted while the object was being written. */
  #removeAbsent(object: Record<string, unknown>, keys: readonly string[]): void {
    for (const key of keys) {
      if (object[key] !== NOTHING) continue
      Reflect.deleteProperty(object, key)
      this.#absent--
    }
  }

  /** Reads members into this object, without numbering it. */
  members(object: object): object {
    switch (this.byte()) {
      case OBJECT:
        return this.#fill(object as Record<string, unknown>, this.#readShape())
      case SIMILAR_OBJECT:
        return this.#fill(object as Record<string, unknown>, this.#earlierShape())
      case DICTIONARY:
        return this.#dictionary(object)
      default:
        return this.fail()
    }
  }

  #fill(object: Record<string, unknown>, { keys, isAssignable }: Shape): object {
    const { length } = keys
    const absent = this.#absent
    for (let i = 0; i < length; i++) {
      const key = keys[i] as string
      if (isAssignable) object[key] = this.value()
      else setOwn(object, key, this.value(), true)
    }
    if (this.#absent !== absent) this.#removeAbsent(object, keys)
    return object
  }

  #dictionary(object: object): object {
    for (let left = this.count(); left > 0; left--) {
      const key = this.key()
      if (this.source[this.at] === ABSENT) this.at++
      else setOwn(object, key, this.value(), true)
    }
    return object
  }

  #readShape(): Shape {
    const slot = this.byte()
    const size = this.view.getUint16(this.pass(2), true)
    const start = this.pass(size)
    if (slot >= SLOTS || size === 0) this.fail()
    const shape =
      findShape(this.source, this.view, start, size) ??
      makeShape(this.source, start, size, this.#parseKeys(start, this.at))
    this.#shapes[slot] = shape
    this.#rounds[slot] = this.#round
    return shape
  }

  #earlierShape(): Shape {
    const slot = this.byte()
    const shape = this.#shapes[slot]
    return shape === undefined || this.#rounds[slot] !== this.#round ? this.fail() : shape
  }

  #parseKeys(start: number, end: number): string[] {
    this.at = start
    const keys: string[] = []
    for (let left = this.count(); left > 0; left--) push(keys, this.key())
    if (this.at !== end) this.fail()
    return keys
  }

  // ------------------------------------------------------------------ other things of the language

  #map(): Map<unknown, unknown> {
    const map = this.#note(new Map<unknown, unknown>())
    for (let left = this.count(); left > 0; left--) {
      const key = this.value()
      map.set(key, this.value())
    }
    return map
  }

  #set(): Set<unknown> {
    const set = this.#note(new Set<unknown>())
    for (let left = this.count(); left > 0; left--) set.add(this.value())
    return set
  }

  #boxed(): object {
    const value = this.value()
    if (value == null || typeof value === "object") this.fail()
    const boxed = Object(value) as object
    return types.isBoxedPrimitive(boxed) ? this.#note(boxed) : this.fail()
  }

  #longBigint(): bigint {
    const isNegative = this.byte() === 1
    const value = BigInt(`0x${this.text()}`)
    return isNegative ? -value : value
  }
}
