/** The parts of a ChunkedList: chunks of slots, and places in them. */

/** What became of a chunk. */
export type Fate = typeof IN_USE | typeof LEFT_HEAD | typeof LEFT_TAIL | typeof INHERITED
const IN_USE = 0
export const LEFT_HEAD = 1
export const LEFT_TAIL = 2
export const INHERITED = 3

export class Chunk<E> {
  readonly items: (E | undefined)[]
  /** Empty slots between the elements. */
  holes = 0
  before: Chunk<E> | undefined
  after: Chunk<E> | undefined

  /** How often the list has begun anew in this chunk. A place of an earlier round is void. */
  round = 0

  fate: Fate = IN_USE
  /** If INHERITED: slot `i` went to the heir's slot `base` plus the number of elements before `i`. */
  heir: Chunk<E> | undefined
  heirRound = 0
  base = 0

  constructor(items: (E | undefined)[]) {
    this.items = items
  }

  /** Elements of an inner chunk. */
  get count(): number {
    return this.items.length - this.holes
  }

  /** Cuts the links of a dropped chunk: in the garbage collector's old generation it would keep young chunks alive. */
  unlink(): void {
    if (this.before !== undefined) this.before.after = this.after
    if (this.after !== undefined) this.after.before = this.before
    this.before = this.after = undefined
  }

  inherit(heir: Chunk<E>, base: number): void {
    this.fate = INHERITED
    this.heir = heir
    this.heirRound = heir.round
    this.base = base
  }
}

/** Puts one chunk in the place of two neighbours. They keep their items: old places are translated by them. */
export function join<E>(left: Chunk<E>, right: Chunk<E>): void {
  const heir = new Chunk<E>([...left.items, ...right.items].filter((item) => item !== undefined))
  right.inherit(heir, left.count)
  right.unlink()
  heir.before = left
  heir.after = left.after
  if (left.after !== undefined) left.after.before = heir
  left.after = heir
  left.inherit(heir, 0)
  left.unlink()
}

/** A slot, or the border before it. */
export class Place<E> {
  chunk: Chunk<E>
  slot: number
  round: number

  constructor(chunk: Chunk<E>, slot: number, round: number = chunk.round) {
    this.chunk = chunk
    this.slot = slot
    this.round = round
  }

  set(chunk: Chunk<E>, slot: number, round: number): void {
    this.chunk = chunk
    this.slot = slot
    this.round = round
  }
}

/** Longer chunks save nothing more. */
export const LARGEST = 512

/** Holds `undefined` rather than holes, so that the engine need not change the array's representation. */
const blank: readonly undefined[] = /* @__PURE__ */ Array.from({ length: LARGEST }, () => undefined)

/** Empty slots. Copying ready ones is several times faster than filling new ones. */
export function slots<E>(length: number): (E | undefined)[] {
  return blank.slice(0, length)
}

/** How many elements lie before a slot. */
export function elementsBefore(items: readonly unknown[], slot: number): number {
  let count = 0
  for (let i = 0; i < slot; i++) if (items[i] !== undefined) count++
  return count
}
