/**
 * The memory that model threads share: the words allocated during the set-up. It can take back what was done to it,
 * knows a fingerprint of its contents at any time, and learns which words matter between threads.
 */
import { mix, mixOther } from "./fingerprint.ts"
import { type Access, carryOut, isChange, isLong, NOWHERE } from "./operation.ts"

/** Stands for the invariant among the threads that touch a word. */
const OBSERVER = 31

export class Memory {
  /** Where each buffer begins in one long line of addresses, and its name. */
  readonly #regions = new Map<ArrayBufferLike, { base: number; length: number; name: string }>()
  readonly #names = new Map<number, string>()
  #size = 0

  /** The view that was used last, and the address of its first word. */
  #view: Int32Array | undefined
  #first = NOWHERE

  /** What was written, to take it back: three entries each. */
  readonly #changedViews: Int32Array[] = []
  readonly #changedIndices: number[] = []
  readonly #oldValues: number[] = []

  /** The sum, without carry, of a hash for each word that was changed: so a change costs the same in any memory. */
  high = 0
  low = 0

  /** While the invariant is asked: what it reads, it observes between any two steps. */
  observing = false
  /** A word turned out to be contended that was taken for private. All that was explored in that belief is void. */
  hasNews = false

  /** One bit for each thread that touched, or changed, the word at any time in any execution. */
  readonly #touched: number[] = []
  readonly #changed: number[] = []
  readonly #contended: boolean[] = []

  /** Makes these words, and all others of their buffer, memory of the model. */
  adopt(words: Int32Array): void {
    if (this.#regions.has(words.buffer)) return
    const length = words.buffer.byteLength / 4
    this.#regions.set(words.buffer, { base: this.#size, length, name: `memory${this.#regions.size}` })
    this.#size += length
    // The view may have been looked up before.
    this.#view = undefined
  }

  name(words: Int32Array, label: string, fields: Readonly<Record<string, number>> = {}): void {
    this.adopt(words)
    for (let index = 0; index < words.length; index++)
      this.#names.set(this.addressOf(words, index), words.length === 1 ? label : `${label}[${index}]`)
    for (const [field, index] of Object.entries(fields))
      this.#names.set(this.addressOf(words, index), `${label}.${field}`)
  }

  nameOf(address: number): string {
    const given = this.#names.get(address)
    if (given !== undefined) return given
    for (const { base, length, name } of this.#regions.values())
      if (address < base + length) return `${name}[${address - base}]`
    return `word ${address}`
  }

  /** {@link NOWHERE} if the words are not of the model. */
  addressOf(words: Int32Array, index: number): number {
    if (words !== this.#view) {
      const region = this.#regions.get(words.buffer)
      this.#view = words
      this.#first = region === undefined ? NOWHERE : region.base + words.byteOffset / 4
    }
    return this.#first === NOWHERE ? NOWHERE : this.#first + index
  }

  /** Carries out an access so that it can be taken back. It changed something if {@link changes} has grown. */
  access(code: Access, words: Int32Array, index: number, a: number, b: number, address: number): number {
    const before = words[index] as number
    const second = isLong(code) ? (words[index + 1] as number) : 0
    const result = carryOut(code, words, index, a, b)
    this.#note(words, index, before, address)
    if (isLong(code)) this.#note(words, index + 1, second, address + 1)
    return result
  }

  #note(words: Int32Array, index: number, before: number, address: number): void {
    const after = words[index] as number
    if (before === after) return
    this.#changedViews.push(words)
    this.#changedIndices.push(index)
    this.#oldValues.push(before)
    this.#rehash(address, before, after)
  }

  /** As {@link access}, from no thread: set-up, invariant, final check. */
  accessOutside(code: Access, words: Int32Array, index: number, a: number, b: number, address: number): number {
    if (this.observing) this.touch(OBSERVER, address, "load")
    return this.access(code, words, index, a, b, address)
  }

  /** How many changes can be taken back. */
  get changes(): number {
    return this.#oldValues.length
  }

  /** Takes back all changes but so many. */
  takeBack(changes: number): void {
    while (this.#oldValues.length > changes) {
      const words = this.#changedViews.pop() as Int32Array
      const index = this.#changedIndices.pop() as number
      const before = this.#oldValues.pop() as number
      this.#rehash(this.addressOf(words, index), words[index] as number, before)
      words[index] = before
    }
  }

  #rehash(address: number, before: number, after: number): void {
    this.high ^= mix(mix(1, address), before) ^ mix(mix(1, address), after)
    this.low ^= mixOther(mixOther(1, address), before) ^ mixOther(mixOther(1, address), after)
  }

  /** Takes note that a thread touches a word. It is contended if two touch it and one of them changes it. */
  touch(thread: number, address: number, code: Access | "wait" | "listen" | "notify"): void {
    const touched = (this.#touched[address] ?? 0) | (1 << thread)
    const changed = (this.#changed[address] ?? 0) | (isChange(code) ? 1 << thread : 0)
    this.#touched[address] = touched
    this.#changed[address] = changed
    const several = (touched & (touched - 1)) !== 0
    if (!several || changed === 0 || this.isContended(address)) return
    this.#contended[address] = true
    this.hasNews = true
  }

  isContended(address: number): boolean {
    return this.#contended[address] === true
  }
}
