import { types } from "#host/values/values"
import { push } from "../primordials.ts"
import { writeBuffer, writeView } from "./binary.ts"
import type { Bulk } from "./bytes/bulk.ts"
import { LOCAL, type Part, PART } from "../memory/shared/shareables.ts"
import { classify } from "./classification.ts"
import { writeError } from "./error-data.ts"
import { describe, isNamespace } from "./foreign.ts"
import { writeForeign, writeInstance, writeShareable } from "./instances.ts"
import { OFTEN, writerFor } from "./generated.ts"
import { areEqual, type KeyList, nothingYet, slotFor } from "./key-lists.ts"
import { bigintOf, booleanOf, forEachElement, forEachEntry, numberOf, stringOf, timeOf } from "./kept-methods.ts"
import { GRAPH, type EncodedValue, TREE } from "./bytes/encoded-value.ts"
import { widthOf } from "./bytes/packed.ts"
import { registeredFor } from "./revival.ts"
import { writePart } from "./shared-parts.ts"
import {
  ABSENT,
  ARRAY,
  BOXED,
  DATE,
  DICTIONARY,
  FALSE_VALUE,
  MAP,
  NULL_VALUE,
  OBJECT,
  PACKED_ARRAY,
  REGEXP,
  SET,
  SIMILAR_OBJECT,
  SLOTS,
  SPARSE,
  TRUE_VALUE,
  UNDEFINED_VALUE,
} from "./bytes/tags.ts"
import { type Step, TrackingWriter } from "./tracking-writer.ts"

/** An object with more keys is likely to be the only one with these keys. */
const MOST_KEYS = 64

/**
 * Writes a value as tagged bytes, in one pass. It copies what `structuredClone` copies, with the same result;
 * exceptions are noted where they are made.
 *
 * How it works. Every object that may be referred to again is numbered when it is met. The keys of an object are
 * written before its values, so that the decoder can look up the whole list at once; an object with the same keys as an
 * earlier one refers to that list.
 *
 * User code runs in between: getters, `encode` of registered classes. It may use another encoder, and change the object
 * that is being written. It may spoil its own value, but never the bytes.
 */
export class Encoder extends TrackingWriter {
  /** The list of keys that was written last, by slot. */
  readonly #lists: KeyList[] = Array.from({ length: SLOTS }, () => nothingYet)

  /** Throws NotSerializableError, and any error of a getter. */
  encode(
    encoded: EncodedValue,
    value: unknown,
    name: string,
    attachments?: object[],
    transfer?: ReadonlySet<object>,
    bulk?: Bulk,
  ): void {
    this.start(encoded, attachments, transfer, bulk)
    let isDone = false
    try {
      this.value(value, name)
      if (bulk?.isWhole === false) this.refuse(value, "was changed while it was being copied: a buffer is gone")
      encoded.seal(this.hasReferences ? GRAPH : TREE, this.at)
      isDone = true
    } finally {
      this.end(isDone)
    }
  }

  value(value: unknown, step: Step): void {
    switch (typeof value) {
      case "number":
        this.number(value)
        break
      case "string":
        this.text(value)
        break
      case "object":
        if (value === null) this.byte(NULL_VALUE)
        else {
          this.path[this.depth++] = step
          this.#object(value)
          this.depth--
        }
        break
      case "boolean":
        this.byte(value ? TRUE_VALUE : FALSE_VALUE)
        break
      case "undefined":
        this.byte(UNDEFINED_VALUE)
        break
      case "bigint":
        this.bigint(value)
        break
      default:
        this.path[this.depth++] = step
        this.refuse(value, "cannot be copied")
    }
  }

  #object(value: object): void {
    if (this.isReference(value)) return
    if (types.isProxy(value)) this.refuse(value, "is a proxy, which cannot be copied")
    if (this.isTransferred(value)) writeForeign(this, value)
    else if (Array.isArray(value)) this.#array(value)
    else {
      const prototype = Object.getPrototypeOf(value) as object | null
      if (prototype === Object.prototype) this.#plain(value)
      else if (prototype === Date.prototype) this.#date(value as Date)
      else if (ArrayBuffer.isView(value)) writeView(this, value)
      else this.#special(value, prototype)
    }
  }

  #special(value: object, prototype: object | null): void {
    const registered = prototype === null ? undefined : registeredFor(prototype)
    if (registered !== undefined && (registered.encode !== undefined || !(value instanceof Error))) {
      writeInstance(this, value, registered)
      return
    }
    switch (classify(value, prototype)) {
      case "plain":
        this.#plain(value)
        break
      case "map":
        this.#map(value as Map<unknown, unknown>)
        break
      case "set":
        this.#set(value as Set<unknown>)
        break
      case "date":
        this.#date(value as Date)
        break
      case "regexp":
        this.begun(value, REGEXP)
        this.text((value as RegExp).source)
        this.text((value as RegExp).flags)
        break
      case "buffer":
        writeBuffer(this, value as ArrayBuffer)
        break
      case "error":
        writeError(this, value as Error)
        break
      case "boxed":
        this.#boxed(value)
        break
      case "shareable":
        writeShareable(this, value as { readonly handle: unknown })
        break
      case "part":
        writePart(this, value as { readonly [PART]: Part })
        break
      case "local":
        return this.refuse(value, (value as { readonly [LOCAL]: string })[LOCAL])
      case "promise":
        return this.refuse(value, "cannot be copied: await it first")
      case "foreign":
        writeForeign(this, value)
        break
    }
  }

  // ------------------------------------------------------------------ arrays and objects

  /** Only the elements: finding out whether an array has other properties takes longer than writing it. */
  #array(array: readonly unknown[]): void {
    const { length } = array
    this.noted(array)
    if (this.#packed(array)) return
    this.byte(ARRAY)
    this.count(length)
    for (let i = 0; i < length; i++) {
      const element = array[i]
      if (element === undefined && !Object.hasOwn(array, i)) {
        this.#sparse(array, i, length)
        return
      }
      if (typeof element === "number") this.number(element)
      else this.value(element, i)
    }
  }

  #packed(array: readonly unknown[]): boolean {
    const width = widthOf(array)
    if (width === 0) return false
    const start = this.at
    this.byte(PACKED_ARRAY)
    this.count(array.length)
    this.byte(width)
    if (this.packed(array, width)) return true
    this.at = start
    return false
  }

  /** From the first hole on. There may be billions of them. */
  #sparse(array: readonly unknown[], start: number, length: number): void {
    const indices: number[] = []
    for (const key of Object.keys(array)) {
      const index = Number(key)
      if (index >= start && index < length && String(index) === key) push(indices, index)
    }
    this.byte(SPARSE)
    this.count(indices.length)
    for (const index of indices) {
      this.count(index)
      this.value(array[index], index)
    }
  }

  #plain(object: object): void {
    const keys = Object.keys(object)
    // `arguments` and namespaces such as Math look like plain objects, but have no own members that count; so does
    // globalThis on Bun.
    if (keys.length === 0 ? Reflect.ownKeys(object).length > 0 : keys[0] === "0" || object === globalThis) {
      this.#requirePlain(object)
    }
    this.noted(object)
    this.members(object, keys)
  }

  #requirePlain(object: object): void {
    if (types.isArgumentsObject(object)) this.refuse(object, "cannot be copied: it is `arguments`")
    if (isNamespace(object) || object === globalThis) this.refuse(object, "cannot be copied", describe(object))
  }

  /** Writes the members with these keys. The caller has numbered the object. */
  members(object: object, keys: readonly string[]): void {
    const list = this.#writeKeys(keys)
    if (list === undefined) this.#dictionary(object as Members, keys)
    else if (list.write !== undefined) list.write(this, object)
    else for (const key of keys) this.member(object, (object as Members)[key], key)
  }

  /** A value that is read as undefined may be undefined, or may have been deleted. */
  member(object: object, value: unknown, key: string): void {
    if (value === undefined) this.byte(Object.hasOwn(object, key) ? UNDEFINED_VALUE : ABSENT)
    else this.value(value, key)
  }

  #dictionary(object: Members, keys: readonly string[]): void {
    this.byte(DICTIONARY)
    this.count(keys.length)
    for (const key of keys) {
      this.key(key)
      this.member(object, object[key], key)
    }
  }

  /** Undefined, with nothing written, if the keys are too many for this form. */
  #writeKeys(keys: readonly string[]): KeyList | undefined {
    if (keys.length > MOST_KEYS) return undefined
    const slot = slotFor(keys)
    const list = this.#lists[slot] as KeyList
    if (!areEqual(list.keys, keys)) {
      if (!this.#spellKeys(slot, keys)) return undefined
      return (this.#lists[slot] = { keys, round: this.round, bytes: undefined, uses: 0, write: undefined })
    }
    if (list.uses < OFTEN && ++list.uses === OFTEN) list.write = writerFor(keys)
    if (list.round === this.round) {
      this.byte(SIMILAR_OBJECT)
      this.byte(slot)
      return list
    }
    if (list.bytes === undefined) {
      const start = this.at
      this.#spellKeys(slot, keys)
      list.bytes = this.bytesFrom(start)
    } else this.bytes(list.bytes)
    list.round = this.round
    return list
  }

  #spellKeys(slot: number, keys: readonly string[]): boolean {
    const start = this.at
    this.byte(OBJECT)
    this.byte(slot)
    this.byte(0)
    this.byte(0)
    this.count(keys.length)
    for (let i = 0; i < keys.length; i++) this.key(keys[i] as string)
    const size = this.at - start - 4
    if (size > 0xffff) {
      this.at = start
      return false
    }
    this.patchShort(start + 2, size)
    return true
  }

  // ------------------------------------------------------------------ other things of the language

  #date(date: Date): void {
    const time = timeOf(date) // throws if it is none
    this.begun(date, DATE)
    this.double(time)
  }

  #map(map: ReadonlyMap<unknown, unknown>): void {
    // Collects all entries first, as a getter in one of them may change the map.
    const entries: unknown[] = []
    forEachEntry(map, (value, key) => push(entries, key, value))
    this.begun(map, MAP)
    this.count(entries.length / 2)
    for (const inner of entries) this.value(inner, "get(…)")
  }

  #set(set: ReadonlySet<unknown>): void {
    const elements: unknown[] = []
    forEachElement(set, (element) => push(elements, element))
    this.begun(set, SET)
    this.count(elements.length)
    for (const element of elements) this.value(element, "(…)")
  }

  #boxed(value: object): void {
    if (types.isSymbolObject(value)) this.refuse(value, "cannot be copied")
    this.begun(value, BOXED)
    this.value(unboxed(value), "valueOf()")
  }
}

type Members = Record<string, unknown>

function unboxed(value: object): unknown {
  if (types.isNumberObject(value)) return numberOf(value)
  if (types.isStringObject(value)) return stringOf(value)
  if (types.isBooleanObject(value)) return booleanOf(value)
  return bigintOf(value)
}
