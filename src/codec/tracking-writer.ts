import { OwnMap, push } from "../primordials.ts"
import { show } from "../checks.ts"
import { NotSerializableError } from "../errors.ts"
import { type Bulk, BULKY } from "./bytes/bulk.ts"
import { ByteWriter } from "./bytes/byte-writer.ts"
import { type EncodedValue, requireShort } from "./bytes/encoded-value.ts"
import { REFERENCE } from "./bytes/tags.ts"

/** A step from an object to a value in it. */
export type Step = string | number

/** Up to this many objects are searched one by one. */
const FEW = 16

/** How many steps of the way to a value an error message shows. */
const SHOWN_STEPS = 12

/**
 * Remembers, while a value is written, the way to the current place, the objects that were met, and the attachments.
 *
 * While only a few objects were met, they are searched one by one, which is faster than any map.
 */
export class TrackingWriter extends ByteWriter {
  /** The way to the current place; first the name of the value itself. */
  protected readonly path: Step[] = []
  protected depth = 0
  protected hasReferences = false
  /** Lists of keys written in an earlier round cannot be referred to. */
  protected round = 0
  readonly #seen: (object | undefined)[] = Array.from({ length: FEW })
  /** Used instead of #seen when there are more. */
  #numbers: Map<object, number> | undefined
  #count = 0
  #attachments: object[] | undefined
  #attachedBefore = 0
  #transfer: ReadonlySet<object> | undefined
  #bulk: Bulk | undefined

  protected start(encoded: EncodedValue, attachments?: object[], transfer?: ReadonlySet<object>, bulk?: Bulk): void {
    this.begin(encoded)
    this.depth = 0
    this.round++
    this.#attachments = attachments
    this.#attachedBefore = attachments?.length ?? 0
    this.#transfer = transfer
    this.#bulk = bulk
  }

  /** Drops everything; also the attachments, if the value could not be written. */
  protected end(isDone: boolean): void {
    if (!isDone && this.#attachments !== undefined) this.#attachments.length = this.#attachedBefore
    for (let i = Math.min(this.#count, FEW) - 1; i >= 0; i--) this.#seen[i] = undefined
    this.#count = 0
    this.#numbers = undefined
    this.hasReferences = false
    this.#attachments = undefined
    this.#transfer = undefined
    this.#bulk = undefined
  }

  /** The current place, or the place of the failure, as a part of a sentence. */
  get place(): string {
    const isLong = this.depth > SHOWN_STEPS
    const [name = "", ...steps] = this.path.slice(0, isLong ? SHOWN_STEPS : this.depth)
    const shown = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("")
    const text = `${name}${shown}${isLong ? "…" : ""}`
    return text === "" ? "" : ` in \`${text.replace(/^\./, "")}\``
  }

  refuse(value: unknown, why: string, what: string = show(value)): never {
    throw new NotSerializableError(`${what.charAt(0).toUpperCase()}${what.slice(1)}${this.place} ${why}`)
  }

  // ------------------------------------------------------------------ the objects that were met

  /** Writes a reference, if the object was met before; false if not. */
  protected isReference(value: object): boolean {
    const number = this.#numberOf(value)
    if (number === -1) return false
    this.hasReferences = true
    this.byte(REFERENCE)
    this.count(number)
    return true
  }

  #numberOf(value: object): number {
    if (this.#numbers !== undefined) return this.#numbers.get(value) ?? -1
    const count = this.#count
    for (let i = 0; i < count; i++) if (this.#seen[i] === value) return i
    return -1
  }

  /** Numbers an object that may be referred to from now on. */
  noted(value: object): void {
    const count = this.#count++
    if (this.#numbers !== undefined) this.#numbers.set(value, count)
    else if (count < FEW) this.#seen[count] = value
    else {
      this.#numbers = new OwnMap(this.#seen.map((thing, i) => [thing as object, i]))
      this.#numbers.set(value, count)
    }
  }

  /** The same, and writes its tag. */
  begun(value: object, tag: number): void {
    this.noted(value)
    this.byte(tag)
  }

  /** Calls `write`. If it throws, undoes all that it has written, numbered and attached. */
  attempt(write: () => void): void {
    const { at, depth } = this
    const count = this.#count
    const attached = this.#attachments?.length ?? 0
    const bulky = this.#bulk?.count ?? 0
    try {
      write()
    } catch {
      // The caller's contract says that it may be missing; the reason is not reported.
      this.at = at
      this.depth = depth
      this.round++
      this.#forget(count)
      if (this.#attachments !== undefined) this.#attachments.length = attached
      this.#bulk?.cut(bulky)
    }
  }

  /** Forgets all but the first so many objects. */
  #forget(count: number): void {
    if (this.#numbers === undefined) this.#seen.fill(undefined, count)
    else for (const [thing, number] of this.#numbers) if (number >= count) this.#numbers.delete(thing)
    this.#count = count
  }

  // ------------------------------------------------------------------ attachments and bulk

  get takesAttachments(): boolean {
    return this.#attachments !== undefined
  }

  /** The number of the attachment; −1 if the caller takes none. */
  attach(thing: object): number {
    const attachments = this.#attachments
    if (attachments === undefined) return -1
    const index = attachments.indexOf(thing)
    return index === -1 ? push(attachments, thing) - 1 : index
  }

  /** Puts the bytes beside the encoded value, if they are long enough; false if they have to be written. */
  setAside(bytes: Uint8Array, size: number): boolean {
    if (size < BULKY || this.#bulk === undefined) return false
    requireShort(this.at + this.#bulk.size + size)
    this.#bulk.add(bytes, size)
    return true
  }

  /** Whether it is to be moved, not copied. */
  isTransferred(thing: object): boolean {
    return this.#transfer !== undefined && this.#transfer.has(thing)
  }
}
