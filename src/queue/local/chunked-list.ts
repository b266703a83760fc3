import {
  Chunk,
  elementsBefore,
  INHERITED,
  join,
  LARGEST,
  LEFT_HEAD,
  LEFT_TAIL,
  Place,
  slots,
  type Fate,
} from "./chunk.ts"
import type { Cursor } from "./iteration.ts"

/** The length of the first chunk: small, because most queues are. */
const SMALLEST = 32

/** Two inner neighbours with no more elements than this, half of the largest, become one. */
const SPARSE = 256

/**
 * A list with two ends that costs about eight bytes per element: the array-like and linked queues keep their elements
 * in it. Adding and removing at either end is O(1) and touches one array slot.
 *
 * How it works
 *
 * Elements lie in chunks, doubly linked, each an array of up to {@link LARGEST} slots. An empty slot holds
 * `undefined`, which no queue accepts as an element.
 *
 *     head                                     tail
 *     [ . . a b c d ]  <->  [ e . f g h i ]  <->  [ j k l . . . ]
 *           ^ first             ^ a hole               ^ last
 *
 * - `first` is the slot of the first element in the head chunk, `last` the slot behind the last one in the
 *   tail chunk. Both neighbours are elements: holes lie only between elements, never at an end.
 * - Every chunk but the head begins at slot 0, every chunk but the tail ends with its array.
 * - A chunk that empties at an end is dropped at once. An inner chunk without elements is dropped too, and
 *   two inner neighbours with few elements become one: so holes are at most a constant factor more than elements.
 * - When the last element is removed, the list begins anew at slot 0 of the one chunk that is left: a queue that is
 *   filled and emptied in turn allocates nothing.
 *
 * Why no ring buffer: growing one copies everything at once, it never shrinks by itself, and taking an
 * element out of its middle moves half of it.
 *
 * A cursor remembers a place by chunk and slot. Chunks may be dropped between two steps of a cursor. So a dropped chunk
 * records where its places went: to the head (everything up to here was removed), to the tail (everything from here on
 * was removed), or to its heir, the chunk that took over its remaining elements.
 */
export class ChunkedList<E> {
  #head: Chunk<E>
  #tail: Chunk<E>
  #first = 0
  #last = 0
  #size = 0

  /** The array of a long chunk that was dropped: a stack that grows and shrinks across a border reuses it. */
  #spare: (E | undefined)[] | undefined

  constructor() {
    this.#head = this.#tail = new Chunk<E>(slots(SMALLEST))
  }

  get size(): number {
    return this.#size
  }

  get first(): E | undefined {
    return this.#head.items[this.#first]
  }

  get last(): E | undefined {
    return this.#last === 0 ? undefined : this.#tail.items[this.#last - 1]
  }

  /** Appends. */
  push(element: E): void {
    if (this.#last === this.#tail.items.length) this.#append()
    this.#tail.items[this.#last++] = element
    this.#size++
  }

  /** Prepends. */
  unshift(element: E): void {
    if (this.#first === 0) this.#prepend()
    this.#head.items[--this.#first] = element
    this.#size++
  }

  /** Removes the first element. */
  shift(): E | undefined {
    if (this.#size === 0) return undefined
    const chunk = this.#head
    const element = chunk.items[this.#first]
    chunk.items[this.#first++] = undefined
    if (--this.#size === 0) this.#restart()
    else if (chunk.holes !== 0 || this.#first === chunk.items.length) this.#advance()
    return element
  }

  /** Removes the last element. */
  pop(): E | undefined {
    if (this.#size === 0) return undefined
    const chunk = this.#tail
    const element = chunk.items[--this.#last]
    chunk.items[this.#last] = undefined
    if (--this.#size === 0) this.#restart()
    else if (chunk.holes !== 0 || this.#last === 0) this.#retreat()
    return element
  }

  clear(): void {
    for (let chunk: Chunk<E> | undefined = this.#head; chunk !== undefined; chunk = chunk.after) chunk.fate = LEFT_HEAD
    this.#head = this.#tail = new Chunk<E>(slots(SMALLEST))
    this.#first = this.#last = this.#size = 0
    this.#spare = undefined
  }

  /** A way from the first element to the last, or back, that survives every change of the list. */
  walk(backwards = false): Cursor<E> {
    const border = backwards ? new Place(this.#tail, this.#last) : new Place(this.#head, this.#first)
    const latest = new Place(border.chunk, border.slot)
    let element: E | undefined
    return {
      next: () => {
        const next = backwards ? this.#stepBack(border) : this.#step(border)
        if (next === undefined) return undefined
        latest.set(border.chunk, backwards ? border.slot : border.slot - 1, border.round)
        element = next
        return next
      },
      remove: () => {
        if (element === undefined || !this.#removeAt(latest, element)) return false
        element = undefined
        this.#thin(latest.chunk)
        return true
      },
    }
  }

  /**
   * Removes the elements that pass the test and returns them. All are tested before the first is removed: a test that
   * throws leaves everything in its place, and a test that changes the list does no harm.
   */
  removeWhere(test: (element: E) => boolean): E[] {
    const border = new Place(this.#head, this.#first)
    const elements: E[] = []
    const places: Place<E>[] = []
    for (let element = this.#step(border); element !== undefined; element = this.#step(border)) {
      // The test may move the border's chunk away: note the place first.
      const { chunk, slot, round } = border
      if (!test(element)) continue
      elements.push(element)
      places.push(new Place(chunk, slot - 1, round))
    }
    const removed = elements.filter((element, i) => this.#removeAt(places[i] as Place<E>, element))
    // Not before all are removed: places would have to be followed through chunk after joined chunk.
    this.#thinAll()
    return removed
  }

  /** Moves a border over the next element. */
  #step(border: Place<E>): E | undefined {
    this.#follow(border)
    let { chunk, slot } = border
    for (;;) {
      const end = chunk === this.#tail ? this.#last : chunk.items.length
      while (slot < end) {
        const element = chunk.items[slot++]
        if (element !== undefined) {
          border.set(chunk, slot, chunk.round)
          return element
        }
      }
      if (chunk.after === undefined) return undefined
      chunk = chunk.after
      slot = 0
    }
  }

  /** Moves a border back over the element before it. */
  #stepBack(border: Place<E>): E | undefined {
    this.#follow(border)
    let { chunk, slot } = border
    for (;;) {
      const end = chunk === this.#head ? this.#first : 0
      while (slot > end) {
        const element = chunk.items[--slot]
        if (element !== undefined) {
          border.set(chunk, slot, chunk.round)
          return element
        }
      }
      if (chunk.before === undefined) return undefined
      chunk = chunk.before
      slot = chunk.items.length
    }
  }

  /** Removes the element from its place, if it is still there. The caller may have to thin its chunk then. */
  #removeAt(place: Place<E>, element: E): boolean {
    if (!this.#follow(place)) return false
    const { chunk, slot } = place
    // Slots at the front of a deque are used again; NaN is an element that does not equal itself.
    if (!Object.is(chunk.items[slot], element)) return false
    if (chunk === this.#head && slot === this.#first) this.shift()
    else if (chunk === this.#tail && slot === this.#last - 1) this.pop()
    else {
      chunk.items[slot] = undefined
      chunk.holes++
      this.#size--
    }
    return true
  }

  /** Brings a place up to date. False if its slot is gone; the place then is the border where the slot was. */
  #follow(place: Place<E>): boolean {
    let exact = true
    for (;;) {
      const { chunk, slot } = place
      if (chunk.fate === INHERITED && chunk.heir !== undefined) {
        exact &&= chunk.items[slot] !== undefined
        place.set(chunk.heir, chunk.base + elementsBefore(chunk.items, slot), chunk.heirRound)
      } else if (chunk.fate === LEFT_TAIL) {
        place.set(this.#tail, this.#last, this.#tail.round)
        return false
      } else if (chunk.fate === LEFT_HEAD || chunk.round !== place.round) {
        place.set(this.#head, this.#first, this.#head.round)
        return false
      } else {
        return exact
      }
    }
  }

  /** Called with an element in the tail chunk: an empty list begins at slot 0 and has room. */
  #append(): void {
    const chunk = this.#newChunk()
    const before = this.#tail
    chunk.before = before
    before.after = chunk
    this.#tail = chunk
    this.#last = 0
    this.#thin(before)
  }

  #prepend(): void {
    if (this.#size === 0) {
      this.#first = this.#last = this.#head.items.length
      return
    }
    const chunk = this.#newChunk()
    const after = this.#head
    chunk.after = after
    after.before = chunk
    this.#head = chunk
    this.#first = chunk.items.length
    this.#thin(after)
  }

  #newChunk(): Chunk<E> {
    const length = Math.min(Math.max(this.#size, SMALLEST), LARGEST)
    if (length < LARGEST || this.#spare === undefined) return new Chunk<E>(slots(length))
    const items = this.#spare
    this.#spare = undefined
    return new Chunk<E>(items)
  }

  /** The list is empty, so it has one chunk: both ends were at the same element. */
  #restart(): void {
    this.#head.round++
    this.#first = this.#last = 0
  }

  /** Moves `first` on to the next element; there is one. */
  #advance(): void {
    for (;;) {
      const chunk = this.#head
      for (; this.#first < chunk.items.length; this.#first++) {
        if (chunk.items[this.#first] !== undefined) return
        chunk.holes--
      }
      if (chunk.after === undefined) return
      this.#head = chunk.after
      this.#first = 0
      this.#leave(chunk, LEFT_HEAD)
    }
  }

  /** Moves `last` back to behind the element before it; there is one. */
  #retreat(): void {
    for (;;) {
      const chunk = this.#tail
      for (; this.#last > 0; this.#last--) {
        if (chunk.items[this.#last - 1] !== undefined) return
        chunk.holes--
      }
      if (chunk.before === undefined) return
      this.#tail = chunk.before
      this.#last = this.#tail.items.length
      this.#leave(chunk, LEFT_TAIL)
    }
  }

  /** Drops an empty chunk at an end. */
  #leave(chunk: Chunk<E>, fate: Fate): void {
    chunk.unlink()
    chunk.fate = fate
    if (chunk.items.length === LARGEST) this.#spare = chunk.items
  }

  #thinAll(): void {
    let chunk: Chunk<E> | undefined = this.#head
    while (chunk !== undefined) {
      this.#thin(chunk)
      chunk = chunk.heir ?? chunk.after
    }
  }

  /**
   * Drops an inner chunk that has no elements, or joins it with a neighbour if both have few. Does nothing for chunks
   * at the ends.
   */
  #thin(chunk: Chunk<E>): void {
    const { before, after } = chunk
    if (before === undefined || after === undefined || chunk.count > SPARSE) return
    if (chunk.count === 0) {
      chunk.unlink()
      chunk.inherit(after, 0)
    } else if (after !== this.#tail && chunk.count + after.count <= SPARSE) {
      join(chunk, after)
    } else if (before !== this.#head && before.count + chunk.count <= SPARSE) {
      join(before, chunk)
    }
  }
}
